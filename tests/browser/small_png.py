"""Makes a screenshot small: at most 255 colours, with an index of one byte for each pixel."""

from __future__ import annotations

import struct
import zlib
from collections import Counter

__all__ = ["small_png"]

_HEAD = b"\x89PNG\r\n\x1a\n"
_MOST = 255
_COMMON = 160


def small_png(data: bytes) -> bytes:
    """The same picture from a palette; colours beyond it become the nearest of it."""
    width, height, rows = _pixels(data)
    counts = Counter()
    for row in rows:
        counts.update(row)
    palette = _palette(counts)
    index = {colour: place for place, colour in enumerate(palette)}
    for colour in counts:
        if colour not in index:
            index[colour] = min(range(len(palette)), key=lambda place: _apart(palette[place], colour))
    lines = b"".join(b"\0" + bytes([index[colour] for colour in row]) for row in rows)
    return b"".join(
        (
            _HEAD,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", b"".join(palette)),
            _chunk(b"IDAT", zlib.compress(lines, 9)),
            _chunk(b"IEND", b""),
        )
    )


def _palette(counts: Counter) -> list[bytes]:
    """The most common colours, then those that are farthest from them, so that a rare colour keeps its hue."""
    ordered = [colour for colour, _ in counts.most_common()]
    palette, rest = ordered[:_COMMON], ordered[_COMMON:]
    away = {colour: min(_apart(colour, one) for one in palette) for colour in rest}
    while away and len(palette) < _MOST:
        chosen = max(away, key=lambda colour: away[colour] * counts[colour] ** 0.5)
        palette.append(chosen)
        away = {colour: min(apart, _apart(colour, chosen)) for colour, apart in away.items() if colour != chosen}
    return palette


def _apart(one: bytes, other: bytes) -> int:
    return sum((a - b) ** 2 for a, b in zip(one, other, strict=True))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _pixels(data: bytes) -> tuple[int, int, list[list[bytes]]]:
    """The colours of an RGB or RGBA picture of eight bits, row by row; transparency is left out."""
    at, packed, width, height, step = len(_HEAD), b"", 0, 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", body[:10])
            step = {2: 3, 6: 4}[colours]
            if depth != 8:
                raise ValueError("not a picture of eight bits")
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    raw, length = zlib.decompress(packed), width * step
    rows, before = [], bytearray(length)
    for number in range(height):
        start = number * (length + 1)
        line = _unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + length]), before, step)
        rows.append([bytes(line[place : place + 3]) for place in range(0, length, step)])
        before = line
    return width, height, rows


def _unfiltered(kind: int, line: bytearray, above: bytearray, step: int) -> bytearray:
    for place in range(len(line)):
        left = line[place - step] if place >= step else 0
        up = above[place]
        corner = above[place - step] if place >= step else 0
        line[place] = (line[place] + _guess(kind, left, up, corner)) & 255
    return line


def _guess(kind: int, left: int, up: int, corner: int) -> int:
    if kind == 0:
        return 0
    if kind < 4:
        return (left, up, (left + up) // 2)[kind - 1]
    guess = left + up - corner
    return min((left, up, corner), key=lambda one: abs(guess - one))
