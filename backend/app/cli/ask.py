"""`portcullis ask` and `portcullis search`: one request through the gate, from the local principal."""

from __future__ import annotations

import asyncio
import shlex
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Literal, Protocol

from pydantic import BaseModel
from rich.console import Console

from ..capabilities.registry import CAPABILITIES
from ..kernel.document_index import Collection
from ..kernel.models import FrozenModel
from ..kernel.outcome import ResearchOutcome
from ..kernel.request import Principal, ResearchRequest, read_principal
from ..research.audience import OPERATOR_SCOPE, CallerView, for_caller, for_end_user, for_operator
from ..research.router import Router
from ..system.contract_files import samples_dir
from ..system.settings import Settings
from ..wiring import documents_ready
from .blocked import elsewhere, print_blocked, way_out
from .exits import Exit, exit_of
from .progress import LiveProgress
from .render import print_answer, print_json, print_reply, print_report

__all__ = ["Asked", "GateOpener", "View", "ask", "local_principal"]

View = Literal["caller", "user", "operator"]


class GateOpener(Protocol):
    """`open_gate`, or a test's own way to open one."""

    def __call__(self, documents: Collection | None, *, settings: Settings) -> AbstractAsyncContextManager[Router]: ...


class Asked(FrozenModel):
    """What the command line was told, beside the question."""

    docs: Path | None
    tier: str
    as_json: bool
    view: View
    session_key: str | None = None


def local_principal(tier: str) -> Principal:
    """Whoever runs the command owns the machine: tenant and user are local, and the operator's view is theirs."""
    return read_principal(tenant="local", user="local", tier=tier, scopes=(OPERATOR_SCOPE,), collections=("documents",))


def ask(request: ResearchRequest, asked: Asked, settings: Settings, open_gate: GateOpener) -> Exit:
    """Run the session and print its outcome for the chosen audience."""
    principal = local_principal(asked.tier)
    errors = Console(stderr=True, highlight=False)
    folder = asked.docs or samples_dir()
    outcome = asyncio.run(_run(request, principal, asked, folder, settings, open_gate, errors))
    hints = CAPABILITIES[request.capability].hints
    view = for_caller(outcome, hints)
    if asked.as_json or asked.view == "operator":
        print_json(view if asked.view == "caller" else _projected(outcome, principal, asked.view))
    elif asked.view == "user":
        print_reply(Console(highlight=False), for_end_user(outcome))
    else:
        where = elsewhere(settings)
        print_answer(Console(highlight=False), view, where, closest=_closest(request, asked, view, where))
    print_blocked(errors, (outcome,), way_out(folder, settings))
    return exit_of(view)


def _closest(request: ResearchRequest, asked: Asked, view: CallerView, where: tuple[str, ...]) -> str | None:
    """The command that shows what came closest, where nothing speaks to the question."""
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
    open_gate: GateOpener,
    errors: Console,
) -> ResearchOutcome:
    if asked.docs is None:
        errors.print("no --docs given: asking the sample documents about bread", style="dim")
    with LiveProgress(errors) as progress:
        collection, report = await documents_ready(folder, settings)
        if report.skipped or report.excluded or not report.documents:
            print_report(errors, report)
        async with open_gate(collection, settings=settings) as router:
            return await router.run(request, principal, session_key=asked.session_key, observer=progress)


def _projected(outcome: ResearchOutcome, principal: Principal, view: View) -> BaseModel:
    match view:
        case "user":
            return for_end_user(outcome)
        case _:
            return for_operator(outcome, principal)
