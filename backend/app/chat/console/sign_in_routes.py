"""Signing in with an operator key, signing out, and the choice of the theme."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from ...research.audience import OPERATOR_SCOPE
from ...wiring.key_guard import KeyGuard, NotAdmitted
from .browser_sessions import COOKIE, cookie_in
from .pages import CONSOLE, ConsolePages, console_route, headers, safe_next

__all__ = ["sign_in_routes"]

_YEAR_S: Final = 31_536_000
_KEY_CHARS_MAX: Final = 200
_TOLD: Final = {
    401: "This key is not valid. Paste the whole of it, from pck_ to its end.",
    403: "This key may not see the console: it lacks the scope operator.",
    429: "This key was used too often in the last minute. Wait a little and try again.",
}


def sign_in_routes(pages: ConsolePages, guard: KeyGuard) -> APIRouter:
    """`/console/sign-in`, `/console/sign-out` and `/console/theme`."""
    router = APIRouter(prefix=CONSOLE, include_in_schema=False, route_class=console_route(pages))

    @router.get("/sign-in")
    def form(request: Request, next: str = "/console") -> Response:  # noqa: A002  the name of the field
        if pages.sessions.find(cookie_in(request.headers.get("cookie", ""))) is not None:
            return RedirectResponse(safe_next(next), 303, headers())
        return pages.page(request, "sign_in.html", {"error": "", "next": safe_next(next)})

    @router.post("/sign-in")
    async def sign_in(request: Request) -> Response:
        given = await pages.form(request, signed=False)
        after = safe_next(given.get("next", ""))
        text = given.get("key", "").strip()[:_KEY_CHARS_MAX]
        key = await guard.admit(f"Bearer {text}")
        status = key.status if isinstance(key, NotAdmitted) else 200 if OPERATOR_SCOPE in key.scopes else 403
        if isinstance(key, NotAdmitted) or status != 200:
            return pages.page(request, "sign_in.html", {"error": _TOLD[status], "next": after}, status)
        answer = RedirectResponse(after, 303, headers())
        # Behind a proxy that speaks TLS only the browser knows; it says so in its own header.
        secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:")
        answer.set_cookie(
            COOKIE, pages.sessions.begin(key), path="/console", httponly=True, samesite="strict", secure=secure
        )
        return answer

    @router.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        await pages.form(request)
        pages.sessions.end(cookie_in(request.headers.get("cookie", "")))
        answer = RedirectResponse("/console/sign-in", 303, headers())
        answer.delete_cookie(COOKIE, path="/console", httponly=True, samesite="strict")
        return answer

    @router.post("/theme")
    async def theme(request: Request) -> Response:
        given = await pages.form(request, signed=False)
        chosen = "dark" if given.get("theme") == "dark" else "light"
        answer = RedirectResponse(safe_next(given.get("next", "")), 303, headers())
        answer.set_cookie(
            "portcullis_theme", chosen, max_age=_YEAR_S, path="/console", httponly=True, samesite="strict"
        )
        return answer

    return router
