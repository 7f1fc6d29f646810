"""Checks the content that was found against the text that a page declares for machines; a hint, never a source."""

from __future__ import annotations

from typing import Final

from .blocks import Block
from .tree import BLOCKS, Node

__all__ = ["missed_by"]

_RUN: Final = 6  # words
_LEAST_HINT: Final = 400
# In percent of the declared text, and of what of it stands on the page.
_ON_PAGE_AT_LEAST: Final = 60
_FOUND_AT_LEAST: Final = 70


def missed_by(found: tuple[Block, ...], blocks: list[Block], nodes: list[Node], declared: str) -> Node | None:
    """The smallest element that holds the declared text, where most of that text is shown but was not found."""
    if len(declared) < _LEAST_HINT:
        return None
    words = declared.split()
    runs = frozenset(tuple(words[start : start + _RUN]) for start in range(len(words) - _RUN + 1))
    shown = [block for block in blocks if _opening(block) in runs]
    size = sum(len(block.text) for block in shown)
    if size * 100 < len(declared) * _ON_PAGE_AT_LEAST:
        return None
    starts = frozenset(block.start for block in found)
    covered = sum(len(block.text) for block in shown if block.start in starts)
    if covered * 100 >= size * _FOUND_AT_LEAST:
        return None
    holder = nodes[shown[0].within]
    while holder.parent >= 0 and (holder.end <= shown[-1].last or holder.tag not in BLOCKS):
        holder = nodes[holder.parent]
    return holder


def _opening(block: Block) -> tuple[str, ...]:
    # The first words of a text stand in its first characters: no need to split all of it.
    return tuple(block.text[: _RUN * 40].split()[:_RUN])
