"""`portcullis scrape`: one page through the gate, from the local principal."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel
from rich.console import Console

from ..capabilities.web.scrape_page import SCRAPE_PAGE, Mode, ScrapeOutput
from ..kernel.canonical import JsonValue
from ..kernel.failure import Failure
from ..kernel.outcome import ResearchOutcome
from ..kernel.request import Principal
from ..research.audience import for_operator
from ..research.basis import Answer
from ..system.settings import Settings
from .exits import Exit, exit_of_failure
from .gates import GateOpener
from .options import chosen_settings
from .principal import local_principal
from .progress import LiveProgress
from .render import plain, print_facts, print_json, print_wrapped

__all__ = ["ScrapeOptions", "scrape"]


@dataclass(frozen=True, slots=True)
class ScrapeOptions:
    """The page, and how much of it in which form."""

    url: str
    mode: Mode
    max_length: int
    markdown: bool

    def arguments(self) -> dict[str, JsonValue]:
        """The input of the capability."""
        form = "markdown" if self.markdown else "text"
        return {"url": self.url, "mode": self.mode, "max_length": self.max_length, "form": form}


def scrape(
    wanted: ScrapeOptions,
    gate: GateOpener,
    tier: str,
    env: str | None,
    data_dir: Path | None,
    narrow: dict[str, int],
    *,
    as_json: bool,
    view: Literal["caller", "operator"],
) -> Exit:
    """Read the page and print it."""
    asked = wanted.arguments()
    SCRAPE_PAGE.read(asked)  # before anything is opened
    principal = local_principal(tier)
    answer = asyncio.run(_run(asked, principal, narrow, chosen_settings(data_dir, env), gate))
    result, outcome = answer.result, answer.outcomes[0]
    if view == "operator":
        print_json(for_operator(outcome, principal))
    elif as_json:
        print_json(result)
    else:
        _print(result, outcome)
    return exit_of_failure(result) if isinstance(result, Failure) else Exit.GROUNDED


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
        print_wrapped(console, result.message, style="bold")
        print_wrapped(console, f"Suggested: {result.error.suggested_action.replace('_', ' ')}")
    elif isinstance(result, ScrapeOutput):
        if result.metadata is not None:
            print_wrapped(console, result.metadata.title, style="bold")
        console.print(plain(result.url), style="dim", soft_wrap=True)
        about = f"{result.content_type} · {result.source_type}, authority {result.authority_tier}"
        size = f"{result.content_length} bytes, about {result.estimated_tokens} tokens ({result.size_category})"
        print_wrapped(console, f"{about} · {size}{' · truncated' if result.truncated else ''}")
        print_wrapped(console, f"Cite as: {result.citation.formatted.apa}")
        console.print()
        print_wrapped(console, result.content)
    console.print()
    print_facts(console, (f"units {outcome.spent_units} · {outcome.elapsed_ms} ms", f"session {outcome.session_id}"))
