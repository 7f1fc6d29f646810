"""Finds the part of a page that a reader came for, and what inside it belongs to the site and not to the text."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from .blocks import ENDS_SENTENCE, HEADINGS, Block, cut_blocks
from .content_hint import missed_by
from .content_pruning import pruned
from .part_names import Naming, naming_of
from .tree import BLOCKS, TEXT, Node

__all__ = ["Content", "find_content"]

_STRANGE_TAGS: Final = frozenset(("aside", "dialog", "fieldset", "figcaption", "footer", "form", "menu", "nav"))
_HOLDERS: Final = frozenset(("article", "div", "main", "section", "td"))
# What carries the classes of a whole page says nothing about itself with them.
_WHOLE: Final = frozenset(("article", "body", "html", "main"))
_NAMED_INLINE: Final = frozenset(("a", "span"))
_LONG: Final = 80
_MIDDLING: Final = 40
_LINK_COST: Final = 45
_CRUMB_COST: Final = 5
_ENOUGH: Final = 250
_LEAST_TITLE: Final = 12
# Parts in percent of the page's running text.
_NOISE_AT_MOST: Final = 40
_STRANGE_AT_MOST: Final = 80
_BODY_AT_LEAST: Final = 70
_BEFORE_TITLE_AT_MOST: Final = 25
_OTHERS_AT_LEAST: Final = 80
_LEAST_ARTICLE: Final = 300
_LONGEST_CARD: Final = 700
_FEWEST_CARDS: Final = 3


@dataclass(frozen=True, slots=True)
class Content:
    """The main content: its blocks in reading order, and the element that holds them."""

    root: int
    blocks: tuple[Block, ...]
    sure: bool
    """Whether the page has one part that stands out."""


class _Sums:
    """Totals over subtrees: a subtree is a range of the list, so each costs one subtraction."""

    def __init__(self, size: int) -> None:
        self._values = [0] * (size + 1)
        self._sums: list[int] = []

    def add(self, at: int, value: int) -> None:
        self._values[at + 1] += value

    def freeze(self) -> _Sums:
        self._sums = list(accumulate(self._values))
        return self

    def under(self, node: Node) -> int:
        return self._sums[node.end] - self._sums[node.at]

    def total(self) -> int:
        return self._sums[-1]


def find_content(nodes: list[Node], declared: str = "", title: str = "") -> Content:
    """The main content of a page; empty where there is no text.

    `declared` is the text that the page gives to machines: it may point to a part of the page, no more. A heading that
    says the same as `title` is the page's main heading, whatever its level.
    """
    blocks = cut_blocks(nodes)
    if not blocks:
        return Content(0, (), sure=False)
    _raise_title(blocks, title)
    running = sum(max(0, _weight(block, nodes)) for block in blocks)
    found = _found(nodes, blocks, by_name=True)
    holder = missed_by(found.blocks, blocks, nodes, declared)
    if holder is not None:
        inside = [block for block in blocks if holder.at <= block.start < holder.end]
        found = Content(holder.at, tuple(pruned(inside, nodes)), sure=True)
    if found.blocks and _size(found) >= min(_ENOUGH, running):
        return found
    # Names are habits, not rules: where they leave next to nothing, the shape of the page alone decides.
    bare = _found(nodes, blocks, by_name=False)
    if _size(bare) > 2 * _size(found):
        found = bare
    if not found.blocks:
        return Content(0, tuple(blocks), sure=False)
    return Content(found.root, found.blocks, sure=False)


def _raise_title(blocks: list[Block], title: str) -> None:
    """Makes the heading that is the page's title a main heading, where there is no main heading yet."""
    if len(title) < _LEAST_TITLE or any(block.level == 1 for block in blocks):
        return
    wanted = title.lower()
    for block in blocks:
        if block.level and len(block.text) >= _LEAST_TITLE and wanted.startswith(block.text.lower()):
            block.level = 1
            return


def _size(content: Content) -> int:
    return sum(len(block.text) for block in content.blocks)


def _found(nodes: list[Node], blocks: list[Block], *, by_name: bool) -> Content:
    noisy, namings = _noise(nodes, blocks, by_name=by_name)
    weights = _Sums(len(nodes))
    for block in blocks:
        if not _in_noise(block, noisy):
            weights.add(block.start, _weight(block, nodes))
    weights.freeze()
    best = _heaviest(nodes, noisy, weights)
    best = _titled_article(nodes, blocks, weights, best)
    root = _named_body(nodes, noisy, namings, weights, best)
    inside = [block for block in blocks if root.at <= block.start < root.end and not _in_noise(block, noisy)]
    inside = _below_title(inside, nodes, root, weights.under(best))
    return Content(root.at, tuple(pruned(inside, nodes)), sure=weights.under(root) > 0)


def _in_noise(block: Block, noisy: bytearray) -> bool:
    """Whether all of a block is noise; a paragraph may begin with a link that bears the name of some noise."""
    return bool(noisy[block.start] and noisy[block.last])


