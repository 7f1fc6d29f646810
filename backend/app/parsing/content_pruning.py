"""Takes out of the main content what stands between its paragraphs without belonging to them."""

from __future__ import annotations

from typing import Final

from .page_blocks import ENDS_SENTENCE, Block
from .page_tree import Node

__all__ = ["pruned"]

_LINK_LIST_PERCENT: Final = 60
_LAST_LIST_PERCENT: Final = 33
_LINK_LINE_PERCENT: Final = 75
_SHORT_LINE: Final = 25
_CRUMB: Final = 60


def pruned(blocks: list[Block], nodes: list[Node]) -> list[Block]:
    """Without main headings, lists of links, lines that are one link, and what dangles at the end."""
    lists = _link_shares(blocks)
    lines = _lines_within(blocks)
    kept = [block for block in blocks if _belongs(block, nodes, lists, lines)]
    while kept and (_dangles(kept[-1], nodes, lists) or _is_crumb(kept[-1], nodes)):
        kept.pop()
    first = next((place for place, block in enumerate(kept) if not _is_crumb(block, nodes)), 0)
    return kept[first:]


def _is_crumb(block: Block, nodes: list[Node]) -> bool:
    """A few words that are no paragraph, item, heading or sentence: a date, a label, a place."""
    if block.level or block.item >= 0 or block.quotes or block.pre or block.table >= 0:
        return False
    size = len(block.text)
    return (
        size < _CRUMB and nodes[block.within].tag != "p" and ENDS_SENTENCE.search(block.text, max(0, size - 4)) is None
    )


def _link_shares(blocks: list[Block]) -> dict[int, int]:
    """For each list, how many percent of its text are links."""
    totals: dict[int, list[int]] = {}
    for block in blocks:
        if block.item >= 0:
            total = totals.setdefault(block.list_at, [0, 0])
            total[0] += len(block.text)
            total[1] += block.linked
    return {at: linked * 100 // size for at, (size, linked) in totals.items()}


def _lines_within(blocks: list[Block]) -> dict[int, int]:
    """For each element, how many blocks it holds directly."""
    counts: dict[int, int] = {}
    for block in blocks:
        counts[block.within] = counts.get(block.within, 0) + 1
    return counts


def _belongs(block: Block, nodes: list[Node], lists: dict[int, int], lines: dict[int, int]) -> bool:
    if block.level:
        return block.level > 1
    if block.item >= 0:
        return lists[block.list_at] <= _LINK_LIST_PERCENT
    size = len(block.text)
    if block.linked * 100 < size * _LINK_LINE_PERCENT:
        return True
    if nodes[block.within].tag != "p" and " " in block.text:
        return False
    return size < _SHORT_LINE or lines[block.within] > 1


def _dangles(block: Block, nodes: list[Node], lists: dict[int, int]) -> bool:
    if block.level:
        return True
    if block.item >= 0:
        return lists[block.list_at] > _LAST_LIST_PERCENT
    return nodes[block.within].tag != "p" and block.linked * 2 > len(block.text)
