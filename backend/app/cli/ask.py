"""`portcullis ask` and `portcullis search`: one request through the gate, from the local principal."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.console import Console

from ..capabilities.registry import CAPABILITIES
from ..evidence.answering.composer import compose
from ..evidence.facets import facets_of
from ..kernel.outcome import ResearchOutcome
from ..kernel.request import Principal, ResearchRequest, read_request
from ..research.audience import CallerView, for_caller, for_end_user, for_operator
from ..system.contract_files import samples_dir
from ..system.settings import Settings
from ..wiring.document_setup import documents_ready
from .blocked import elsewhere, print_blocked, way_out
from .exits import Exit, exit_of
from .gates import GateOpener
from .options import chosen_settings
from .principal import local_principal
from .progress import LiveProgress
from .render import print_answer, print_json, print_reply
from .reports import print_news

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["Asked", "ask", "search"]

View = Literal["caller", "user", "operator"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line was told, beside the question."""

    docs: Path | None
    tier: str
    env: str | None
    data_dir: Path | None
    as_json: bool
    view: View = "caller"
    session_key: str | None = None


def ask(
    asked: Asked, gate: GateOpener, question: str, *, limit: int, clarified: bool, narrow: Mapping[str, int]
) -> Exit:
    """Ask a question and print the answer for the chosen audience."""
    request = read_request(question=question, clarified=clarified, arguments=(("limit", limit),), narrow=dict(narrow))
    return _answered(request, asked, gate)


def search(asked: Asked, gate: GateOpener, query: str, *, limit: int) -> Exit:
    """List the best passages."""
    request = read_request(question=query, capability="search_documents", arguments=(("limit", limit),))
    return _answered(request, asked, gate)


def _answered(request: ResearchRequest, asked: Asked, gate: GateOpener) -> Exit:
    principal = local_principal(asked.tier)
    settings = chosen_settings(asked.data_dir, asked.env)
    errors = Console(stderr=True, highlight=False)
    folder = asked.docs or samples_dir()
    outcome = asyncio.run(_run(request, principal, asked, folder, settings, gate, errors))
    view = for_caller(outcome, CAPABILITIES[request.capability].hints)
    if asked.as_json or asked.view == "operator":
        print_json(view if asked.view == "caller" else _projected(outcome, principal, asked.view))
    elif asked.view == "user":
        print_reply(Console(highlight=False), for_end_user(outcome))
    else:
        where = elsewhere(settings)
        closest, composed = _closest(request, asked, view, where), _composed(request, view)
        print_answer(Console(highlight=False), view, where, closest=closest, composed=composed)
    print_blocked(errors, (outcome,), way_out(folder, settings))
    return exit_of(view)


def _composed(request: ResearchRequest, view: CallerView) -> str:
    """The sentences of the sources that say most to the question; a search lists its passages alone."""
    if request.capability != "ask_documents" or not view.sources:
        return ""
    return compose(facets_of(request.question), view.sources).numbered_by(view.sources)


def _closest(request: ResearchRequest, asked: Asked, view: CallerView, where: tuple[str, ...]) -> str | None:
    """The command that shows what came closest, where nothing answers the question."""
    if request.capability != "ask_documents" or view.sources or view.error is not None:
        return None
    docs = ("--docs", str(asked.docs)) if asked.docs else ()
    return shlex.join(("portcullis", "search", request.question, *docs, *where))


async def _run(
    request: ResearchRequest,
    principal: Principal,
    asked: Asked,
    folder: Path,
    settings: Settings,
    gate: GateOpener,
    errors: Console,
) -> ResearchOutcome:
    if asked.docs is None:
        errors.print("no --docs given: asking the sample documents about bread", style="dim", soft_wrap=True)
    with LiveProgress(errors) as progress:
        collection, report = await documents_ready(folder, settings, progress=progress.files_read)
        print_news(errors, report, Path(collection.state_dir), way_out(folder, settings))
        async with gate(collection, settings=settings) as router:
            return await router.run(request, principal, session_key=asked.session_key, observer=progress)


def _projected(outcome: ResearchOutcome, principal: Principal, view: View) -> BaseModel:
    match view:
        case "user":
            return for_end_user(outcome)
        case _:
            return for_operator(outcome, principal)
