"""Hacker News through its public API: which of its pages are known, what to ask for them, and the answers as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from html import unescape
from typing import Any, Final

from ...kernel.models import FrozenModel, Text
from ..html.links import absolute_url
from ..html.snippet import escaped, snippet_markdown
from ..refusal import ParseRefused, Refusal
from ..text.dates import iso_date_of_ms
from ..text.document_parts import HiddenParts
from ..text.json_values import count_of, items_of, line_of, load_json
from ..url.urls import JudgedUrl, judge_url

__all__ = ["MOST_REQUESTS", "HnKind", "HnPage", "HnText", "first_requests", "next_requests", "render", "route"]

MOST_REQUESTS: Final = 21
"""Of one page, both rounds together."""

_HOST: Final = "news.ycombinator.com"
_SITE: Final = f"https://{_HOST}/"
_API: Final = "https://hacker-news.firebaseio.com/v0/"
_LISTS: Final = {
    "": ("topstories", "Top stories"),
    "news": ("topstories", "Top stories"),
    "newest": ("newstories", "New stories"),
    "best": ("beststories", "Best stories"),
    "ask": ("askstories", "Ask HN"),
    "show": ("showstories", "Show HN"),
    "jobs": ("jobstories", "Jobs"),
}
_TITLES: Final = dict(_LISTS.values())
_ITEM_ID: Final = re.compile(r"[1-9][0-9]{0,11}")
_USER_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_MOST_STORIES: Final = 20
_MOST_COMMENTS: Final = 10
_MOST_OPTIONS: Final = 10
_MOST_ID: Final = 10**12
_LONGEST_LINE: Final = 500
_LONGEST_URL: Final = 8_192
_LONGEST_TEXT: Final = 200_000


class HnKind(StrEnum):
    """The pages of the site that the API knows."""

    ITEM = "item"
    LIST = "list"
    USER = "user"


class HnPage(FrozenModel):
    """A page of the site: a story, poll or comment, somebody's profile, or a list of stories."""

    kind: HnKind
    key: Text
    """The number of an item, the name of a user, or what the API calls the list."""


class HnText(FrozenModel):
    """A page as text; `hidden` is for the screen."""

    title: Text
    author: Text
    date: Text
    """`YYYY-MM-DD`, or nothing."""
    text: Text
    """Markdown."""
    plain: Text
    """The same without marks, for the screen: a mark inside a word parts it for a machine and for nobody else."""
    hidden: tuple[Text, ...]
    truncated: bool
    """Whether the page has more comments or stories than were asked for, or some did not answer."""
    carriers_removed: int


def route(url: str) -> HnPage | None:
    """What a URL shows, if it is a page that the API knows; a second page of a list is none."""
    judged = judge_url(url)
    if not isinstance(judged, JudgedUrl) or judged.host != _HOST or judged.authority != _HOST:
        return None
    path, _, query = judged.target.partition("?")
    values = [value for name, _, value in (part.partition("=") for part in query.split("&")) if name == "id"]
    parts = path.strip("/").split("/")
    if len(parts) == 1 and parts[0] in _LISTS:
        return None if re.search(r"(?:^|&)(?:p|next|n)=", query) else _page(HnKind.LIST, _LISTS[parts[0]][0])
    named = parts[1] if len(parts) == 2 else values[0] if len(parts) == 1 and len(values) == 1 else ""
    if parts[0] == "item" and _ITEM_ID.fullmatch(named):
        return _page(HnKind.ITEM, named)
    return _page(HnKind.USER, named) if parts[0] == "user" and _USER_ID.fullmatch(named) else None


def first_requests(page: HnPage) -> tuple[str, ...]:
    """What to fetch first."""
    return (f"{_API}{page.key}.json" if page.kind is HnKind.LIST else f"{_API}{page.kind}/{page.key}.json",)


def next_requests(page: HnPage, answers: Sequence[bytes | None]) -> tuple[str, ...]:
    """What to fetch when the first has answered: the first comments and options of an item, the stories of a list."""
    try:
        ids, _ = _below(page, _first(page, answers))
    except ParseRefused:
        return ()
    return tuple(f"{_API}item/{one}.json" for one in ids)


