"""The pages of policy: the caps table, and what would change under other caps or rules."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from ...archive.whatif import WhatIfReport
from ...kernel.caps import CapsTable
from ...kernel.errors import RequestInvalid
from ...kernel.request import Principal
from ...system.catalog_files import read_catalog
from ...wiring.whatif_setup import run_what_if
from ..door import ChatDoor
from .pages import CONSOLE, ConsolePages, PageRefused, console_route
from .tenant_records import TenantRecords
from .views.policy_page import policy_page
from .views.what_if_page import WINDOWS, WhatIfChoice, choice_of, table_with, what_if_result

__all__ = ["policy_routes"]

_RULES_BYTES_MAX: Final = 4_000_000


def policy_routes(pages: ConsolePages, door: ChatDoor, records: TenantRecords) -> APIRouter:
    """`/console/policy` and `/console/what-if`."""
    router = APIRouter(prefix=CONSOLE, include_in_schema=False, route_class=console_route(pages))
    one_at_a_time = asyncio.Lock()

    @router.get("/policy")
    def policy(request: Request) -> Response:
        tenant = pages.signed_in(request).caller.principal.tenant
        health = door.router.health()
        page = policy_page(
            records.contract,
            records.ruling_caps(tenant),
            read_catalog().tools.tools,
            door.settings.environment,
            custom=health.custom_caps,
        )
        return pages.page(request, "policy.html", {"page": page})

    def table_for(who: Principal) -> CapsTable:
        table = records.ruling_caps(who.tenant)
        if not isinstance(table, CapsTable):
            raise PageRefused(503, "The caps table cannot be used", "Research is disabled; put back a valid table.")
        return table

    def form(
        request: Request, choice: WhatIfChoice, who: Principal, more: Mapping[str, object], status: int
    ) -> Response:
        granted = [entry for entry in table_for(who).entries if entry.caps is not None]
        model = {
            "choice": choice,
            "places": [(entry.tier, entry.environment) for entry in granted],
            "windows": WINDOWS,
            "sessions": len(records.rows(who.tenant)),
            "result": None,
            "error": "",
            **more,
        }
        return pages.page(request, "what_if.html", model, status)

    @router.get("/what-if")
    def what_if(request: Request) -> Response:
        who = pages.signed_in(request).caller.principal
        choice = choice_of(dict(request.query_params), table_for(who), door.settings.environment)
        return form(request, choice, who, {}, 200)

    @router.post("/what-if")
    async def tried(request: Request) -> Response:
        given = await pages.form(request, _RULES_BYTES_MAX)
        who = pages.signed_in(request).caller.principal
        table = await run_in_threadpool(table_for, who)
        choice = choice_of(given, table, door.settings.environment)
        if one_at_a_time.locked():
            error = "Another what-if is running. Wait for its end and try again."
            return await run_in_threadpool(form, request, choice, who, {"error": error}, 409)
        try:
            async with one_at_a_time:
                report = await run_in_threadpool(_run, door, choice, table, who.tenant)
        except RequestInvalid as exc:
            return await run_in_threadpool(form, request, choice, who, {"error": f"{exc}."}, 400)
        return await run_in_threadpool(form, request, choice, who, {"result": what_if_result(report)}, 200)

    return router


def _run(door: ChatDoor, choice: WhatIfChoice, table: CapsTable, tenant: str) -> WhatIfReport:
    """In a thread with a loop of its own, so that the server goes on."""
    caps = table_with(table, choice) if choice.tried == "caps" else None
    rules = choice.rules_text if choice.tried == "rules_text" else None
    return asyncio.run(run_what_if(door.settings, caps, rules, choice.window, tenant))
