"""Reads RSS and Atom: each entry under its title, with its date, its link and the text of its summary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ..refusal import ParseRefused, Refusal
from ..text.document_parts import DocumentParts
from ..text.outline import Outline
from ..text.xml_events import read_xml
from .plain import read_html

__all__ = ["read_feed"]

_ROOTS: Final = ("rss", "feed", "RDF")
_ENTRIES: Final = ("item", "entry")
_SUMMARIES: Final = ("description", "summary", "content", "encoded")
_DATES: Final = ("pubDate", "published", "updated", "date")
_MOST_ENTRIES: Final = 2_000


def read_feed(data: bytes) -> DocumentParts:
    """The feed.

    Raises:
        ParseRefused: it is no feed, not well-formed, or a bomb.
    """
    feed = _Feed()
    read_xml(data, feed)
    if not feed.is_feed:
        raise ParseRefused(Refusal.UNSUPPORTED)
    outline = Outline()
    outline.block(feed.head.said("title"), 1)
    for summary in feed.head.all(_SUMMARIES[:2]):
        _prose(outline, summary)
    for entry in feed.entries[:_MOST_ENTRIES]:
        outline.block(entry.said("title") or entry.said("link"), 2)
        outline.block("\n".join(filter(None, (_first(entry, _DATES), entry.said("link")))))
        for summary in entry.all(_SUMMARIES):
            _prose(outline, summary)
    outline.truncated = outline.truncated or len(feed.entries) > _MOST_ENTRIES
    return outline.sketch(feed.head.said("title"))


@dataclass(slots=True)
class _FeedEntry:
    parts: list[tuple[str, str]] = field(default_factory=list)

    def said(self, name: str) -> str:
        return next((" ".join(text.split()) for key, text in self.parts if key == name and text.strip()), "")

    def all(self, names: tuple[str, ...]) -> list[str]:
        """Each text once: feeds like to say the same twice."""
        return list(dict.fromkeys(text for key, text in self.parts if key in names and text.strip()))


class _Feed:
    """Takes the elements right below the feed and right below each entry; markup inside one of them is its text."""

    def __init__(self) -> None:
        self.is_feed = False
        self.head = _FeedEntry()
        self.entries: list[_FeedEntry] = []
        self._path: list[str] = []
        self._at: _FeedEntry | None = None
        self._text: list[str] | None = None
        self._depth = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(" ")[2]
        if not self._path:
            self.is_feed = local in _ROOTS
        self._path.append(local)
        if self._text is not None:
            self._text.append(" ")
        elif local in _ENTRIES:
            self._at = _FeedEntry()
            self.entries.append(self._at)
        elif local not in ("channel", *_ROOTS):
            self._text, self._depth = [], len(self._path)
            if local == "link" and attributes.get("rel", "alternate") == "alternate" and attributes.get("href"):
                self._text.append(attributes["href"])

    def end(self, name: str) -> None:
        if self._text is not None and len(self._path) == self._depth:
            (self._at or self.head).parts.append((self._path[-1], "".join(self._text)))
            self._text = None
        if self._path.pop() in _ENTRIES:
            self._at = None

    def text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)


def _first(entry: _FeedEntry, names: tuple[str, ...]) -> str:
    return next(filter(None, (entry.said(name) for name in names)), "")


def _prose(outline: Outline, text: str) -> None:
    """A summary is HTML more often than not."""
    page = read_html(text) if "<" in text else None
    if page is None:
        outline.block(text)
        return
    outline.block(page.text)
    for part in page.hidden:
        outline.hidden.add(part)
