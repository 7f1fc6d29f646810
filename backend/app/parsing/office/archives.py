"""Opens an office archive: single parts by name, each bounded, so that a bomb is refused before it has gone off."""

from __future__ import annotations

import zlib
from codecs import lookup
from io import BytesIO
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from ..refusal import ParseRefused, Refusal

__all__ = ["OfficeArchive"]

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LARGEST_PART: Final = 20_000_000
_LARGEST_WHOLE: Final = 40_000_000
_BOMB_RATIO: Final = 100
_MOST_PARTS: Final = 10_000
_CHUNK: Final = 16_384  # the file is read ahead by as much, which counts as taken
lookup("cp437")  # names in archives may be spelled in it; a confined process cannot load it later


class OfficeArchive:
    """A ZIP file of which parts are read one by one."""

    def __init__(self, data: bytes) -> None:
        """Read the directory.

        Raises:
            ParseRefused: it is no archive, or one under a password (those are OLE files outside).
        """
        if data.startswith(_OLE):
            raise ParseRefused(Refusal.ENCRYPTED)
        try:
            self._zip = ZipFile(BytesIO(data))
            parts = self._zip.infolist()
        except (BadZipFile, ValueError, OSError, EOFError, NotImplementedError) as exc:
            raise ParseRefused(Refusal.UNREADABLE) from exc
        if len(parts) > _MOST_PARTS:
            raise ParseRefused(Refusal.UNREADABLE)
        self._parts = {part.filename: part for part in parts}
        self._read = 0
        self._taken = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, sorted."""
        return tuple(sorted(self._parts))

    def part(self, name: str) -> bytes | None:
        """The bytes of a part, or None where there is none.

        Raises:
            ParseRefused: it is damaged, encrypted, packed in an unusual way, or larger than anything sensible.
        """
        info = self._parts.get(name)
        if info is None:
            return None
        if info.flag_bits & 1:
            raise ParseRefused(Refusal.ENCRYPTED)
        if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise ParseRefused(Refusal.UNREADABLE)
        try:
            return self._bounded(info)
        except (BadZipFile, ValueError, OSError, EOFError, NotImplementedError, zlib.error) as exc:
            raise ParseRefused(Refusal.UNREADABLE) from exc

    def _bounded(self, info: ZipInfo) -> bytes:
        # What the directory says about sizes is the author's word; only what went in and came out so far counts. Held
        # against the whole part, a bomb that is large enough would look like a long document.
        pieces: list[bytes] = []
        size = 0
        with self._zip.open(info) as stream:
            begin = self._at()
            while piece := stream.read(_CHUNK):
                pieces.append(piece)
                size += len(piece)
                if size > _LARGEST_PART or self._read + size > _LARGEST_WHOLE:
                    taken = self._at() - begin
                    bomb = _is_bomb(size, taken) or _is_bomb(self._read + size, self._taken + taken)
                    raise ParseRefused(Refusal.BOMB if bomb else Refusal.TOO_LARGE)
            self._taken += self._at() - begin
        self._read += size
        return b"".join(pieces)

    def _at(self) -> int:
        """How far the archive itself has been read."""
        return self._zip.fp.tell() if self._zip.fp else 0


def _is_bomb(size: int, taken: int) -> bool:
    return size > max(1, taken) * _BOMB_RATIO
