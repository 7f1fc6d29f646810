"""Tells what a page says without showing it: elements hidden from the eyes, and attributes that few readers meet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from ..text.document_parts import HiddenParts

__all__ = ["MARKUP", "background_of", "collect_told", "is_unseen"]

MARKUP: Final = re.compile(r"<[^<>]*>")
"""A tag, where a source is read as text."""

_FOR_EARS: Final = re.compile(
    r"(?:^|\s)(?:sr-only|screen-reader(?:-text|-only)?|visually-?hidden|u-hidden-visually|assistive-text)(?:\s|$)"
)
_NUMBER: Final = re.compile(r"(-?)(\d{0,9})(?:\.(\d{1,9}))?(px|pt|em|rem|ex|ch|%|vw|vh)?(?:\s|$)")
_RGBA: Final = re.compile(r"(?:rgb|hsl)a?\([^()]*[,/]\s*0(?:\.0+)?%?\s*\)")
_WHITES: Final = frozenset(("#fefefe", "#ffffff", "rgb(255,255,255)", "rgba(255,255,255,1)", "white", "snow"))
_NAMES: Final = {"#fff": "white", "#ffffff": "white", "#000": "black", "#000000": "black", "rgb(255,255,255)": "white"}
_AWAY: Final = -500_000  # thousandths of a pixel
_SIDES: Final = ("left", "top", "right", "bottom", "margin-left", "margin-top", "text-indent")
# The smallest size that anybody can read, in thousandths of each unit.
_READABLE: Final = {
    "px": 3_000,
    "pt": 2_000,
    "em": 200,
    "rem": 200,
    "ex": 300,
    "ch": 300,
    "%": 20_000,
    "vw": 200,
    "vh": 200,
}

# Said to some readers only: to those who hear a page, or who rest the pointer on a picture.
_TOLD: Final = ("alt", "aria-description", "aria-label", "label", "placeholder", "summary", "title", "value")
_TELLING: Final = ",".join(("meta[content]", *(f"[{name}]" for name in _TOLD)))
_SHORTEST_TOLD: Final = 12  # no directive is shorter, and most are names of links


def is_unseen(tag: str, attributes: Mapping[str, str | None], background: str = "") -> bool:
    """Whether a browser with programs switched on would show nothing that a person can read.

    `background` is the colour that an element round this one has set, where one has.
    """
    if tag == "noscript":
        return True
    # A page that hides all of itself waits for its own program to show it.
    if not attributes or tag in ("body", "html"):
        return False
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    named = attributes.get("class")
    if named and _is_for_ears(named):
        return True
    style = attributes.get("style")
    return bool(style) and _hides(_declarations(style or ""), background)


@lru_cache(maxsize=4_096)
def _is_for_ears(named: str) -> bool:
    return _FOR_EARS.search(named.lower()) is not None


def background_of(attributes: Mapping[str, str | None]) -> str:
    """The colour that an element paints behind its text, where it says so itself."""
    style = attributes.get("style")
    if style and "background" in style.lower():
        return _background(_declarations(style))
    painted = attributes.get("bgcolor")
    return _colour(painted) if painted else ""


def collect_told(tree: LexborHTMLParser, hidden: HiddenParts) -> None:
    """Keep what stands in attributes, in the head, and before and behind the page itself."""
    for first in (tree.root, tree.head.child if tree.head is not None else None):
        place = first
        while place is not None and place.prev is not None:
            place = place.prev
        while place is not None:
            if place.is_comment_node:
                hidden.add(place.comment_content or "")
            place = place.next
    for node in tree.css(_TELLING):
        attributes = node.attributes
        for name in ("content", *_TOLD) if node.tag == "meta" else _TOLD:
            said = attributes.get(name) or ""
            if len(said) >= _SHORTEST_TOLD:
                hidden.add(said)


def _declarations(style: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for declaration in _without_comments(style).lower().split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            found[name.strip()] = value.replace("!important", "").replace("! important", "").strip()
    return found


def _without_comments(style: str) -> str:
    if "/*" not in style:
        return style
    kept: list[str] = []
    at = 0
    while (start := style.find("/*", at)) >= 0:
        kept.append(style[at:start])
        end = style.find("*/", start + 2)
        if end < 0:
            return "".join(kept)
        at = end + 2
    kept.append(style[at:])
    return "".join(kept)


def _hides(style: Mapping[str, str], background: str) -> bool:
    get = style.get
    if get("display") == "none" or get("visibility") in ("hidden", "collapse") or get("content-visibility") == "hidden":
        return True
    if (opacity := _thousandths(get("opacity", ""))) is not None and opacity[0] <= (5_000 if opacity[1] == "%" else 50):
        return True
    size = _thousandths(get("font-size", ""))
    if size is not None and size[0] <= _READABLE.get(size[1], 0):
        return True
    return _is_away(style) or _is_shut(style) or _is_unpainted(style, background)


def _is_away(style: Mapping[str, str]) -> bool:
    """Moved out of the window, or turned over."""
    moved = style.get("position") in ("absolute", "fixed")
    for side in _SIDES:
        place = _thousandths(style.get(side, "")) if moved or side in ("margin-left", "text-indent") else None
        if place is not None and place[1] in ("", "px", "pt") and place[0] <= _AWAY:
            return True
        if place is not None and place[1] in ("em", "rem", "%", "vw", "vh") and place[0] <= -90_000:
            return True
    transform = style.get("transform", "").replace(" ", "")
    return transform in ("scale(0)", "scale(0,0)", "scalex(0)", "scaley(0)")


def _is_shut(style: Mapping[str, str]) -> bool:
    """Cut to nothing."""
    clipped = style.get("clip", "").replace(" ", "").replace(",", "").replace("px", "")
    if clipped in ("rect(0000)", "rect(1111)", "rect(0100)") or style.get("clip-path", "").startswith(
        ("inset(50%", "inset(100%", "circle(0")
    ):
        return True
    if style.get("overflow") not in ("hidden", "clip"):
        return False
    for side in ("height", "width", "max-height", "max-width"):
        size = _thousandths(style.get(side, ""))
        if size is not None and 0 <= size[0] <= 1_000 and size[1] in ("", "px", "pt"):
            return True
    return False


def _is_unpainted(style: Mapping[str, str], background: str) -> bool:
    """In the colour of what is behind it; white counts as the colour of a page that names none."""
    colour = _colour(style.get("color", ""))
    if not colour:
        return False
    if colour == "transparent" or _RGBA.fullmatch(colour) is not None:
        return True
    behind = _background(style) or background
    return colour == behind if behind else colour in _WHITES and "background-image" not in style


def _background(style: Mapping[str, str]) -> str:
    named = style.get("background-color") or style.get("background", "")
    return "some" if "(" in named and not named.startswith("rgb") else _colour(named)


def _colour(value: str) -> str:
    value = value.strip().lower()
    value = value.replace(" ", "") if "(" in value else value.partition(" ")[0]
    return _NAMES.get(value, value)


def _thousandths(value: str) -> tuple[int, str] | None:
    """A number and its unit, in whole thousandths."""
    found = _NUMBER.match(value)
    if found is None or not (found.group(2) or found.group(3)):
        return None
    size = int(found.group(2) or "0") * 1_000 + int(((found.group(3) or "") + "000")[:3])
    return (-size if found.group(1) else size), found.group(4) or ""
