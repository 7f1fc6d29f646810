"""How a page is made: who sees it, its headers, its templates, its refusals."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlsplit

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...kernel.errors import RequestInvalid, StoreBusy, StoreUnusable
from ...system.version import VERSION
from ..running import Overloaded, UnknownResearch
from .browser_sessions import BrowserSessions, SignedIn, cookie_in
from .health_watch import HealthWatch

__all__ = ["CONSOLE", "FORM_BYTES_MAX", "ConsolePages", "PageRefused", "console_route", "headers", "safe_next"]

CONSOLE: Final = "/console"
"""Where every path of the console begins."""
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with `no-referrer` a form would not say from where it comes
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
_THEMES: Final = ("light", "dark")
_FORM: Final = "application/x-www-form-urlencoded"
FORM_BYTES_MAX: Final = 65_536
_KNOWN: Final = (Overloaded, RequestInvalid, StoreBusy, StoreUnusable, UnknownResearch)
_FOLDER: Final = Path(__file__).parent


class PageRefused(Exception):
    """This page cannot be shown; says why and what to do."""

    def __init__(self, status: int, title: str, advice: str) -> None:
        super().__init__(title)
        self.status = status
        self.title = title
        self.advice = advice


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands on every page."""

    theme: str
    other_theme: str
    token: str
    who: str
    here: str
    version: str


class ConsolePages:
    """Templates, signed-in browsers and the strip; shared by all routes."""

    def __init__(self, sessions: BrowserSessions, watch: HealthWatch) -> None:
        self.sessions = sessions
        self.watch = watch
        self._templates = Environment(
            loader=FileSystemLoader(_FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def signed_in(self, request: Request) -> SignedIn:
        """Who is signed in.

        Raises:
            PageRefused: nobody; the browser is sent to the sign-in.
        """
        found = self.sessions.find(cookie_in(request.headers.get("cookie", "")))
        if found is None:
            raise PageRefused(303, "sign in", "")
        return found

    async def form(self, request: Request, limit: int = FORM_BYTES_MAX, *, signed: bool = True) -> dict[str, str]:
        """The fields of a form that this console sent.

        Raises:
            PageRefused: it comes from elsewhere, lacks its token, or is too long.
        """
        token = self.signed_in(request).token if signed else ""
        _own_origin(request)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            raise PageRefused(415, "This form cannot be read", "Go back and send it again.")
        data = b""
        async for piece in request.stream():
            data += piece
            if len(data) > limit:
                raise PageRefused(413, "This form is too long", f"It takes at most {limit:,} bytes.")
        try:
            fields = dict(parse_qsl(data.decode("utf-8"), keep_blank_values=True, max_num_fields=50))
        except ValueError as exc:
            raise PageRefused(400, "This form cannot be read", "Go back and send it again.") from exc
        if signed and not hmac.compare_digest(fields.get("token", "").encode(), token.encode()):
            raise PageRefused(403, "This form is out of date", "Go back, load the page again, and send it once more.")
        return fields

    def page(self, request: Request, template: str, model: Mapping[str, object], status: int = 200) -> HTMLResponse:
        """A page from a template; everything in the model is escaped."""
        signed = self.sessions.find(cookie_in(request.headers.get("cookie", "")))
        frame = _frame(request, signed)
        strip = () if signed is None else self.watch.strip()
        shown = self._templates.get_template(template).render(frame=asdict(frame), strip=strip, **model)
        return HTMLResponse(shown, status, dict(_HEADERS))

    def refusal(self, request: Request, refused: PageRefused) -> Response:
        """What stands in place of a page that cannot be shown."""
        if refused.status == 303:
            asked = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            back = f"?next={quote(asked)}" if request.method == "GET" and asked != "/console" else ""
            return RedirectResponse(f"/console/sign-in{back}", 303, dict(_HEADERS))
        model = {"title": refused.title, "advice": refused.advice, "status": refused.status}
        return self.page(request, "refused.html", model, refused.status)


def console_route(pages: ConsolePages) -> type[APIRoute]:
    """Routes whose refusals are pages."""

    class ConsoleRoute(APIRoute):
        """Turns what a route refuses into a page that says what to do."""

        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handler = super().get_route_handler()

            async def handled(request: Request) -> Response:
                try:
                    return await handler(request)
                except (PageRefused, *_KNOWN) as exc:
                    return pages.refusal(request, _refused(exc))

            return handled

    return ConsoleRoute


def _refused(exc: Exception) -> PageRefused:
    """What went wrong, in words that say what to do."""
    match exc:
        case PageRefused():
            return exc
        case UnknownResearch():
            return PageRefused(
                404,
                "This question is no longer kept here",
                "Questions are kept for a quarter of an hour after their end. Look for its session under Requests.",
            )
        case Overloaded():
            return PageRefused(503, "Too much research is under way", "Nothing was started; ask again soon.")
        case RequestInvalid():
            return PageRefused(400, "This cannot be asked", f"{exc}.")
        case _:
            return PageRefused(503, "This record cannot be read", f"{exc}. Look at Health and at the data folder.")


def safe_next(text: str) -> str:
    """Where to go after the sign-in: only to a page of the console."""
    parts = urlsplit(text)
    inside = parts.path == "/console" or parts.path.startswith("/console/")
    plain = text.isascii() and text.isprintable() and "\\" not in text and "//" not in parts.path
    return text if inside and plain and not parts.scheme and not parts.netloc and ".." not in parts.path else "/console"


def headers() -> dict[str, str]:
    """The headers of every answer of the console."""
    return dict(_HEADERS)


def _own_origin(request: Request) -> None:
    """A browser says from where a form comes; one that comes from elsewhere is not ours."""
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
    host = request.headers.get("host", "")
    if (origin is not None and urlsplit(origin).netloc != host) or site not in (None, "same-origin", "none"):
        raise PageRefused(403, "This form was not sent by this console", "Open the console in a new tab.")


def _frame(request: Request, signed: SignedIn | None) -> _Frame:
    chosen = request.cookies.get("portcullis_theme", "")
    theme = chosen if chosen in _THEMES else ""
    here = request.url.path + (f"?{request.url.query}" if request.url.query and request.method == "GET" else "")
    return _Frame(
        theme=theme,
        other_theme="light" if theme == "dark" else "dark",
        token="" if signed is None else signed.token,
        who="" if signed is None else f"{signed.caller.principal.user} of {signed.caller.principal.tenant}",
        here=here,
        version=VERSION,
    )
