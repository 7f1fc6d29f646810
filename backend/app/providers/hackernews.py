"""Hacker News: stories by words and threads by number through Algolia, single items through its own API."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
from ..parsing.services.search_options import read_options
from ..parsing.services.service_answers import (
    fault_of_status,
    number_of,
    plain_fragment,
    status_fault,
    text_of,
    total_of,
)
from ..parsing.services.service_records import UNREADABLE, UNSUPPORTED, json_of, parsed, record, records, url_of
from ..parsing.text.json_values import at_path, items_of

__all__ = ["OPTIONS", "parse", "request"]

_API: Final = "https://hn.algolia.com/api/v1"
_ITEMS: Final = "https://hacker-news.firebaseio.com/v0/item"
_ITEM: Final = "https://news.ycombinator.com/item?id="
_COMMON: Final = ("author", "exact_terms", "exclude_terms", "sort", "time_range")
OPTIONS: Final = {"news": _COMMON, "web": _COMMON}
_RANGES: Final = {"hour": 3_600, "day": 86_400, "week": 604_800, "month": 2_592_000, "year": 31_536_000}
_NUMBERED: Final = ("item", "thread")
_ID: Final = re.compile(r"[1-9][0-9]{0,11}")
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_MOST_COMMENTS: Final = 100
_DEEPEST: Final = 20


def request(asked: ServiceQuery, access: Access) -> HttpRequest | ProviderError:
    """The request for a search of stories, newest first for `news`, or for a thread or an item (a number in `ids`)."""
    options = read_options(asked, OPTIONS)
    if isinstance(options, ProviderError):
        return options
    if asked.kind in _NUMBERED:
        number = asked.ids[0] if len(asked.ids) == 1 else ""
        if not _ID.fullmatch(number):
            return ProviderError(fault=Fault.BAD_REQUEST)
        return HttpRequest(url=f"{_API}/items/{number}" if asked.kind == "thread" else f"{_ITEMS}/{number}.json")
    lost_clock = bool(options.time_range) and not asked.now_ms
    if asked.kind not in OPTIONS or options.sort == "citations" or lost_clock:
        return UNSUPPORTED
    if not asked.query or not _NAME.fullmatch(options.author or "x"):
        return ProviderError(fault=Fault.BAD_REQUEST)
    phrase = f' "{options.exact_terms}"' if options.exact_terms else ""
    words = {
        "query": asked.query + phrase + "".join(f" -{word}" for word in options.exclude_terms),
        "tags": f"story,author_{options.author}" if options.author else "story",
        "hitsPerPage": str(asked.limit),
    }
    if phrase or options.exclude_terms:
        words["advancedSyntax"] = "true"
    if options.time_range:
        words["numericFilters"] = f"created_at_i>{asked.now_ms // 1000 - _RANGES[options.time_range]}"
    path = "search_by_date" if asked.kind == "news" or options.sort == "date" else "search"
    return HttpRequest(url=f"{_API}/{path}?{urlencode(words)}")


def parse(kind: str, answer: HttpAnswer) -> ServiceAnswer:
    """The stories of a search, or the item and comments of a thread; an item that does not exist is `null`."""
    fault = status_fault(answer, Fault.BLOCKED)
    if fault is not None:
        return fault
    said = json_of(answer)
    if isinstance(said, ProviderError):
        return said
    status = number_of(at_path(said, "status"))
    if status >= 400 and "hits" not in said:
        return ProviderError(fault=fault_of_status(status) or Fault.PROVIDER_DOWN)
    if kind in _NUMBERED:
        return _thread(said)
    if isinstance(said, list):  # numbers of stories, as the lists of the other API
        return parsed(said, _number) if all(isinstance(one, str) for one in said) else UNSUPPORTED
    if not isinstance(said, dict) or "hits" not in said:
        return UNSUPPORTED
    after = number_of(said.get("page")) + 1
    more = str(after) if after < number_of(said.get("nbPages")) else None
    return parsed(said["hits"], _story, total_of(said.get("nbHits")), more)


def _thread(said: Any) -> ServiceAnswer:
    if said is None:
        return Parsed(hits=())
    if not isinstance(said, dict) or not _ID.fullmatch(text_of(said.get("id"))) or "created" in said:
        return UNSUPPORTED
    if said.get("deleted") is True or said.get("dead") is True:
        return Parsed(hits=())
    hits = records([said, *_below(said, 0)][: _MOST_COMMENTS + 1], _item)
    return Parsed(hits=hits) if hits else UNREADABLE


def _below(item: Any, depth: int) -> Iterator[Any]:
    """The comments of an item with their own comments, in reading order."""
    for child in items_of(at_path(item, "children"), _MOST_COMMENTS) if depth < _DEEPEST else ():
        if isinstance(child, dict):
            if not _is_gone(child):
                yield child
            yield from _below(child, depth + 1)


def _is_gone(comment: dict[str, Any]) -> bool:
    """True for a comment that was taken back: it stays in its place for those below it, without a word."""
    taken_back = comment.get("deleted") is True or comment.get("dead") is True
    return taken_back or (text_of(comment.get("type")) == "comment" and not text_of(comment.get("text")))


def _story(row: Any) -> ServiceHit | None:
    number = text_of(at_path(row, "objectID"))
    thread = f"{_ITEM}{number}" if _ID.fullmatch(number) else ""
    title = at_path(row, "title") or at_path(row, "story_title")
    text = at_path(row, "story_text") or at_path(row, "comment_text")
    points, comments = text_of(at_path(row, "points")), text_of(at_path(row, "num_comments"))
    said = plain_fragment(text) or _summary(points, comments, text_of(at_path(row, "author")))
    return record(
        url_of(at_path(row, "url")) or thread,
        title,
        said,
        ("id", number),
        ("author", text_of(at_path(row, "author"))),
        ("published", text_of(at_path(row, "created_at")) or text_of(at_path(row, "created_at_i"))),
        ("points", points),
        ("comments", comments),
        ("thread", thread),
    )


def _item(item: Any) -> ServiceHit | None:
    number = text_of(at_path(item, "id"))
    who = text_of(at_path(item, "by")) or text_of(at_path(item, "author"))
    points = text_of(at_path(item, "score")) or text_of(at_path(item, "points"))
    kind = text_of(at_path(item, "type"))
    title = text_of(at_path(item, "title")) or f"{(kind or 'item').capitalize()} by {who or 'somebody'} on Hacker News"
    said = plain_fragment(at_path(item, "text")) or _summary(points, text_of(at_path(item, "descendants")), who)
    return record(
        f"{_ITEM}{number}" if _ID.fullmatch(number) else "",
        title,
        said,
        ("id", number),
        ("type", kind),
        ("author", who),
        ("published", text_of(at_path(item, "created_at")) or text_of(at_path(item, "time"))),
        ("points", points),
        ("link", url_of(at_path(item, "url"))),
        ("parent", text_of(at_path(item, "parent")) or text_of(at_path(item, "parent_id"))),
    )


def _number(value: Any) -> ServiceHit | None:
    number = text_of(value)
    return record(
        f"{_ITEM}{number}" if _ID.fullmatch(number) else "", f"Item {number} of Hacker News", "", ("id", number)
    )


def _summary(points: str, comments: str, who: str) -> str:
    parts = (f"{points or '0'} points", f"{comments} comments" if comments else "", f"by {who}" if who else "")
    return f"Story on Hacker News: {', '.join(part for part in parts if part)}"
