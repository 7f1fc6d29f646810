"""Reads HTML: text in reading order with paragraph breaks, apart from what a browser would not show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from ..refusal import ParseRefused, Refusal
from ..text.document_parts import DocumentParts, HiddenParts
from ..text.passages import Heading
from .hidden_rules import MARKUP, collect_told, is_unseen
from .weight import too_heavy

__all__ = ["read_html"]

_BLOCK_LIST: Final = (
    "address article aside blockquote body canvas caption dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main menu nav ol p pre section "
    "summary table tbody tfoot thead tr ul "
)
_BLOCKS: Final = frozenset(_BLOCK_LIST.split())
_CELLS: Final = frozenset(("td", "th"))
_DROPPED: Final = frozenset(
    ("head", "script", "style", "template", "svg", "math", "iframe", "object", "embed", "datalist")
)
_SILENT: Final = frozenset(("head", "script", "style"))
_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}
_SPACES: Final = re.compile(r"[^\S\xa0]+|\xa0")
_LONGEST_HEADING: Final = 1_000


class _Page:
    """The text under construction: white space is folded, and blocks are kept apart by blank lines."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.length = 0
        self._gap = ""

    def break_to(self, gap: str) -> None:
        """Asks for a break before the next text; the strongest wish wins."""
        if self.length and len(gap) > len(self._gap) - (self._gap == " "):
            self._gap = gap

    def write(self, text: str, *, folded: bool) -> None:
        """Appends text behind the break that was asked for."""
        if folded:
            text = _SPACES.sub(" ", text)
            if text.startswith(" ") and not self._gap:
                self._gap = " " if self.length else ""
            trailing = text.endswith(" ")
            text = text.strip(" ")
        else:
            trailing = False
            text = text.strip("\n") if self._gap or not self.length else text
        if not text:
            return
        self._append(self._gap + text)
        self._gap = " " if trailing else ""

    def mark(self) -> int:
        """Where the next text will start."""
        return self.length + len(self._gap)

    def text(self) -> str:
        """The whole text."""
        return "".join(self._parts)

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self.length += len(text)


def read_html(source: str) -> DocumentParts | None:
    """Text, headings and hidden parts of an HTML source; None where its tree would be out of all proportion.

    Raises:
        ParseRefused: the parser gave up (`unreadable`).
    """
    if too_heavy(source):
        return None
    try:
        return _sketched(LexborHTMLParser(source))
    except SelectolaxError as exc:
        raise ParseRefused(Refusal.UNREADABLE) from exc


def _sketched(tree: LexborHTMLParser) -> DocumentParts:
    page = _Page()
    hidden = HiddenParts()
    open_headings: list[tuple[int, int]] = []
    spans: list[tuple[int, int, int]] = []
    preformatted = 0
    named = tree.css_first("head > title")
    for node, entering in _walk(tree.root, hidden):
        tag = node.tag or ""
        if tag == "-text":
            page.write(node.text_content or "", folded=not preformatted)
            continue
        if tag == "br" and entering:
            page.break_to("\n")
        elif tag in _CELLS:
            page.break_to(" ")
        elif tag in _BLOCKS:
            page.break_to("\n\n")
        if tag == "pre":
            preformatted += 1 if entering else -1
        if tag in _LEVELS:
            if entering:
                open_headings.append((_LEVELS[tag], page.mark()))
            elif open_headings:
                level, start = open_headings.pop()
                spans.append((level, start, page.length))
    text = page.text()
    headings = tuple(
        Heading(level, title, start, end)
        for level, start, end in sorted(spans, key=lambda span: span[1:])
        # Cut before it is copied: headings may stand inside one another.
        if (title := " ".join(text[start : min(end, start + _LONGEST_HEADING)].split()))
    )
    collect_told(tree, hidden)
    title = " ".join((named.text() if named is not None else "").split())
    if not title and headings:
        title = min(headings, key=lambda heading: (heading.level, heading.start)).title
    return DocumentParts(title, text, headings, hidden.frozen(), hidden.too_much)


def _drop(node: LexborNode, hidden: HiddenParts) -> None:
    """A dropped element's words are hidden text; programs and styles have none."""
    if node.tag == "template":
        # Its content is a document of its own, which the tree does not show.
        source = unescape(node.html or "")
        hidden.add(MARKUP.sub(" ", source))
        hidden.add(source)
    elif node.tag not in _SILENT:
        hidden.add(node.text(separator=" "))


def _walk(root: LexborNode | None, hidden: HiddenParts) -> Iterator[tuple[LexborNode, bool]]:
    """Every shown node in reading order, elements twice: entering and leaving. No recursion: pages nest at will."""
    node = root
    while node is not None:
        below = None
        if node.tag == "-comment":
            hidden.add(node.comment_content or "")
        elif node.tag == "-text":
            yield node, True
        elif node.tag in _DROPPED:
            _drop(node, hidden)
        elif is_unseen(node.tag or "", node.attributes):
            hidden.add(node.text(separator=" "))
        else:
            yield node, True
            below = node.child
            if below is None:
                yield node, False
        if below is not None:
            node = below
            continue
        while node is not None and node.next is None:
            node = node.parent
            if node is None or node.tag == "-undef" or (root is not None and node.mem_id == root.mem_id):
                return
            yield node, False
        node = node.next if node is not None else None