def _weight(block: Block, nodes: list[Node]) -> int:
    """What a block says for its surroundings: running text for them, links and crumbs against."""
    size = len(block.text)
    if block.linked * 2 > size:
        return -min(size, _LINK_COST)
    if block.level:
        return 0
    plain = size - block.linked
    if size >= _LONG or (size >= _MIDDLING and ENDS_SENTENCE.search(block.text, size - 4) is not None):
        return plain
    listed = block.item >= 0 or block.table >= 0 or block.pre or nodes[block.within].tag == "p"
    return plain // 4 if listed else -_CRUMB_COST


def _noise(nodes: list[Node], blocks: list[Block], *, by_name: bool) -> tuple[bytearray, list[Naming]]:
    """Which nodes stand in a part that is not the text, by its name, its element or its shape."""
    running = _Sums(len(nodes))
    for block in blocks:
        running.add(block.start, max(0, _weight(block, nodes)))
    total = max(1, running.freeze().total())
    cards = _cards(nodes, blocks)
    noisy = bytearray(len(nodes))
    namings = [Naming.NOTHING] * len(nodes)
    until = 0
    for node in nodes:
        if node.at < until:
            noisy[node.at] = 1
            continue
        if node.tag == TEXT or (node.tag not in BLOCKS and node.tag not in _NAMED_INLINE):
            continue
        named = naming_of(node.attributes)
        if named >= Naming.NOISE and (node.tag in _WHOLE or not by_name):
            named = Naming.NOTHING
        namings[node.at] = named
        strange = named is Naming.STRANGE or node.tag in _STRANGE_TAGS
        if strange or named is Naming.NOISE or node.at in cards:
            at_most = _STRANGE_AT_MOST if strange else _NOISE_AT_MOST
            if running.under(node) * 100 < total * at_most:
                until = node.end
                noisy[node.at] = 1
    return noisy, namings


def _cards(nodes: list[Node], blocks: list[Block]) -> frozenset[int]:
    """Teasers for other pages: three or more short siblings, each under a heading that is a link."""
    headings, sizes = _Sums(len(nodes)), _Sums(len(nodes))
    for node in nodes:
        if node.tag in HEADINGS:
            headings.add(node.at, 1)
    for block in blocks:
        sizes.add(block.start, len(block.text))
    headings.freeze()
    sizes.freeze()
    found: dict[int, list[int]] = {}
    for block in blocks:
        top = nodes[block.within]
        if top.tag not in HEADINGS or block.linked < len(block.text):
            continue
        # Climbs only through elements with this one heading, so no element is passed twice.
        while top.parent >= 0 and headings.under(nodes[top.parent]) == 1:
            top = nodes[top.parent]
        if top.tag not in HEADINGS and sizes.under(top) <= _LONGEST_CARD:
            found.setdefault(top.parent, []).append(top.at)
    return frozenset(at for group in found.values() if len(group) >= _FEWEST_CARDS for at in group)


def _heaviest(nodes: list[Node], noisy: bytearray, weights: _Sums) -> Node:
    """The innermost element with the greatest weight."""
    best, most = nodes[0], 0
    for node in nodes:
        if node.tag in BLOCKS and not noisy[node.at] and (weight := weights.under(node)) >= most:
            best, most = node, weight
    return best


def _titled_article(nodes: list[Node], blocks: list[Block], weights: _Sums, best: Node) -> Node:
    """The one of several `article` elements that has the page's one main heading, where the others have the rest."""
    titles = [block for block in blocks if block.level == 1]
    if len(titles) != 1:
        return best
    title = titles[0].start
    titled: Node | None = None
    others = until = 0
    for node in nodes[best.at : best.end]:
        if node.tag == "article" and node.at >= until:
            if node.at <= title < node.end:
                titled = node
            else:
                others += weights.under(node)
            until = node.end
    if titled is None or weights.under(titled) < _LEAST_ARTICLE:
        return best
    rest = weights.under(best) - weights.under(titled)
    return titled if others * 100 >= rest * _OTHERS_AT_LEAST else best


def _named_body(nodes: list[Node], noisy: bytearray, namings: list[Naming], weights: _Sums, best: Node) -> Node:
    """An element that is called the text of the article, where it has most of what the heaviest one has."""
    enough = weights.under(best) * _BODY_AT_LEAST
    found = best
    for node in nodes:
        if node.tag in _HOLDERS and not noisy[node.at]:
            named = namings[node.at] is Naming.BODY or "articlebody" in (node.attributes.get("itemprop") or "").lower()
            if named and weights.under(node) * 100 >= enough:
                found = node
    return found


def _below_title(blocks: list[Block], nodes: list[Node], root: Node, weight: int) -> list[Block]:
    """Without the page's one main heading, its header, and what little stands above them."""
    titles = [place for place, block in enumerate(blocks) if block.level == 1]
    if len(titles) != 1:
        return blocks
    place = titles[0]
    above = sum(max(0, _weight(block, nodes)) for block in blocks[:place])
    if above * 100 >= weight * _BEFORE_TITLE_AT_MOST:
        return blocks
    head = nodes[blocks[place].within]
    while head.tag != "header" and head.at > root.at:
        head = nodes[head.parent]
    until = head.end if head.at > root.at else 0
    return [block for block in blocks[place + 1 :] if block.start >= until]