def render(page: HnPage, answers: Sequence[bytes | None]) -> HnText | Refusal:
    """The page, from the answers to both rounds in the order of their requests; None for one that did not come.

    Items that are missing, deleted, dead or malformed are left out. Without the first answer there is no page.
    """
    writing = _Writing()
    try:
        first = _first(page, answers)
        ids, more = _below(page, first)
        writing.truncated = more
        items = [_item_or_none(data, one) for one, data in zip(ids, answers[1:], strict=False)]
        # No answer, or one that is no item, is a gap; an item that was taken back is none.
        writing.truncated |= len(items) < len(ids) or None in items
        found = [item for item in items if item is not None and _is_shown(item)]
        if page.kind is HnKind.LIST and ids and not any(item is not None for item in items):
            return Refusal.UNREADABLE  # nobody answered: that says nothing about what there is (R3)
        match page.kind:
            case HnKind.ITEM:
                writing.item(first, found)
            case HnKind.USER:
                writing.user(first, page.key)
            case HnKind.LIST:
                writing.stories(_TITLES[page.key], found)
        return writing.finished()
    except ParseRefused as exc:
        return exc.refusal


class _Writing:
    """The text under construction."""

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._plain: list[str] = []
        self._hidden = HiddenParts()
        self._carriers = 0
        self._title = self._author = self._date = ""
        self.truncated = False

    def item(self, item: dict[str, Any], below: list[dict[str, Any]]) -> None:
        self._author, self._date = _line(item, "by"), _date(item, "time")
        kind = "Comment" if item.get("type") == "comment" else "Item"
        self._title = _title(item) or f"{kind} by {self._author or 'somebody'} on Hacker News"
        self._blocks.append(f"# {escaped(self._title)}")
        self._add(_link(item))
        self._add(_facts(item))
        self._html(item.get("text"))
        options = [one for one in below if one.get("type") == "pollopt"]
        comments = [one for one in below if one.get("type") != "pollopt"]
        before = self._open("## Options")
        for one in options:
            self._html(one.get("text"))
            self._add(_facts(one))
        self._close(before)
        before = self._open("## Comments")
        for one in comments:
            self._comment(one)
        self._close(before)

    def user(self, user: dict[str, Any], name: str) -> None:
        self._title, self._author = f"{name} on Hacker News", name
        self._blocks.append(f"# {escaped(name)}")
        # The day of an account is not the day of what its page says: it is told and not cited.
        karma, created, submitted = count_of(user.get("karma")), _date(user, "created"), user.get("submitted")
        facts = [f"karma {karma}" if karma is not None else "", f"created {created}" if created else ""]
        if isinstance(submitted, list):
            facts.append(f"{len(submitted)} submissions")
        self._add(", ".join(filter(None, facts)))
        self._html(user.get("about"))

    def stories(self, title: str, stories: list[dict[str, Any]]) -> None:
        self._title = f"{title} on Hacker News"
        self._blocks.append(f"# {self._title}")
        lines: list[str] = []
        for story in stories:
            title_of_story = _title(story)
            name = escaped(title_of_story)
            url = absolute_url(_SITE, _line(story, "url", _LONGEST_URL)) or f"{_SITE}item?id={story['id']}"
            if name:
                self._plain.append(title_of_story)
                lines.append(f"{len(lines) + 1}. [{name}]({url}): {_facts(story)}".removesuffix(": "))
        if not lines:
            raise ParseRefused(Refusal.EMPTY)
        self._blocks.append("\n".join(lines))

    def finished(self) -> HnText:
        if self._hidden.too_much:
            raise ParseRefused(Refusal.TOO_MUCH_HIDDEN)
        if len(self._blocks) < 2:
            raise ParseRefused(Refusal.EMPTY)
        return HnText(
            title=self._title,
            author=self._author,
            date=self._date,
            text="\n\n".join(self._blocks),
            plain="\n\n".join(self._plain),
            hidden=tuple(part for one in self._hidden.frozen() if (part := line_of(one, len(one)))),
            truncated=self.truncated,
            carriers_removed=self._carriers,
        )

    def _comment(self, item: dict[str, Any]) -> None:
        who, when = _line(item, "by"), _date(item, "time")
        before = self._open(f"### {escaped(', '.join(filter(None, (who, when)))) or 'somebody'}")
        self._html(item.get("text"))
        self._close(before)

    def _open(self, heading: str) -> int:
        self._blocks.append(heading)
        return len(self._blocks)

    def _close(self, before: int) -> None:
        """A heading with nothing under it goes."""
        if len(self._blocks) == before:
            self._blocks.pop()

    def _html(self, value: Any) -> None:
        if not isinstance(value, str):
            return
        self.truncated |= len(value) > _LONGEST_TEXT
        try:
            snippet = snippet_markdown(value[:_LONGEST_TEXT], self._hidden, _SITE)
        except ParseRefused:
            self.truncated = True
            return
        self._carriers += snippet.carriers_removed
        self._plain += [snippet.plain] if snippet.plain else []
        self._add(snippet.markdown)

    def _add(self, block: str) -> None:
        if block:
            self._blocks.append(block)


