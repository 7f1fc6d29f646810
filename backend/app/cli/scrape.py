"""`portcullis scrape`: one page through the gate, from the local principal."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

import typer
from pydantic import BaseModel
from rich.console import Console

from ..capabilities.scrape_failure import ScrapeFailure
from ..capabilities.scrape_page import Mode, ScrapeOutput, scrape_request, scrape_result
from ..evidence.shaping import DEFAULT_BYTES, MOST_BYTES
from ..kernel.outcome import ResearchOutcome
from ..kernel.request import Principal, ResearchRequest
from ..research.audience import for_operator
from ..system.settings import Settings
from .ask import GateOpener, local_principal
from .exits import Exit
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
        narrow = narrowing(timeout_ms=timeout_ms)
        request = scrape_request(url, mode=mode, max_length=max_length, form=form, narrow=narrow)
        principal = local_principal(tier)
        outcome = asyncio.run(_run(request, principal, chosen_settings(data_dir, env), gate))
        result = scrape_result(request, outcome)
        if view == "operator":
            print_json(for_operator(outcome, principal))
        elif as_json:
            print_json(result)
        else:
            _print(result, outcome)
        raise typer.Exit(_exit_of(result).value)


async def _run(request: ResearchRequest, principal: Principal, settings: Settings, gate: GateOpener) -> ResearchOutcome:
    with LiveProgress(Console(stderr=True, highlight=False)) as progress:
        async with gate(None, settings=settings) as router:
            return await router.run(request, principal, observer=progress)


def _print(result: BaseModel, outcome: ResearchOutcome) -> None:
    """The page for a person: what it is and how to cite it above, what it says below."""
    console = Console(highlight=False)
    if isinstance(result, ScrapeFailure):
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


def _exit_of(result: ScrapeOutput | ScrapeFailure) -> Exit:
    if isinstance(result, ScrapeOutput):
        return Exit.GROUNDED
    match result.error.kind:
        case "config":
            return Exit.NOT_ALLOWED
        case _ if result.error.retryable:
            return Exit.RETRY_LATER
        case "upstream_unavailable":
            return Exit.NOT_AVAILABLE
        case _:
            return Exit.NO_SOURCES
