"""Undoes a content coding piece by piece, so that a bomb is noticed before it has gone off."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Final, Protocol

import brotli
from backports.zstd import DecompressionParameter, ZstdDecompressor, ZstdError

__all__ = ["ACCEPTED_CODINGS", "PIECE_BYTES", "BodyDecoder", "CodingError"]

ACCEPTED_CODINGS: Final = "gzip, deflate, br, zstd"
PIECE_BYTES: Final = 65_536
_GZIP_MAGIC: Final = b"\x1f\x8b"
# What the web may ask a reader to keep: 8 MiB.
_ZSTD_WINDOW_LOG: Final = 23


class CodingError(ValueError):
    """The bytes are not in the coding that their header names, end too early, or the coding is none of ours."""


class _Decoder(Protocol):
    def feed(self, data: bytes) -> Iterator[bytes]: ...

    @property
    def complete(self) -> bool: ...


class BodyDecoder:
    """One body's decoder; each piece it gives is about `PIECE_BYTES` at most, whatever the input expands to."""

    def __init__(self, coding: str) -> None:
        """Take the value of Content-Encoding.

        Raises:
            CodingError: it names a coding that was not asked for, or several on top of one another.
        """
        names = [name for name in (part.strip().lower() for part in coding.split(",")) if name not in ("", "identity")]
        if len(names) > 1 or (names and names[0] not in _DECODERS):
            raise CodingError("unknown coding")
        self._decoder: _Decoder = _DECODERS[names[0]]() if names else _Identity()
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The decoded pieces of some more input.

        Raises:
            CodingError: the input is damaged.
        """
        self._fed = self._fed or bool(data)
        try:
            yield from self._decoder.feed(data)
        except (zlib.error, brotli.error, ZstdError, EOFError) as exc:
            raise CodingError("damaged") from exc

    def finish(self) -> None:
        """Say that the input is over.

        Raises:
            CodingError: it is over too early.
        """
        if self._fed and not self._decoder.complete:
            raise CodingError("cut short")


class _Identity:
    complete = True

    def feed(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), PIECE_BYTES):
            yield data[start : start + PIECE_BYTES]


class _Zlib:
    """Gzip with all its members, or deflate with and without its header, which servers never agreed upon."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._open = zlib.decompressobj(31) if gzip else None
        self._held = b""
        self.complete = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        data, self._held = self._held + data, b""
        while True:
            if self.complete:
                # After a member comes another one or padding; which, two bytes tell.
                if not self._gzip or (len(data) >= 2 and not data.startswith(_GZIP_MAGIC)):
                    return
                if len(data) < 2:
                    self._held = data
                    return
                self._open, self.complete = zlib.decompressobj(31), False
            if self._open is None:
                if len(data) < 2:
                    self._held = data
                    return
                self._open = zlib.decompressobj(15 if _has_zlib_header(data) else -15)
            piece = self._open.decompress(data, PIECE_BYTES)
            if piece:
                yield piece
            data = self._open.unconsumed_tail
            if self._open.eof:
                self.complete, data = True, self._open.unused_data
            elif not data and len(piece) < PIECE_BYTES:
                return


class _Brotli:
    def __init__(self) -> None:
        self._open = brotli.Decompressor()

    @property
    def complete(self) -> bool:
        return bool(self._open.is_finished())

    def feed(self, data: bytes) -> Iterator[bytes]:
        while not self.complete:
            piece = self._open.process(data, output_buffer_limit=PIECE_BYTES)
            data = b""
            if not piece and self._open.can_accept_more_data():
                return  # only then: output may be pending although all input is taken
            if piece:
                yield piece


class _Zstd:
    def __init__(self) -> None:
        self._open = _zstd()
        self.complete = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while True:
            if self.complete:
                if not data:
                    return
                self._open, self.complete = _zstd(), False
            piece = self._open.decompress(data, max_length=PIECE_BYTES)
            data = b""
            if piece:
                yield piece
            if self._open.eof:
                self.complete, data = True, self._open.unused_data
            elif self._open.needs_input:
                return


def _zstd() -> ZstdDecompressor:
    return ZstdDecompressor(options={DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG})


def _has_zlib_header(data: bytes) -> bool:
    return data[0] & 0x0F == 8 and int.from_bytes(data[:2]) % 31 == 0


_DECODERS: Final[dict[str, Callable[[], _Decoder]]] = {
    "gzip": lambda: _Zlib(gzip=True),
    "x-gzip": lambda: _Zlib(gzip=True),
    "deflate": lambda: _Zlib(gzip=False),
    "br": _Brotli,
    "zstd": _Zstd,
}
