"""Tells whether an element is hidden from a person's eyes, by its own attributes alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["MARKUP", "is_unseen"]

MARKUP: Final = re.compile(r"<[^<>]*>")
"""A tag, where a source is read as text."""

_UNSEEN_STYLE: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|(?:font-size|opacity)\s*:\s*0+(?:\.0*)?(?:px|pt|em|rem|%)?\s*(?:;|!|$)",
    re.IGNORECASE,
)


def is_unseen(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """Whether a browser with programs switched on would show nothing of the element."""
    if tag == "noscript":
        return True
    if not attributes:
        return False
    if "hidden" in attributes or (attributes.get("aria-hidden") or "").strip().lower() == "true":
        return True
    style = attributes.get("style")
    return bool(style) and _UNSEEN_STYLE.search(style or "") is not None
