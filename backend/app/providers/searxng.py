"""SearXNG: the operator's own search over many engines, for pages, news, images and papers."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any, Final
from urllib.parse import urlencode

from ..kernel.providers import (
    Access,
    Fault,
    HttpAnswer,
    HttpRequest,
    Parsed,
    ProviderError,
    ServiceAnswer,
    ServiceHit,
    ServiceQuery,
)
from ..parsing.services.search_options import read_options, with_operators
from ..parsing.services.service_answers import status_fault, text_of, texts_of
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, paper, people, record, records
from ..parsing.text.json_values import at_path, items_of

__all__ = ["OPTIONS", "parse", "request"]

URL_SETTING: Final = "PORTCULLIS_URL_SEARXNG"
KEY_SETTING: Final = "PORTCULLIS_KEY_SEARXNG"
_COMMON: Final = ("exact_terms", "exclude_terms", "language", "safe", "sites", "time_range")
OPTIONS: Final = {"images": _COMMON, "news": _COMMON, "papers": _COMMON, "web": _COMMON}
_CATEGORIES: Final = {"images": "images", "news": "news", "papers": "science", "web": "general"}
_SAFE: Final = {"off": "0", "medium": "1", "high": "2"}
_RESOLUTION: Final = re.compile(r"(\d{1,6})\s*[x\u00d7]\s*(\d{1,6})")
_PICTURES: Final = "images.html"


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search in the category of its kind."""
    options, base = read_options(asked, OPTIONS), access.url(URL_SETTING)
    if isinstance(options, ProviderError):
        return options
    if not base:
        return ProviderError(fault=Fault.NOT_CONFIGURED)
    if not asked.query or asked.kind not in _CATEGORIES:
        return ProviderError(fault=Fault.BAD_REQUEST if asked.kind in _CATEGORIES else Fault.UNSUPPORTED)
    if options.time_range == "hour":
        return UNSUPPORTED
    words = {
        "q": with_operators(asked.query, options),
        "format": "json",
        "categories": _CATEGORIES[asked.kind],
        "language": options.language,
        "time_range": options.time_range,
        "safesearch": _SAFE.get(options.safe, ""),
    }
    key = access.key(KEY_SETTING)
    # `user:password` for an instance behind a proxy that asks for it.
    headers = (("Authorization", f"Basic {b64encode(key.encode()).decode()}"),) if key else ()
    told = urlencode({name: value for name, value in words.items() if value})
    return HttpRequest(url=f"{base}/search?{told}", headers=headers)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The results of a search; none at all while engines do not respond is an outage, and not an empty answer."""
    if answer.status == 403:  # the JSON format is not switched on in its settings
        return ProviderError(fault=Fault.NOT_CONFIGURED)
    fault = status_fault(answer)
    if fault is not None:
        return fault
    said = json_of(answer)
    if isinstance(said, ProviderError):
        return said
    if not isinstance(said, dict) or "results" not in said:
        return UNSUPPORTED
    rows = said["results"]
    if not isinstance(rows, list):
        return UNREADABLE
    pictures = [row for row in rows if _is_picture(row)]
    # A body of pictures answers no other question, and one without any does not answer that for pictures.
    if rows and (not pictures if kind == "images" else len(pictures) == len(rows)):
        return UNSUPPORTED
    rows = pictures if kind == "images" else rows
    make = {"images": _image, "papers": _paper}.get(kind, _page)
    hits = (*records(rows, make), *(records(said.get("infoboxes"), _infobox) if kind == "web" else ()))
    if not hits and items_of(said.get("unresponsive_engines"), 1):
        return ProviderError(fault=Fault.PROVIDER_DOWN)
    return UNREADABLE if rows and not hits else Parsed(hits=hits)


def _is_picture(row: Any) -> bool:
    # Smaller instances leave the template out.
    template = text_of(at_path(row, "template"))
    return template == _PICTURES or (not template and at_path(row, "category") == "images")


def _page(row: Any) -> ServiceHit | None:
    date = text_of(at_path(row, "publishedDate"))
    # Engines without a date of their own put it before the name of the source: "13 hours ago | Journal".
    first, _, source = text_of(at_path(row, "metadata")).partition(" | ")
    return record(
        at_path(row, "url"),
        at_path(row, "title"),
        at_path(row, "content"),
        ("published", date or first),
        ("source", text_of(at_path(row, "source")) or source),
        ("author", text_of(at_path(row, "author"))),
        ("engine", text_of(at_path(row, "engine"))),
        ("thumbnail", text_of(at_path(row, "thumbnail"), 2_000)),
    )


def _image(row: Any) -> ServiceHit | None:
    size = _RESOLUTION.search(text_of(at_path(row, "resolution")))
    return record(
        at_path(row, "url"),
        at_path(row, "title"),
        at_path(row, "content"),
        ("image", text_of(at_path(row, "img_src"), 2_000)),
        ("thumbnail", text_of(at_path(row, "thumbnail_src"), 2_000) or text_of(at_path(row, "thumbnail"), 2_000)),
        ("width", size.group(1) if size else ""),
        ("height", size.group(2) if size else ""),
        ("format", text_of(at_path(row, "img_format"), 100)),
        ("source", text_of(at_path(row, "source"))),
        ("engine", text_of(at_path(row, "engine"))),
    )


def _paper(row: Any) -> ServiceHit | None:
    return paper(
        at_path(row, "title"),
        at_path(row, "content"),
        at_path(row, "url"),
        at_path(row, "doi"),
        *people(texts_of(at_path(row, "authors"), 100)),
        ("journal", text_of(at_path(row, "journal"))),
        ("publisher", text_of(at_path(row, "publisher"))),
        ("published", text_of(at_path(row, "publishedDate"))),
        ("pdf", text_of(at_path(row, "pdf_url"), 2_000)),
        ("engine", text_of(at_path(row, "engine"))),
    )


def _infobox(row: Any) -> ServiceHit | None:
    links = (at_path(link, "url") for link in items_of(at_path(row, "urls"), 5))
    place = next((url for url in (at_path(row, "id"), *links) if isinstance(url, str) and url.startswith("http")), "")
    return record(place, at_path(row, "infobox"), at_path(row, "content"), ("engine", text_of(at_path(row, "engine"))))
