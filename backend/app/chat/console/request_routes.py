"""The table of requests, one request with its downloads and its replay, and two of them side by side."""

from __future__ import annotations

import json
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from ...research.record.replay import Replayed
from ..door import ChatDoor
from .pages import CONSOLE, ConsolePages, PageRefused, console_route, headers
from .tenant_records import TenantRecords
from .views.request_page import neighbours, page_of
from .views.request_table import filters_of, table_of
from .views.session_diff import diff_of
from .views.shown_words import age, visible

__all__ = ["request_routes"]

_TABS: Final = ("sources", "signals", "findings", "receipt")
_OFFERED: Final = 12
_LOOKED_AT: Final = 200


def request_routes(pages: ConsolePages, door: ChatDoor, records: TenantRecords) -> APIRouter:
    """`/console/requests`, `/console/r/...` and `/console/diff`."""
    router = APIRouter(prefix=CONSOLE, include_in_schema=False, route_class=console_route(pages))

    @router.get("/requests")
    def table(request: Request) -> Response:
        tenant = pages.signed_in(request).caller.principal.tenant
        filters = filters_of(dict(request.query_params))
        now_ms = door.clock.now_ms()
        shown = table_of(records.rows(tenant), filters, records.question, now_ms)
        peek = None
        if filters.peek:
            parts = records.parts(filters.peek, tenant)
            peek = page_of(parts, records.contract.stops, now_ms)
        model = {"table": shown, "peek": peek, "close_query": filters.query(peek="")}
        return pages.page(request, "requests.html", model)

    def shown(request: Request, session_id: str, replayed: Replayed | None) -> Response:
        tenant = pages.signed_in(request).caller.principal.tenant
        parts = records.parts(session_id, tenant)
        step = request.query_params.get("step", "")
        tab = request.query_params.get("tab", "")
        source = request.query_params.get("source", "")
        page = page_of(
            parts, records.contract.stops, door.clock.now_ms(), int(step) if _is_small_number(step) else None
        )
        rows = records.rows(tenant)
        newer, older = neighbours([row.session_id for row in rows], session_id)
        usual = "findings" if page.findings else "sources" if page.sources or not page.why.signals else "signals"
        model = {
            "page": page,
            "tab": tab if tab in _TABS else usual,
            "tabs": _tabs(len(page.sources), len(page.why.signals), len(page.findings)),
            "source": int(source) if _is_small_number(source) else None,
            "newer": newer,
            "older": older,
            "replayed": replayed,
        }
        return pages.page(request, "request.html", model)

    @router.get("/r/{session_id}")
    def one(request: Request, session_id: str) -> Response:
        return shown(request, session_id, None)

    @router.post("/r/{session_id}/replay")
    async def replay(request: Request, session_id: str) -> Response:
        await pages.form(request)
        tenant = pages.signed_in(request).caller.principal.tenant
        await run_in_threadpool(records.history, session_id, tenant)
        replayed = await run_in_threadpool(door.archive.replay, session_id)
        return await run_in_threadpool(shown, request, session_id, replayed)

    @router.get("/r/{session_id}/replay")
    def replay_again(request: Request, session_id: str) -> Response:
        return RedirectResponse(f"/console/r/{session_id}", 303, headers())

    def own(request: Request, session_id: str) -> None:
        records.history(session_id, pages.signed_in(request).caller.principal.tenant)

    @router.get("/r/{session_id}/journal.jsonl")
    def journal(request: Request, session_id: str) -> Response:
        own(request, session_id)
        return _file(door.archive.journal_bytes(session_id), "application/jsonl", f"journal-{session_id}.jsonl")

    @router.get("/r/{session_id}/receipt.json")
    def receipt(request: Request, session_id: str) -> Response:
        own(request, session_id)
        text = door.archive.receipt(session_id).model_dump_json(exclude_defaults=True) + "\n"
        return _file(text.encode(), "application/json", f"receipt-{session_id}.json")

    @router.get("/r/{session_id}/bundle.json")
    def bundle(request: Request, session_id: str) -> Response:
        own(request, session_id)
        again = door.archive.run_again(session_id)
        if again.outcome is None:
            raise PageRefused(409, "There is no bundle to download", f"{again.replayed.why}.")
        told = {
            "session_id": session_id,
            "question": "" if again.request is None else again.request.question,
            "bundle": again.outcome.bundle.model_dump(mode="json"),
        }
        data = json.dumps(told, ensure_ascii=False, indent=1).encode()
        return _file(data, "application/json", f"bundle-{session_id}.json")

    @router.get("/diff")
    def diff(request: Request, a: str = "", b: str = "") -> Response:
        tenant = pages.signed_in(request).caller.principal.tenant
        now_ms, stops = door.clock.now_ms(), records.contract.stops
        offered = _offered(records, tenant, a, now_ms)
        result = None
        if a.strip() and b.strip():
            one, other = records.parts(a.strip(), tenant), records.parts(b.strip(), tenant)
            result = diff_of(page_of(one, stops, now_ms), one, page_of(other, stops, now_ms), other)
        return pages.page(request, "diff.html", {"diff": result, "a": a[:128], "b": b[:128], "offered": offered})

    return router


def _offered(records: TenantRecords, tenant: str, chosen: str, now_ms: int) -> list[dict[str, str]]:
    """Sessions to compare with: those that asked the same first, then the newest."""
    newest = [row for row in records.rows(tenant) if row.state == "closed"][:_LOOKED_AT]
    asked = {row.session_id: records.question(row) for row in newest}
    newest.sort(key=lambda row: asked[row.session_id] != asked.get(chosen))
    return [
        {
            "session_id": row.session_id,
            "text": f"{row.stop.value if row.stop else row.state}, {age(row.started_at_ms, now_ms)}: "
            f"{visible(asked[row.session_id])[:80]}",
        }
        for row in newest[:_OFFERED]
    ]


def _tabs(sources: int, signals: int, findings: int) -> list[dict[str, object]]:
    counts = {"sources": sources, "signals": signals, "findings": findings, "receipt": None}
    return [{"name": name, "title": name.capitalize(), "count": count} for name, count in counts.items()]


def _file(data: bytes, media: str, name: str) -> Response:
    told = {**headers(), "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=media, headers=told)


def _is_small_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 6
