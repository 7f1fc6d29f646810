"""Makes decoded text fit for reading: one kind of line end, no controls, no invisible carriers."""

from __future__ import annotations

import re
from typing import Final

from ...screen.carriers import Stripped, strip_carriers

__all__ = ["cleaned", "without_controls"]

# Controls have no place in evidence: a terminal would obey them. Half a surrogate pair cannot be hashed or stored.
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff]")
_NEWLINES: Final = re.compile("\r\n|[\r\f\x85\u2028\u2029]")


def cleaned(text: str) -> Stripped:
    """The text without controls and carriers, and how many carriers it had."""
    return strip_carriers(without_controls(text))


def without_controls(text: str) -> str:
    """The text with its carriers: for the screen, which reads what they spell."""
    return _CONTROLS.sub("", _NEWLINES.sub("\n", text))
