"""The page of health, with stops over time."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from ..door import ChatDoor
from .health_watch import HealthWatch
from .pages import CONSOLE, ConsolePages, console_route
from .tenant_records import TenantRecords
from .views.stop_bars import bars_of

__all__ = ["health_routes"]


def health_routes(pages: ConsolePages, door: ChatDoor, records: TenantRecords, watch: HealthWatch) -> APIRouter:
    """`/console/health`."""
    router = APIRouter(prefix=CONSOLE, include_in_schema=False, route_class=console_route(pages))

    @router.get("/health")
    def health(request: Request, span: str = "") -> Response:
        tenant = pages.signed_in(request).caller.principal.tenant
        bars = bars_of(records.rows(tenant), span, door.clock.now_ms())
        return pages.page(request, "health.html", {"page": watch.page(tenant), "bars": bars})

    return router
