"""Flattens a page's tree into one list in reading order, apart from what a browser would not show."""

from __future__ import annotations

from html import unescape
from typing import Final

from selectolax.lexbor import LexborNode

from ..text.document_parts import HiddenParts
from .hidden_rules import MARKUP, background_of, is_unseen

__all__ = ["BLOCKS", "TEXT", "Node", "flatten"]

TEXT: Final = "-text"
"""The tag of a text node."""

_BLOCK_LIST: Final = (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main menu nav ol p pre section summary table tbody td "
    "tfoot th thead tr ul "
)
BLOCKS: Final = frozenset(_BLOCK_LIST.split())
"""Elements that begin a line of their own; cells too, since most tables on the web lay out a page."""

# Nothing that a reader reads: programs, pictures, and controls with their labels.
_SILENT_LIST: Final = "area audio canvas embed head iframe input link map meta object param script source style track "
_SILENT: Final = frozenset(_SILENT_LIST.split())
_CONTROL_LIST: Final = "button datalist math optgroup option picture select svg template textarea video "
_CONTROLS: Final = frozenset(_CONTROL_LIST.split())
_NO_ATTRIBUTES: Final[dict[str, str | None]] = {}


class Node:
    """An element or a text; `nodes[at + 1 : end]` is everything inside it."""

    __slots__ = ("at", "attributes", "end", "parent", "tag", "text")

    def __init__(self, at: int, parent: int, tag: str, text: str, attributes: dict[str, str | None]) -> None:
        self.at = at
        self.parent = parent
        self.end = at + 1
        self.tag = tag
        self.text = text
        self.attributes = attributes


def flatten(root: LexborNode, hidden: HiddenParts) -> list[Node]:
    """Every shown node; hidden ones go to `hidden` as text. No recursion: pages nest at will."""
    nodes: list[Node] = []
    append = nodes.append
    above: list[int] = [-1]
    backgrounds: list[str] = [""]
    node: LexborNode | None = root
    behind = ""
    while node is not None:
        tag = node.tag or ""
        below: LexborNode | None = None
        if tag == TEXT:
            append(Node(len(nodes), above[-1], TEXT, node.text_content or "", _NO_ATTRIBUTES))
        elif tag == "-comment":
            hidden.add(node.comment_content or "")
        elif tag in _SILENT:
            pass
        elif tag in _CONTROLS:
            _keep_words(node, tag, hidden)
        elif tag[:1] not in ("", "!", "-"):
            attributes = node.attributes
            if is_unseen(tag, attributes, backgrounds[-1]):
                hidden.add(node.text(separator=" "))
            else:
                below = node.child
                behind = background_of(attributes) if attributes and below is not None else ""
                append(Node(len(nodes), above[-1], tag, "", attributes))
        if below is not None:
            above.append(len(nodes) - 1)
            backgrounds.append(behind or backgrounds[-1])
            node = below
            continue
        following = node.next
        while following is None and len(above) > 1:
            node = node.parent
            nodes[above.pop()].end = len(nodes)
            backgrounds.pop()
            if node is None or len(above) == 1:
                break
            following = node.next
        if len(above) == 1:
            break
        node = following
    return nodes


def _keep_words(node: LexborNode, tag: str, hidden: HiddenParts) -> None:
    if tag == "template":
        # Its content is a document of its own, which the tree does not show.
        source = unescape(node.html or "")
        hidden.add(MARKUP.sub(" ", source))
        hidden.add(source)
    else:
        hidden.add(node.text(separator=" "))
