"""Asking a question in the browser: the form, live progress, finish and cancel, the answer with its sources."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse, StreamingResponse
from starlette.concurrency import run_in_threadpool

from ...kernel.caps import CapsTable, PolicyCaps
from ...kernel.request import QUESTION_CHARS_MAX, Principal
from ..access import CHAT_SCOPE
from ..door import ChatDoor
from ..running import ResearchOrder, RunView
from .asked_elsewhere import end_question, question_steps, recent_questions, see_question
from .health_watch import HealthWatch
from .pages import CONSOLE, ConsolePages, PageRefused, console_route, headers
from .tenant_records import TenantRecords
from .views.ask_page import answer_of, constraints_for, depth_of, estimate_text
from .views.shown_words import millis, stop_family, visible
from .views.source_panels import panels_of

__all__ = ["ask_routes"]


def ask_routes(pages: ConsolePages, door: ChatDoor, records: TenantRecords, watch: HealthWatch) -> APIRouter:
    """Everything below `/console/ask`."""
    router = APIRouter(prefix=f"{CONSOLE}/ask", include_in_schema=False, route_class=console_route(pages))

    def caps_of(who: Principal) -> PolicyCaps | None:
        table = records.ruling_caps(who.tenant)
        entry = table.entry(who.tier, door.settings.environment) if isinstance(table, CapsTable) else None
        return None if entry is None else entry.caps

    def estimate(who: Principal, question: str, depth: str, *, documents_only: bool) -> str:
        web = watch.web_is_set_up()
        return estimate_text(question, depth_of(depth), caps_of(who), documents_only=documents_only, web=web)

    @router.get("")
    def form(request: Request, question: str = "", depth: str = "balanced", documents: str = "") -> Response:
        who = pages.signed_in(request).caller.principal
        only = documents == "on"
        model = {
            "question": visible(question[:QUESTION_CHARS_MAX]),
            "depth": depth_of(depth),
            "documents_only": only,
            "estimate": estimate(who, question, depth, documents_only=only),
            "recent": [(run, visible(run.question)) for run in recent_questions(door, who)],
            "error": "",
            "longest": QUESTION_CHARS_MAX,
        }
        return pages.page(request, "ask.html", model)

    @router.get("/estimate")
    def told(request: Request, question: str = "", depth: str = "balanced", documents: str = "") -> Response:
        who = pages.signed_in(request).caller.principal
        text = estimate(who, question, depth, documents_only=documents == "on")
        return JSONResponse({"text": text}, headers=headers())

    @router.post("")
    async def ask(request: Request) -> Response:
        given = await pages.form(request)
        who = _who_asks(pages, request)
        depth, only = depth_of(given.get("depth", "")), given.get("documents") == "on"
        order = ResearchOrder(
            question=given.get("question", "").strip(),
            depth=depth,
            constraints=constraints_for(depth, documents_only=only),
        )
        return RedirectResponse(f"/console/ask/{door.running.start(who, order)}", 303, headers())

    @router.get("/{request_id}")
    def shown(request: Request, request_id: str) -> Response:
        who = pages.signed_in(request).caller.principal
        run, question = see_question(door, records, request_id, who)
        if run.ended_at_ms is None:
            return pages.page(request, "ask_running.html", {"run": run, "question": visible(question)})
        return _ended(pages, request, records, run, question)

    @router.get("/{request_id}/events")
    async def events(request: Request, request_id: str) -> Response:
        who = pages.signed_in(request).caller.principal
        await run_in_threadpool(see_question, door, records, request_id, who)
        told = {**headers(), "Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(question_steps(door, request_id, who), media_type="text/event-stream", headers=told)

    @router.post("/{request_id}/finish")
    async def finish(request: Request, request_id: str) -> Response:
        await pages.form(request)
        end_question(door, request_id, _who_asks(pages, request), "finish")
        return RedirectResponse(f"/console/ask/{request_id}", 303, headers())

    @router.post("/{request_id}/cancel")
    async def cancel(request: Request, request_id: str) -> Response:
        await pages.form(request)
        end_question(door, request_id, _who_asks(pages, request), "cancel")
        return RedirectResponse(f"/console/ask/{request_id}", 303, headers())

    return router


def _who_asks(pages: ConsolePages, request: Request) -> Principal:
    """Whoever is signed in, with a key that may ask; that of an auditor only looks."""
    who = pages.signed_in(request).caller.principal
    if CHAT_SCOPE not in who.scopes:
        raise PageRefused(403, "This key may look and not ask", "Sign in with a key that has the scope chat, too.")
    return who


def _ended(pages: ConsolePages, request: Request, records: TenantRecords, run: RunView, question: str) -> Response:
    """The answer, or the word that there is none."""
    if run.state == "failed":
        raise PageRefused(
            503, "This question could not be asked", "The server's log says why. Ask again, or see Health."
        )
    rows = records.index.rows(run.tenant, now=True)  # the table has it from here on, too
    result = run.result
    row = next((row for row in rows if row.session_id == run.session_id), None)
    recut = records.archive.recut(run.session_id) if run.session_id else ()
    model = {
        "run": run,
        "question": visible(question),
        "answer": None if result is None else answer_of(result),
        "sources": panels_of(recut, result),
        "stop": "" if row is None or row.stop is None else row.stop.value,
        "family": stop_family(None if row is None else row.stop),
        "took": "" if run.ended_at_ms is None else millis(run.ended_at_ms - run.started_at_ms),
        "units": 0 if row is None else row.spent_units,
        "calls": 0 if row is None else row.calls,
        "finished_early": row is not None and row.finished_early,
    }
    return pages.page(request, "ask_answer.html", model)
