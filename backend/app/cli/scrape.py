"""`portcullis scrape`: one page through the gate, from the local principal."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

import typer
from pydantic import BaseModel
from rich.console import Console

from ..capabilities.web.scrape_page import SCRAPE_PAGE, Mode, ScrapeOutput
from ..evidence.content_size import DEFAULT_BYTES, MOST_BYTES
from ..kernel.canonical import JsonValue
from ..kernel.failure import Failure
from ..kernel.outcome import ResearchOutcome
from ..kernel.request import Principal
from ..research.audience import for_operator
from ..research.basis import Answer
from ..system.settings import Settings
from .ask import GateOpener, local_principal
from .exits import Exit, exit_of_failure
from .options import DataDir, Env, Json, Millis, Tier, chosen_settings, narrowing
from .progress import LiveProgress
from .render import plain, print_json

__all__ = ["add_scrape_command"]


def add_scrape_command(app: typer.Typer, gate: GateOpener) -> None:
    """Add the command; tests pass their own way to open the gate."""

    @app.command("scrape")
    def scrape_command(
        url: Annotated[str, typer.Argument(help="A public http or https address.")],
        mode: Annotated[
            Mode, typer.Option("--mode", help="full: readable text; preview: its first 5,000 bytes; raw: as it came.")
        ] = "full",
        max_length: Annotated[
            int, typer.Option("--max-length", help=f"Bytes of content, from 40; above {MOST_BYTES} is {MOST_BYTES}.")
        ] = DEFAULT_BYTES,
        markdown: Annotated[bool, typer.Option("--markdown", help="Keep headings, lists, links and emphasis.")] = False,
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        view: Annotated[Literal["caller", "operator"], typer.Option("--view", help="Whose view to print.")] = "caller",
        timeout_ms: Millis = None,
        data_dir: DataDir = None,
    ) -> None:
        """Read one web page or document: clean text, what kind of source it is, and how to cite it."""
        form: Literal["text", "markdown"] = "markdown" if markdown else "text"
        asked: dict[str, JsonValue] = {"url": url, "mode": mode, "max_length": max_length, "form": form}
        SCRAPE_PAGE.read(asked)  # before anything is opened
        principal = local_principal(tier)
        narrow = narrowing(timeout_ms=timeout_ms)
        answer = asyncio.run(_run(asked, principal, narrow, chosen_settings(data_dir, env), gate))
        result, outcome = answer.result, answer.outcomes[0]
        if view == "operator":
            print_json(for_operator(outcome, principal))
        elif as_json:
            print_json(result)
        else:
            _print(result, outcome)
        code = exit_of_failure(result) if isinstance(result, Failure) else Exit.GROUNDED
        raise typer.Exit(code.value)


async def _run(
    asked: dict[str, JsonValue], principal: Principal, narrow: dict[str, int], settings: Settings, gate: GateOpener
) -> Answer:
    with LiveProgress(Console(stderr=True, highlight=False)) as progress:
        async with gate(None, settings=settings) as router:
            return await router.call(SCRAPE_PAGE.name, asked, principal, observer=progress, narrow=narrow)


def _print(result: BaseModel, outcome: ResearchOutcome) -> None:
    """The page for a person: what it is and how to cite it above, what it says below."""
    console = Console(highlight=False)
    if isinstance(result, Failure):
        console.print(plain(result.message), style="bold", soft_wrap=True)
        console.print(plain(f"Suggested: {result.error.suggested_action.replace('_', ' ')}"), soft_wrap=True)
    elif isinstance(result, ScrapeOutput):
        if result.metadata is not None:
            console.print(plain(result.metadata.title), style="bold", soft_wrap=True)
        console.print(plain(result.url), style="dim", soft_wrap=True)
        about = f"{result.content_type} · {result.source_type}, authority {result.authority_tier}"
        size = f"{result.content_length} bytes, about {result.estimated_tokens} tokens ({result.size_category})"
        console.print(plain(f"{about} · {size}{' · truncated' if result.truncated else ''}"), soft_wrap=True)
        console.print(plain(f"Cite as: {result.citation.formatted.apa}"), soft_wrap=True)
        console.print()
        console.print(plain(result.content), soft_wrap=True)
    console.print()
    spent = f"units {outcome.spent_units} · {outcome.elapsed_ms} ms · session {outcome.session_id}"
    console.print(spent, style="dim")
