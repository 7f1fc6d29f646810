"""A reply: what every dialect of the door says in its own words; made once, from a result or a fixed text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from ..capabilities.answers.research_models import EvidencePointer, ResearchResult, ResultCitation
from ..kernel.stops import Action

__all__ = [
    "CHARS_PER_TOKEN",
    "ChatMode",
    "Reply",
    "ReplySource",
    "action_shown",
    "in_markdown",
    "is_link",
    "marker_spans",
    "sources_block",
    "sources_of",
    "text_pieces",
    "with_links",
]

ChatMode = Literal["research", "baseline"]
CHARS_PER_TOKEN: Final = 4
_MARKER: Final = re.compile(r"\[(\d{1,3})\]")
_PIECE: Final = re.compile(r".+?(?:[.!?][\])\"']*(?:\s*\[\d{1,3}\])*\s+|\n+|$)", re.DOTALL)
_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()#<>|!~])")
_ACTIVE: Final = re.compile(r"\\*(<|\[(?!\d{1,3}\](?![(:])))")
"""What begins an image, a link or a tag, with the backslashes before it. A bare marker, `[1]`, begins nothing."""


@dataclass(frozen=True, slots=True)
class ReplySource:
    """One cited source, by the number that the text names it by."""

    number: int
    title: str
    """Different from that of every other source: some clients count sources by their titles."""
    url: str
    """Where it is shown: its locator, or behind `with_links` always an http address."""
    excerpt: str
    evidence: EvidencePointer | None
    locator: str
    """An http address, or the name of a document."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said to a person: a text and, where it is grounded, its sources."""

    request_id: str
    mode: ChatMode
    action: Action
    text: str
    sources: tuple[ReplySource, ...]
    created_s: int
    session_id: str = ""
    """The session behind it; empty where none was opened."""
    asked_chars: int = 0


def action_shown(action: Action | None, result: ResearchResult | None) -> Action | None:
    """The action that a person sees: sources came and no sentence of them says it, so nothing is grounded."""
    uncited = result is not None and not result.citations
    return Action.UNKNOWN if action is Action.GROUNDED and uncited else action


def sources_of(result: ResearchResult) -> tuple[ReplySource, ...]:
    """The citations of a result as numbered sources with titles of their own."""
    taken: set[str] = set()
    found = []
    for number, citation in enumerate(result.citations, start=1):
        title = _own_title(citation, taken)
        taken.add(title)
        place = citation.locator
        found.append(ReplySource(number, title, place, citation.raw_excerpt, citation.evidence, place))
    return tuple(found)


def with_links(reply: Reply, base: str) -> Reply:
    """The reply as clients that render Markdown need it: its text `in_markdown`, and for every source an http address,
    since they drop other ones, or show links that lead nowhere. A document is shown by this server at `base`."""
    where = f"{base}/v1/research/{reply.request_id}/sources"
    shown = tuple(
        ReplySource(
            one.number,
            one.title,
            one.url if is_link(one.url) else f"{where}/{one.number}",
            one.excerpt,
            one.evidence,
            one.locator,
        )
        for one in reply.sources
    )
    return Reply(
        request_id=reply.request_id,
        mode=reply.mode,
        action=reply.action,
        text=in_markdown(reply.text),
        sources=shown,
        created_s=reply.created_s,
        session_id=reply.session_id,
        asked_chars=reply.asked_chars,
    )


def in_markdown(text: str) -> str:
    """A text for clients that render Markdown: images, links and tags that stand in a source are shown as they are
    written. A client would load an image of a stranger by itself."""
    return _ACTIVE.sub(lambda found: "\\" * (2 * (len(found[0]) - len(found[1])) + 1) + found[1], text)


def marker_spans(text: str, sources: tuple[ReplySource, ...]) -> tuple[tuple[ReplySource, int, int], ...]:
    """Where each source is named first: the span of `[n]` in code points, its end exclusive; in number order."""
    first: dict[int, tuple[int, int]] = {}
    for found in _MARKER.finditer(text):
        first.setdefault(int(found[1]), found.span())
    return tuple((source, *first.get(source.number, (len(text), len(text)))) for source in sources)


def sources_block(sources: tuple[ReplySource, ...]) -> str:
    """The sources as a Markdown list, for clients that show nothing else; only http addresses become links."""
    if not sources:
        return ""
    rows = [f"{source.number}. {_listed(source)}" for source in sources]
    return "\n\n**Sources**\n" + "\n".join(rows)


def text_pieces(text: str) -> Iterator[str]:
    """A text in the pieces in which it is sent, about a sentence each; together they are the text."""
    return (found[0] for found in _PIECE.finditer(text) if found[0])


def is_link(url: str) -> bool:
    """True if a door may make a link of it (R24)."""
    return url.startswith(("https://", "http://"))


def _own_title(citation: ResultCitation, taken: set[str]) -> str:
    place = urlsplit(citation.locator).hostname or "" if is_link(citation.locator) else ""
    name = " ".join((citation.title or "").split()) or citation.locator
    title = f"{name} ({place})" if place else name
    number, wanted = 1, title
    while title in taken:
        number += 1
        title = f"{wanted} ({number})"
    return title


def _listed(source: ReplySource) -> str:
    title = _MARKDOWN.sub(r"\\\1", source.title)
    if not is_link(source.url):
        return title
    address = source.url.replace("(", "%28").replace(")", "%29").replace(" ", "%20").replace("<", "%3C")
    return f"[{title}]({address})"
