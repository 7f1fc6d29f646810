"""`portcullis ask` and `portcullis search`: requests through the gate, from the local principal."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from rich.console import Console

from ..capabilities.registry import CAPABILITIES
from ..kernel.outcome import ResearchOutcome
from ..kernel.request import Principal, ResearchRequest, read_request
from ..kernel.results import Source, SourceKind
from ..research.audience import CallerView, EndUserView, for_caller, for_end_user, for_operator
from ..research.basis import Answer
from ..research.serving import series_key
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
from .web_access import print_way_to_the_web, web_is_set_up

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["Asked", "ask", "search"]

View = Literal["caller", "user", "operator"]
ViewT = TypeVar("ViewT", CallerView, EndUserView)
_WEB: Final = "research"


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
    documents_only: bool = True
    """Whether the web is left alone also where a provider is set up and the documents do not answer."""


@dataclass(frozen=True, slots=True)
class _Replies:
    """The session over the documents, and the one over the web where those do not answer."""

    documents: ResearchOutcome
    state_dir: Path
    web: Answer | None = None


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
    replies = asyncio.run(_run(request, principal, asked, folder, settings, gate, errors))
    if replies.web is not None:
        code = _print_web(replies.web, principal, asked, settings)
        print_blocked(errors, (replies.documents, *replies.web.outcomes), way_out(folder, settings))
        return code
    outcome = replies.documents
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
    if not asked.documents_only and not asked.as_json and view.error is None:
        print_way_to_the_web(errors, settings, replies.state_dir, answered=bool(view.sources))
    return exit_of(view)


def _print_web(answer: Answer, principal: Principal, asked: Asked, settings: Settings) -> Exit:
    """What the web says: sentences with their excerpts; as JSON the pages, without what only led there."""
    from ..capabilities.answers.research_models import ResearchResult
    from .research_command import print_research

    outcome, result = answer.outcomes[0], answer.result
    pages = tuple(source for source in outcome.bundle.sources if source.kind is not SourceKind.HIT)
    view = _with_sources(for_caller(outcome, CAPABILITIES[outcome.capability].hints), pages)
    if asked.view == "operator":
        print_json(for_operator(outcome, principal))
    elif asked.as_json:
        print_json(view if asked.view == "caller" else _with_sources(for_end_user(outcome), pages))
    elif view.error is not None or not isinstance(result, ResearchResult):
        print_answer(Console(highlight=False), view, elsewhere(settings))
    else:
        print_research(Console(highlight=False), result, outcome, with_cost=asked.view == "caller")
    return exit_of(view)


def _with_sources(view: ViewT, sources: tuple[Source, ...]) -> ViewT:
    return view.model_validate({**dict(view), "sources": sources})


def _composed(request: ResearchRequest, view: CallerView) -> str:
    """The sentences of the sources that say most to the question; a search lists its passages alone."""
    if request.capability != "ask_documents" or not view.sources:
        return ""
    from ..evidence.answering.composer import compose
    from ..evidence.grounding.facets import facets_of

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
) -> _Replies:
    if asked.docs is None:
        errors.print("no --docs given: asking the sample documents about bread", style="dim", soft_wrap=True)
    with LiveProgress(errors) as progress:
        collection, report = await documents_ready(folder, settings, progress=progress.files_read)
        print_news(errors, report, Path(collection.state_dir), way_out(folder, settings))
        async with gate(collection, settings=settings) as router:
            outcome = await router.run(request, principal, session_key=asked.session_key, observer=progress)
            found = Path(collection.state_dir)
            answered = outcome.bundle.sources or for_caller(outcome).error is not None
            if asked.documents_only or answered or not web_is_set_up(settings):
                return _Replies(outcome, found)
            # What the documents answer never leaves the house; only what they do not is asked outside.
            web = await router.call(
                _WEB,
                {"question": request.question, "depth": "shallow", "collection": None},
                principal,
                session_key=None if asked.session_key is None else series_key(asked.session_key, 2),
                observer=progress,
                narrow=request.narrow,
                clarified=request.clarified,
            )
            return _Replies(outcome, found, web)


def _projected(outcome: ResearchOutcome, principal: Principal, view: View) -> BaseModel:
    match view:
        case "user":
            return for_end_user(outcome)
        case _:
            return for_operator(outcome, principal)