def _page(kind: HnKind, key: str) -> HnPage:
    return HnPage(kind=kind, key=key)


def _first(page: HnPage, answers: Sequence[bytes | None]) -> Any:
    """The first answer, if it is what was asked for.

    Raises:
        ParseRefused: it is not there (`empty`), or something else.
    """
    if not answers or answers[0] is None:
        raise ParseRefused(Refusal.UNREADABLE)
    value = load_json(answers[0])
    if value is None:
        raise ParseRefused(Refusal.EMPTY)
    if page.kind is HnKind.LIST:
        if not isinstance(value, list):
            raise ParseRefused(Refusal.UNREADABLE)
        return value
    if not isinstance(value, dict):
        raise ParseRefused(Refusal.UNREADABLE)
    if page.kind is HnKind.ITEM:
        if not _is_id(value.get("id")) or value["id"] != int(page.key):
            raise ParseRefused(Refusal.UNREADABLE)
        if not _is_shown(value):
            raise ParseRefused(Refusal.EMPTY)
    elif value.get("id") != page.key:
        raise ParseRefused(Refusal.UNREADABLE)
    return value


def _below(page: HnPage, first: Any) -> tuple[tuple[int, ...], bool]:
    """The items to ask for next, and whether there are more of them than that."""
    match page.kind:
        case HnKind.USER:
            return (), False
        case HnKind.LIST:
            return _ids(first, _MOST_STORIES)
        case HnKind.ITEM:
            options, more_options = _ids(first.get("parts"), _MOST_OPTIONS)
            comments, more_comments = _ids(first.get("kids"), _MOST_COMMENTS)
            return tuple(dict.fromkeys(options + comments)), more_options or more_comments


def _ids(value: Any, most: int) -> tuple[tuple[int, ...], bool]:
    found = dict.fromkeys(one for one in items_of(value, 10_000) if _is_id(one))
    return tuple(found)[:most], len(found) > most


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < _MOST_ID


def _item_or_none(data: bytes | None, number: int) -> dict[str, Any] | None:
    """The item that was asked for: an empty one where it is gone, None where something else answered."""
    if data is None:
        return None
    try:
        value = load_json(data)
    except ParseRefused:
        return None
    if value is None:
        return {}
    return value if isinstance(value, dict) and _is_id(value.get("id")) and value["id"] == number else None


def _is_shown(item: dict[str, Any]) -> bool:
    return bool(item) and not item.get("deleted") and not item.get("dead")


def _title(item: dict[str, Any]) -> str:
    # References may spell what is cleaned away.
    title = item.get("title")
    return line_of(unescape(title[:_LONGEST_LINE]), _LONGEST_LINE) if isinstance(title, str) else ""


def _line(item: dict[str, Any], name: str, longest: int = _LONGEST_LINE) -> str:
    return line_of(item.get(name), longest)


def _date(item: dict[str, Any], name: str) -> str:
    seconds = item.get(name)
    return iso_date_of_ms(seconds * 1000) if isinstance(seconds, int) and not isinstance(seconds, bool) else ""


def _link(item: dict[str, Any]) -> str:
    url = absolute_url("", _line(item, "url", _LONGEST_URL))
    return f"<{url}>" if url else ""


def _facts(item: dict[str, Any]) -> str:
    """`111 points by somebody, 2007-04-04, 71 comments`: what is known of it."""
    points, comments = count_of(item.get("score")), count_of(item.get("descendants"))
    who = escaped(_line(item, "by"))
    first = " ".join(filter(None, (f"{points} points" if points is not None else "", f"by {who}" if who else "")))
    last = f"{comments} comments" if comments is not None else ""
    return ", ".join(filter(None, (first, _date(item, "time"), last)))
