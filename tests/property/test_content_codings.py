"""Codings: what was packed comes out again however it is sliced, garbage is an error, and no piece is huge."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from app.parsing.http.content_coding import PIECE_BYTES, BodyDecoder, CodingError
from app.parsing.http.fields import cache_directives, http_date_ms, media_type, retry_after_ms
from app.parsing.http.freshness import fresh_until_ms, may_be_kept

PACKERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "identity": bytes,
    "": bytes,
}


def _unpacked(coding, data, step):
    decoder = BodyDecoder(coding)
    pieces = [piece for start in range(0, len(data), step) for piece in decoder.feed(data[start : start + step])]
    decoder.finish()
    # brotli may go a little over the limit that it is given
    assert all(len(piece) <= 2 * PIECE_BYTES for piece in pieces)
    return b"".join(pieces)


@given(st.sampled_from(sorted(PACKERS)), st.binary(max_size=500), st.integers(1, 300), st.integers(1, 64))
def test_what_goes_in_comes_out(coding, data, times, step):
    whole = data * times
    assert _unpacked(coding, PACKERS[coding](whole), step) == whole


@given(st.sampled_from(["gzip", "deflate", "br", "zstd"]), st.binary(min_size=1, max_size=200), st.integers(1, 50))
def test_garbage_is_an_error_or_some_bytes_and_never_anything_else(coding, data, step):
    try:
        got = _unpacked(coding, data, step)
    except CodingError:
        return
    # What is no error is what the whole gives in one piece, too, so no way of cutting it makes other bytes.
    assert got == _unpacked(coding, data, len(data))


@given(st.sampled_from(["gzip", "br", "zstd"]), st.binary(min_size=20, max_size=200), st.data())
def test_a_body_that_ends_too_early_is_an_error(coding, data, drawn):
    packed = PACKERS[coding](data)
    cut = packed[: drawn.draw(st.integers(1, len(packed) - 1))]
    with pytest.raises(CodingError):
        _unpacked(coding, cut, 16)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_comes_out_in_small_pieces(coding):
    decoder = BodyDecoder(coding)
    packed = PACKERS[coding](bytes(5_000_000))
    sizes = [len(piece) for piece in decoder.feed(packed)]
    assert sum(sizes) == 5_000_000
    assert max(sizes) <= 2 * PIECE_BYTES
    decoder.finish()


@pytest.mark.parametrize("coding", ["compress", "gzip, br", "br,gzip,identity", "exi", "x" * 1000])
def test_codings_that_nobody_asked_for_are_refused(coding):
    with pytest.raises(CodingError):
        BodyDecoder(coding)


@given(st.text(max_size=100))
def test_no_header_value_is_a_surprise(text):
    cache_directives(text)
    media_type(text)
    http_date_ms(text)
    waited = retry_after_ms(text, 0)
    assert waited is None or waited >= 0
    fields = [("cache-control", text), ("expires", text), ("date", text), ("age", text), ("vary", text), ("etag", text)]
    assert fresh_until_ms(fields, 7) >= 7
    assert may_be_kept(fields) in (True, False)
