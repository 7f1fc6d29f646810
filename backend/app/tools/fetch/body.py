"""Reads the body of a response: decoded piece by piece, counted, cut or given up at the cap."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Final

from ...kernel.errors import OutputTooLarge
from ...parsing.http.content_coding import BodyDecoder
from ...parsing.http.fields import field_value, whole_number
from .wire import WireResponse

__all__ = ["Body", "read_body", "read_start"]

_BOMB_RATIO: Final = 100
_SLICE_BYTES: Final = 2_048
_REST_BYTES: Final = 131_072


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes after decoding, and how many there were before."""

    data: bytes
    truncated: bool
    wire_bytes: int


async def read_body(response: WireResponse, max_bytes: int, *, can_be_cut: bool) -> Body | None:
    """The body, cut at the cap where its format allows that; None where it is too large.

    Raises:
        OutputTooLarge: it grows past the cap to more than a hundred times its size on the wire (R16).
        CodingError: it is not in the coding that its header names.
        WireFault: the connection broke.
    """
    coding = field_value(response.fields, "content-encoding")
    declared = whole_number(field_value(response.fields, "content-length"))
    if declared is not None and declared > max_bytes and not can_be_cut and not coding:
        return None
    reading = await _read(response, BodyDecoder(coding), max_bytes)
    if reading.is_bomb:
        raise OutputTooLarge("a body that grows to more than a hundred times its size")
    if reading.over and not can_be_cut:
        return None
    return Body(b"".join(reading.pieces)[:max_bytes], reading.over, reading.wire_bytes)


async def read_start(response: WireResponse, max_bytes: int) -> bytes:
    """The beginning of the body, for what is read in passing.

    Raises:
        CodingError, WireFault: as `read_body` does.
    """
    coding = field_value(response.fields, "content-encoding")
    reading = await _read(response, BodyDecoder(coding), max_bytes)
    return b"".join(reading.pieces)[:max_bytes]


@dataclass(slots=True)
class _Reading:
    max_bytes: int
    pieces: list[bytes] = field(default_factory=list)
    size: int = 0
    wire_bytes: int = 0

    @property
    def over(self) -> bool:
        return self.size > self.max_bytes

    @property
    def is_bomb(self) -> bool:
        return self.over and self.size > self.wire_bytes * _BOMB_RATIO

    def take(self, piece: bytes) -> None:
        if not self.over:
            self.pieces.append(piece)
        self.size += len(piece)


async def _read(response: WireResponse, decoder: BodyDecoder, max_bytes: int) -> _Reading:
    reading = _Reading(max_bytes)
    rested = 0
    async for chunk in response.chunks():
        # In small slices, so that what was read and what it grew to can be compared when the cap is passed.
        for start in range(0, len(chunk), _SLICE_BYTES):
            part = chunk[start : start + _SLICE_BYTES]
            reading.wire_bytes += len(part)
            for piece in decoder.feed(part):
                reading.take(piece)
                if reading.is_bomb:
                    return reading
                if reading.size - rested >= _REST_BYTES:
                    rested = reading.size
                    await asyncio.sleep(0)  # a small slice may hold a great deal
            if reading.over:
                return reading
    decoder.finish()
    return reading
