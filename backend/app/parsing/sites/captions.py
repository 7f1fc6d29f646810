"""Reads the captions of a video in the formats that YouTube serves: two kinds of XML, and JSON."""

from __future__ import annotations

import re
from html import unescape
from typing import Any, Final

from ...kernel.models import FrozenModel, Text
from ..refusal import ParseRefused, Refusal
from ..text.clean_text import cleaned
from ..text.json_values import at_path, count_of, items_of, load_json
from ..text.xml_events import read_xml

__all__ = ["CaptionLine", "read_captions"]

_LARGEST: Final = 10_000_000
_MOST_LINES: Final = 100_000
_MOST_SEGMENTS: Final = 1_000
_LONGEST_LINE: Final = 200_000  # longer than what is shown of a video, so that a cut is told
_DAY_MS: Final = 86_400_000
_SECONDS: Final = re.compile(r"([0-9]{1,6})(?:\.([0-9]{1,9}))?")
# Captions may have letters in italics or in a colour; any other bracket is somebody's words.
_MARKUP: Final = re.compile(r"</?(?:b|c|font|i|ruby|rt|u|v)(?:[\s.][^<>]*)?>", re.IGNORECASE)


class CaptionLine(FrozenModel):
    """What is said, and when."""

    start_ms: int
    duration_ms: int
    text: Text


def read_captions(data: bytes) -> tuple[CaptionLine, ...] | Refusal:
    """The lines that say something, in the order of the file; the same words twice in a row are one line."""
    if len(data) > _LARGEST:
        return Refusal.TOO_LARGE
    data = data.lstrip(b"\xef\xbb\xbf \t\r\n")  # a declaration of XML must stand at the very beginning
    if not data:
        return Refusal.EMPTY
    try:
        lines = _json_lines(data) if data.startswith(b"{") else _xml_lines(data)
    except ParseRefused as exc:
        return exc.refusal
    found: list[CaptionLine] = []
    for start_ms, duration_ms, text in lines:
        # Captions are often escaped once more than their format asks for.
        plain = _MARKUP.sub("", unescape(text[:_LONGEST_LINE]))
        said = " ".join(cleaned(plain).text.split())
        if said and (not found or found[-1].text != said):
            found.append(CaptionLine(start_ms=start_ms, duration_ms=duration_ms, text=said))
    return tuple(found) or Refusal.EMPTY


def _json_lines(data: bytes) -> list[tuple[int, int, str]]:
    """`json3`: events with segments of text."""
    events = at_path(load_json(data, _LARGEST), "events")
    if not isinstance(events, list):
        raise ParseRefused(Refusal.UNSUPPORTED)
    found = []
    for event in events[:_MOST_LINES]:
        parts = [at_path(one, "utf8") for one in items_of(at_path(event, "segs"), _MOST_SEGMENTS)]
        text = "".join(part for part in parts if isinstance(part, str))
        found.append((_ms(at_path(event, "tStartMs")), _ms(at_path(event, "dDurationMs")), text))
    return found


def _xml_lines(data: bytes) -> list[tuple[int, int, str]]:
    captions = _Captions()
    read_xml(data, captions)
    if not captions.is_captions:
        raise ParseRefused(Refusal.UNSUPPORTED)
    return captions.lines


class _Captions:
    """Takes `text` elements with seconds (`transcript`) and `p` elements with milliseconds (`timedtext`)."""

    def __init__(self) -> None:
        self.is_captions = False
        self.lines: list[tuple[int, int, str]] = []
        self._depth = 0
        self._at = 0
        self._times = (0, 0)
        self._text: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(" ")[2]
        self._depth += 1
        if self._depth == 1:
            self.is_captions = local in ("transcript", "timedtext")
        elif self._text is not None:
            if local == "br":
                self._text.append(" ")
        elif local in ("text", "p") and len(self.lines) < _MOST_LINES:
            self._text, self._at = [], self._depth
            if local == "text":
                self._times = _seconds_ms(attributes.get("start", "")), _seconds_ms(attributes.get("dur", ""))
            else:
                self._times = _ms(attributes.get("t")), _ms(attributes.get("d"))

    def end(self, name: str) -> None:
        if self._text is not None and self._depth == self._at:
            self.lines.append((*self._times, "".join(self._text)))
            self._text = None
        self._depth -= 1

    def text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)


def _ms(value: Any) -> int:
    return min(count_of(value) or 0, _DAY_MS)


def _seconds_ms(text: str) -> int:
    found = _SECONDS.match(text)
    return min(int(found[1]) * 1000 + int(f"{found[2] or ''}000"[:3]), _DAY_MS) if found else 0
