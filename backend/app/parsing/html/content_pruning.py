"""Takes out of the main content what stands between its paragraphs without belonging to them."""

from __future__ import annotations

import re
from typing import Final

from .blocks import ENDS_SENTENCE, Block
from .tree import TEXT, Node

__all__ = ["pruned"]

_LINK_LIST_PERCENT: Final = 65
_LAST_LIST_PERCENT: Final = 33
_LINK_LINE_PERCENT: Final = 75
_SHORT_LINE: Final = 25
_CRUMB: Final = 60
_POINTER_PERCENT: Final = 40
_LONGEST_CALL: Final = 350
_MOST_CALLS: Final = 4
_NEAR: Final = 8  # nodes
# The only words that are looked at; pages in other languages keep such lines.
_POINTER: Final = re.compile(
    r"[^A-Za-z0-9]{0,3}(?:also read|read also|read more|read next|related|see also|watch:|more:|more on)(?:\b|\s)",
    re.IGNORECASE,
)
_CALL: Final = re.compile(
    r"[^A-Za-z0-9]{0,3}(?:click here|download (?:the|our)|follow|get (?:the|our)|join (?:us|our)|like us|"
    r"listen to|reach the|read more|sign up|subscribe|source:|updated (?:at|on))(?:\b|\s)",
    re.IGNORECASE,
)


def pruned(blocks: list[Block], nodes: list[Node]) -> list[Block]:
    """Without main headings, lists of links, lines that are one link, labels of these, and what dangles at the ends."""
    lists = _link_shares(blocks)
    lines = _lines_within(blocks)
    belong = [_belongs(block, nodes, lists, lines) for block in blocks]
    kept = [
        block
        for place, block in enumerate(blocks)
        if belong[place] and not (_is_label(block) and place + 1 < len(blocks) and not belong[place + 1])
    ]
    kept = _without_bare_headings(kept)
    calls = _MOST_CALLS
    while kept:
        if _dangles(kept[-1], nodes, lists) or _is_crumb(kept[-1], nodes):
            kept.pop()
        elif calls and _is_call(kept[-1]):
            kept.pop()
            calls -= 1
        else:
            break
    first = next((place for place, block in enumerate(kept) if not _is_crumb(block, nodes)), 0)
    return kept[first:]


def _without_bare_headings(blocks: list[Block]) -> list[Block]:
    """Without headings over nothing: what they stood over was taken out."""
    kept: list[Block] = []
    for block in blocks:
        while block.level and kept and kept[-1].level >= block.level and kept[-1].level:
            kept.pop()
        kept.append(block)
    return kept


def _is_label(block: Block) -> bool:
    return not block.level and len(block.text) < _CRUMB and block.text.endswith((":", "\uff1a"))


def _is_call(block: Block) -> bool:
    """A last line that asks the reader to go elsewhere."""
    size = len(block.text)
    return ((block.linked > 0 and size < _LONGEST_CALL) or size < _CRUMB) and _CALL.match(block.text) is not None


def _is_crumb(block: Block, nodes: list[Node]) -> bool:
    """A few words that are no paragraph, item, heading or sentence: a date, a label, a place."""
    if block.level or block.item >= 0 or block.quotes or block.pre or block.table >= 0:
        return False
    size = len(block.text)
    return (
        size < _CRUMB and nodes[block.within].tag != "p" and ENDS_SENTENCE.search(block.text, max(0, size - 4)) is None
    )


def _follows_picture(block: Block, nodes: list[Node]) -> bool:
    """Whether a picture stands right before the block."""
    for node in reversed(nodes[max(0, block.start - _NEAR) : block.start]):
        if node.tag == "img":
            return True
        if node.tag == TEXT and not node.text.isspace():
            return False
    return False


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
    if block.item >= 0:
        return lists[block.list_at] <= _LINK_LIST_PERCENT
    if block.level:
        return block.level > 1
    if _is_crumb(block, nodes) and _follows_picture(block, nodes):
        return False
    size = len(block.text)
    if block.linked * 100 >= size * _POINTER_PERCENT and _POINTER.match(block.text) is not None:
        return False
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
