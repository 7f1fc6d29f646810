"""Wikipedia: articles by words, and the summary or the introduction of one article by its title."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

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
from ..parsing.services.service_answers import (
    fault_of_status,
    lines_of,
    number_of,
    plain_fragment,
    retry_after_s,
    status_fault,
    text_of,
    total_of,
    web_locator,
)
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, parsed, record
from ..parsing.text.json_values import at_path, items_of

__all__ = ["OPTIONS", "parse", "request"]

_SEARCH: Final = "web"
_SUMMARY: Final = "summary"
_PAGE: Final = "page"
OPTIONS: Final = {
    _PAGE: ("language",),
    _SEARCH: ("exact_terms", "exclude_terms", "language", "sort"),
    _SUMMARY: ("language",),
}
_HOST: Final = "en.wikipedia.org"
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10}){0,2}")
_LONGEST_TITLE: Final = 255
# Errors of the action API come with status 200; these pass, all others speak of the request.
_CODES: Final = {
    "blocked": Fault.BLOCKED,
    "autoblocked": Fault.BLOCKED,
    "maxlag": Fault.PROVIDER_DOWN,
    "missingtitle": Fault.NOT_FOUND,
    "nosuchpageid": Fault.NOT_FOUND,
    "ratelimited": Fault.RATE_LIMITED,
    "readapidenied": Fault.AUTH,
    "readonly": Fault.PROVIDER_DOWN,
    "search-backend-error": Fault.PROVIDER_DOWN,
}


# Failures of the search behind it, and of itself.
_BROKEN: Final = re.compile(r"internal_api_error|cirrussearch-(?:[a-z-]*(?:busy|backend|unknown)|timeout)")
# The REST API names its errors with a URL.
_PROBLEM: Final = re.compile(r"/errors/([a-z_]+)(?:#.*)?\Z")
_PROBLEMS: Final = {
    "internal_error": Fault.PROVIDER_DOWN,
    "not_found": Fault.NOT_FOUND,
    "rate_exceeded": Fault.RATE_LIMITED,
    "request_rate_exceeded": Fault.RATE_LIMITED,
    "server_error": Fault.PROVIDER_DOWN,
    "unknown_error": Fault.PROVIDER_DOWN,
}


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search (`query`) or for one article (the first of `ids`); option `language`, `en` if unset."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    language = options.language or "en"
    if not _LANGUAGE.fullmatch(language) or options.sort == "citations" or asked.kind not in OPTIONS:
        return UNSUPPORTED
    base = f"https://{language}.wikipedia.org"
    if asked.kind == _SEARCH and asked.query:
        order = {"srsort": "last_edit_desc"} if options.sort == "date" else {}
        words = with_operators(asked.query, options)
        return HttpRequest(url=_action(base, list="search", srsearch=words, srlimit=str(asked.limit), **order))
    title = asked.ids[0].strip() if len(asked.ids) == 1 else ""
    if not 0 < len(title.encode()) <= _LONGEST_TITLE or "|" in title or asked.kind == _SEARCH:
        return ProviderError(fault=Fault.BAD_REQUEST)
    if asked.kind == _SUMMARY:
        return HttpRequest(url=f"{base}/api/rest_v1/page/summary/{_name(title)}")
    # One page each: `exlimit` is 1 for whole texts.
    words_of_page = {"prop": "extracts", "exintro": "1", "explaintext": "1", "redirects": "1", "titles": title}
    return HttpRequest(url=_action(base, **words_of_page))


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The articles of an answer."""
    said = json_of(answer)
    # With another format of errors there is a list of them.
    listed = next(iter(items_of(at_path(said, "errors"), 1)), None)
    named = text_of(at_path(said, "error", "code")) or text_of(at_path(listed, "code"))
    code = named or text_of(at_path(said, "errorKey"))
    fault = status_fault(answer, Fault.BLOCKED)
    if code in _CODES or _BROKEN.match(code):
        return ProviderError(fault=_CODES.get(code, Fault.PROVIDER_DOWN), retry_after_s=retry_after_s(answer))
    if fault is not None:  # what nobody knows by its name says less than its status
        return fault
    problem = _PROBLEM.search(text_of(at_path(said, "type")))
    if code or problem is not None:
        told = fault_of_status(number_of(at_path(said, "httpCode")) or number_of(at_path(said, "status")) or 200)
        plain = _PROBLEMS.get(problem.group(1), Fault.BAD_REQUEST) if problem is not None else Fault.BAD_REQUEST
        return ProviderError(fault=told or plain, retry_after_s=retry_after_s(answer))
    if isinstance(said, ProviderError):
        return said
    read = {_SEARCH: _found, _PAGE: _pages, _SUMMARY: _summary}.get(kind)
    return UNSUPPORTED if read is None else read(said, _base(answer, said))


