"""Wikipedia: articles by words, and the summary or the introduction of one article by its title."""

from __future__ import annotations

import re
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
from ..parsing.refusal import ParseRefused
from ..parsing.services.service_answers import (
    facts,
    lines_of,
    load_records,
    plain_fragment,
    retry_after_s,
    status_fault,
    text_of,
    total_of,
    web_locator,
)
from ..parsing.text.json_values import at_path

__all__ = ["parse", "request"]

_SEARCH: Final = "encyclopedia_search"
_PAGE: Final = "encyclopedia_page"
_INTRO: Final = "encyclopedia_intro"
_HOST: Final = "en.wikipedia.org"
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z]{2,10}){0,2}")
_LONGEST_TITLE: Final = 255
# Errors of the action API come with status 200; these pass, all others speak of the request.
_PASSING: Final = {
    "maxlag": Fault.PROVIDER_DOWN,
    "ratelimited": Fault.RATE_LIMITED,
    "readonly": Fault.PROVIDER_DOWN,
}
_UNREADABLE: Final = ProviderError(fault=Fault.UNREADABLE)


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search (`query`) or for one article (the first of `ids`); option `language`, `en` if unset."""
    language = asked.option("language") or "en"
    if not asked.has_only("language") or not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
        return ProviderError(fault=Fault.UNSUPPORTED)
    base = f"https://{language}.wikipedia.org"
    if asked.kind == _SEARCH and asked.query:
        return HttpRequest(url=_action(base, list="search", srsearch=asked.query, srlimit=str(asked.limit)))
    title = asked.ids[0].strip() if len(asked.ids) == 1 else ""
    if not 0 < len(title.encode()) <= _LONGEST_TITLE or "|" in title:
        return ProviderError(fault=Fault.BAD_REQUEST)
    if asked.kind == _PAGE:
        return HttpRequest(url=f"{base}/api/rest_v1/page/summary/{_name(title)}")
    if asked.kind == _INTRO:
        # One page each: `exlimit` is 1 for whole texts.
        words = {"prop": "extracts", "exintro": "1", "explaintext": "1", "redirects": "1", "titles": title}
        return HttpRequest(url=_action(base, **words))
    return ProviderError(fault=Fault.UNSUPPORTED)


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The articles of an answer; an article that does not exist is an answer without hits."""
    if kind == _PAGE and answer.status == 404:
        return Parsed(hits=())
    fault = status_fault(answer)
    if fault is not None:
        return fault
    try:
        said = load_records(answer.body)
    except ParseRefused:
        return _UNREADABLE
    code = text_of(at_path(said, "error", "code"))
    if code:
        passing = Fault.PROVIDER_DOWN if code.startswith("internal_api_error") else Fault.BAD_REQUEST
        return ProviderError(fault=_PASSING.get(code, passing), retry_after_s=retry_after_s(answer))
    read = {_SEARCH: _found, _INTRO: _intros, _PAGE: _summary}.get(kind)
    return ProviderError(fault=Fault.UNSUPPORTED) if read is None else read(said, _base(answer))


def _found(said: Any, base: str) -> ServiceAnswer:
    rows = at_path(said, "query", "search")
    if not isinstance(rows, list):
        return _UNREADABLE
    hits = []
    for row in rows:
        title = text_of(at_path(row, "title"), _LONGEST_TITLE)
        if title:
            about = facts(
                ("page_id", text_of(at_path(row, "pageid"))),
                ("words", text_of(at_path(row, "wordcount"))),
                ("modified", text_of(at_path(row, "timestamp"))),
            )
            text = plain_fragment(at_path(row, "snippet")) or f"Article of Wikipedia with the title {title}"
            hits.append(ServiceHit(locator=f"{base}/wiki/{_name(title)}", title=title, text=text, metadata=about))
    total = total_of(at_path(said, "query", "searchinfo", "totalhits"))
    return Parsed(hits=tuple(hits), total=total, next_page=text_of(at_path(said, "continue", "sroffset")) or None)


def _intros(said: Any, base: str) -> ServiceAnswer:
    pages = at_path(said, "query", "pages")
    if not isinstance(pages, dict):
        return _UNREADABLE
    hits = []
    for page in pages.values():
        title = text_of(at_path(page, "title"), _LONGEST_TITLE)
        if title and isinstance(page, dict) and not {"missing", "invalid"} & page.keys():
            about = facts(("page_id", text_of(page.get("pageid"))))
            text = lines_of(page.get("extract"))
            hits.append(ServiceHit(locator=f"{base}/wiki/{_name(title)}", title=title, text=text, metadata=about))
    return Parsed(hits=tuple(hits))


def _summary(said: Any, base: str) -> ServiceAnswer:
    title = text_of(at_path(said, "title"), _LONGEST_TITLE)
    if not title:
        return _UNREADABLE
    about = facts(
        ("page_id", text_of(at_path(said, "pageid"))),
        ("page_type", text_of(at_path(said, "type"))),
        ("description", text_of(at_path(said, "description"))),
        ("wikidata_id", text_of(at_path(said, "wikibase_item"))),
        ("language", text_of(at_path(said, "lang"))),
        ("revision", text_of(at_path(said, "revision"))),
        ("modified", text_of(at_path(said, "timestamp"))),
    )
    page = text_of(at_path(said, "content_urls", "desktop", "page"))
    here = page if page.startswith(f"{base}/wiki/") and web_locator(page) else f"{base}/wiki/{_name(title)}"
    text = lines_of(at_path(said, "extract"))
    return Parsed(hits=(ServiceHit(locator=here, title=title, text=text, metadata=about),))


def _action(base: str, **words: str) -> str:
    return f"{base}/w/api.php?{urlencode({'action': 'query', 'format': 'json', **words})}"


def _name(title: str) -> str:
    return quote(title.replace(" ", "_"), safe="")


def _base(answer: HttpAnswer) -> str:
    """The edition that answered; the English one for an answer of which nobody knows whence it came."""
    host = urlsplit(answer.url).hostname or _HOST
    return f"https://{host if host.endswith('.wikipedia.org') else _HOST}"
