"""A cited source as a page: what a person sees who follows the link of a document in an answer."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import Final

from .reply import ReplySource, is_link

__all__ = ["KEY_WANTED_PAGE", "PAGE_HEADERS", "source_page", "wants_page"]

_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}"
    "blockquote{white-space:pre-wrap;overflow-wrap:anywhere;margin:1rem 0;padding:0 1rem;border-left:4px solid #888}"
    "code{overflow-wrap:anywhere}"
)
_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
PAGE_HEADERS: Final = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def wants_page(accept: str) -> bool:
    """True for a browser that follows a link; programs ask for JSON or for anything."""
    return "text/html" in accept.lower()


def source_page(source: ReplySource) -> bytes:
    """One source with its excerpt, word for word; everything in it is text."""
    name, place = escape(source.title), escape(source.locator)
    shown = f'<a href="{place}" rel="noreferrer">{place}</a>' if is_link(source.locator) else f"<code>{place}</code>"
    body = f'<p>Source {source.number}: {shown}</p>\n<blockquote dir="auto">{escape(source.excerpt)}</blockquote>'
    return _page(name, body)


def _page(title: str, body: str) -> bytes:
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body><main>\n<h1>{title}</h1>\n{body}\n</main></body>\n</html>\n"
    ).encode()


KEY_WANTED_PAGE: Final = _page(
    "This source needs your key",
    "<p>Load the page again and give the key of the chat that cited it as the password; the name does not matter.</p>",
)
"""What stands there until a key is given."""