def _found(said: Any, base: str) -> ServiceAnswer:
    if isinstance(said, list):
        return _suggested(said)
    if isinstance(at_path(said, "pages"), list):  # the REST search
        return parsed(said["pages"], lambda row: _row(row, base))
    rows = at_path(said, "query", "search")
    if rows is None:
        return UNSUPPORTED if isinstance(said, dict) else UNREADABLE
    if not isinstance(rows, list):
        return UNREADABLE
    total = total_of(at_path(said, "query", "searchinfo", "totalhits"))
    after = text_of(at_path(said, "continue", "sroffset")) or None
    return parsed(rows, lambda row: _row(row, base), total, after)


def _row(row: Any, base: str) -> ServiceHit | None:
    title = text_of(at_path(row, "title"), _LONGEST_TITLE)
    snippet = plain_fragment(at_path(row, "snippet")) or plain_fragment(at_path(row, "excerpt"))
    return record(
        f"{base}/wiki/{_name(title)}" if title else "",
        title,
        snippet or f"Article of Wikipedia with the title {title}",
        ("id", text_of(at_path(row, "pageid")) or text_of(at_path(row, "id"))),
        ("words", text_of(at_path(row, "wordcount"))),
        ("modified", text_of(at_path(row, "timestamp"))),
        ("description", text_of(at_path(row, "description"))),
    )


def _suggested(said: list[Any]) -> ServiceAnswer:
    """`[words, titles, texts, urls]`, as the search for suggestions answers."""
    if len(said) != 4 or not all(isinstance(part, list) for part in said[1:]):
        return UNSUPPORTED
    rows = list(zip_longest(said[1], said[3]))
    return parsed(rows, lambda row: record(row[1], row[0], f"Article of Wikipedia with the title {text_of(row[0])}"))


def _pages(said: Any, base: str) -> ServiceAnswer:
    pages = at_path(said, "query", "pages")
    rows = list(pages.values()) if isinstance(pages, dict) else pages
    if rows is None:
        return UNSUPPORTED if isinstance(said, dict) else UNREADABLE
    if not isinstance(rows, list):
        return UNREADABLE
    found = [row for row in rows if isinstance(row, dict) and not {"missing", "invalid"} & row.keys()]
    return parsed(found, lambda row: _page(row, base))


def _page(row: Any, base: str) -> ServiceHit | None:
    title = text_of(at_path(row, "title"), _LONGEST_TITLE)
    text = lines_of(at_path(row, "extract"))
    return record(f"{base}/wiki/{_name(title)}" if title else "", title, text, ("id", text_of(at_path(row, "pageid"))))


def _summary(said: Any, base: str) -> ServiceAnswer:
    title = text_of(at_path(said, "title"), _LONGEST_TITLE)
    if not title:
        return UNSUPPORTED if isinstance(said, dict) and "query" in said else UNREADABLE
    page = text_of(at_path(said, "content_urls", "desktop", "page"), 2_000)
    hit = record(
        page if page.startswith(f"{base}/wiki/") and web_locator(page) else f"{base}/wiki/{_name(title)}",
        title,
        lines_of(at_path(said, "extract")),
        ("id", text_of(at_path(said, "pageid"))),
        ("page_type", text_of(at_path(said, "type"))),
        ("description", text_of(at_path(said, "description"))),
        ("wikidata", text_of(at_path(said, "wikibase_item"))),
        ("language", text_of(at_path(said, "lang"))),
        ("revision", text_of(at_path(said, "revision"))),
        ("modified", text_of(at_path(said, "timestamp"))),
        ("thumbnail", text_of(at_path(said, "thumbnail", "source"), 2_000)),
        ("image", text_of(at_path(said, "originalimage", "source"), 2_000)),
    )
    return UNREADABLE if hit is None else Parsed(hits=(hit,))


def _action(base: str, **words: str) -> str:
    return f"{base}/w/api.php?{urlencode({'action': 'query', 'format': 'json', **words})}"


def _name(title: str) -> str:
    return quote(title.replace(" ", "_"), safe="")


def _base(answer: HttpAnswer, said: Any) -> str:
    """The edition that answered, or that a summary without a known place names; else the English one."""
    named = text_of(at_path(said, "content_urls", "desktop", "page"), 2_000)
    host = urlsplit(answer.url or (named if web_locator(named) else "")).hostname or _HOST
    return f"https://{host if host.endswith('.wikipedia.org') else _HOST}"
