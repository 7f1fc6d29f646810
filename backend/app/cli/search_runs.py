"""`portcullis web`, `news`, `images`, `papers` and `gather`: one capability each, its results as text or as JSON."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel
from rich.console import Console

from ..capabilities.papers.academic_search import AcademicSearchOutput
from ..capabilities.registry import CAPABILITIES
from ..capabilities.searching.routing_meta import routing_of
from ..capabilities.web.image_search import ImageSearchOutput
from ..capabilities.web.news_search import NewsSearchOutput
from ..capabilities.web.search_and_scrape import SearchAndScrapeOutput
from ..capabilities.web.web_search import WebSearchOutput
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
from .render import print_facts, print_json, print_wrapped

__all__ = ["SearchRun", "run_search"]


@dataclass(frozen=True, slots=True)
class SearchRun:
    """Who asks, where, and how the answer is printed."""

    tier: str
    env: str | None
    data_dir: Path | None
    narrow: dict[str, int]
    as_json: bool
    view: Literal["caller", "operator"]


def run_search(name: str, given: dict[str, JsonValue], gate: GateOpener, run: SearchRun) -> Exit:
    """Call a search capability and print what it found."""
    asked: dict[str, JsonValue] = {key: value for key, value in given.items() if value is not None}
    CAPABILITIES[name].read(asked)  # before anything is opened
    principal = local_principal(run.tier)
    answer = asyncio.run(_called(name, asked, principal, run.narrow, chosen_settings(run.data_dir, run.env), gate))
    result, outcome = answer.result, answer.outcomes[0]
    if run.view == "operator":
        print_json(for_operator(outcome, principal))
    elif run.as_json:
        print_json(result)
    else:
        _print(result, outcome)
    if isinstance(result, Failure):
        return exit_of_failure(result)
    return Exit.GROUNDED if _found(result) else Exit.NO_SOURCES


async def _called(
    name: str,
    asked: dict[str, JsonValue],
    principal: Principal,
    narrow: dict[str, int],
    settings: Settings,
    gate: GateOpener,
) -> Answer:
    with LiveProgress(Console(stderr=True, highlight=False)) as progress:
        async with gate(None, settings=settings) as router:
            return await router.call(name, asked, principal, observer=progress, narrow=narrow)


def _found(result: BaseModel) -> bool:
    """Whether there is anything in the list of results."""
    match result:
        case WebSearchOutput() | NewsSearchOutput() | ImageSearchOutput() | AcademicSearchOutput():
            return result.result_count > 0
        case SearchAndScrapeOutput():
            return result.status != "failed"
    return True


def _print(result: BaseModel, outcome: ResearchOutcome) -> None:
    from .search_tables import print_results

    console = Console(highlight=False)
    if isinstance(result, Failure):
        print_wrapped(console, result.message, style="bold")
        print_wrapped(console, f"Suggested: {result.error.suggested_action.replace('_', ' ')}")
    else:
        print_results(console, result)
    console.print()
    routing = routing_of(outcome)
    asked = (f"asked {routing.line}",) if routing is not None else ()
    spent = f"calls {len(outcome.outcomes)} · units {outcome.spent_units} · {outcome.elapsed_ms} ms"
    print_facts(console, (*asked, spent, f"session {outcome.session_id}"))
