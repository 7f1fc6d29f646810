"""Reads a snippet of HTML, such as a comment, as Markdown: all of it, since there is no page round it to take away."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from ..refusal import ParseRefused, Refusal
from ..text.clean_text import cleaned
from ..text.document_parts import HiddenParts
from .blocks import cut_blocks
from .hidden_rules import collect_told
from .main_content import Content
from .tree import flatten
from .weight import too_heavy
from .writing import written

__all__ = ["Snippet", "escaped", "snippet_markdown"]

_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>#|~]")


class Snippet(NamedTuple):
    """What a snippet says: with marks, and as a reader sees it."""

    markdown: str
    plain: str
    carriers_removed: int


def snippet_markdown(source: str, hidden: HiddenParts, base: str = "") -> Snippet:
    """The snippet; what is not shown goes to `hidden`.

    Raises:
        ParseRefused: its tree would be out of all proportion, or the parser gave up.
    """
    try:
        if too_heavy(source):
            raise ParseRefused(Refusal.UNREADABLE)
        tree = LexborHTMLParser(source)
        if tree.root is None:
            return Snippet("", "", 0)
        nodes = flatten(tree.root, hidden)
        collect_told(tree, hidden)
        text, markdown = written(Content(0, tuple(cut_blocks(nodes)), sure=True), nodes, base)
    except (SelectolaxError, RecursionError, ValueError) as exc:
        raise ParseRefused(Refusal.UNREADABLE) from exc
    clean = cleaned(markdown)
    return Snippet(clean.text.strip(), cleaned(text).text.strip(), clean.removed)


def escaped(line: str) -> str:
    """A plain line that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\g<0>", line)
