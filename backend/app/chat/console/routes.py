"""The console: its pages below `/console`, and who may see them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...system.contract_files import read_contract
from ...system.data_folder import CAPS_FOLDER
from ...wiring.key_guard import open_key_store
from ..access import BrowserAccess
from ..door import ChatDoor
from .ask_routes import ask_routes
from .browser_sessions import BrowserSessions
from .health_routes import health_routes
from .health_watch import HealthWatch
from .pages import CONSOLE, ConsolePages, PageRefused, console_route, headers
from .policy_routes import policy_routes
from .request_routes import request_routes
from .sign_in_routes import sign_in_routes
from .tenant_records import TenantRecords

__all__ = ["Console"]

_STATIC: Final = Path(__file__).parent / "static"
_FILES: Final = {
    "console.css": "text/css; charset=utf-8",
    "console.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


class Console:
    """The pages of one door; `access` is what its border asks about browsers."""

    def __init__(self, door: ChatDoor) -> None:
        self._door = door
        self._sessions = BrowserSessions(door.logins, open_key_store(door.settings), door.clock)
        self._index = door.archive.index()

    @property
    def access(self) -> BrowserAccess:
        """Who may come in with a cookie."""
        return self._sessions

    def routers(self) -> tuple[APIRouter, ...]:
        """Every route, with its whole path; the last router takes what no other takes."""
        door = self._door
        watch = HealthWatch(door, self._index)
        pages = ConsolePages(self._sessions, watch)
        records = TenantRecords(door.archive, self._index, read_contract(), door.settings.data_dir / CAPS_FOLDER)
        router = APIRouter(prefix=CONSOLE, include_in_schema=False, route_class=console_route(pages))

        @router.get("")
        def index(request: Request) -> Response:
            pages.signed_in(request)
            return RedirectResponse("/console/ask", 303, headers())

        @router.get("/static/{name}")
        def static(name: str) -> Response:
            if name not in _FILES:
                raise PageRefused(404, "There is no such file", "Go back to the console.")
            told = {**headers(), "Cache-Control": "max-age=3600"}
            return Response((_STATIC / name).read_bytes(), media_type=_FILES[name], headers=told)

        @router.get("/{rest:path}")
        def nowhere(request: Request, rest: str) -> Response:
            pages.signed_in(request)
            raise PageRefused(
                404, "There is no such page", "The address may be cut off. The tabs above lead to every page."
            )

        return (
            sign_in_routes(pages, door.guard),
            ask_routes(pages, door, records, watch),
            request_routes(pages, door, records),
            policy_routes(pages, door, records),
            health_routes(pages, door, records, watch),
            router,
        )
