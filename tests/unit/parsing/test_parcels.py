"""Several answers as one object: packed, unpacked, and refused where they are none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.parsing.sites.joined_answers import packed, unpacked

PARTS = st.lists(st.tuples(st.text(), st.none() | st.binary()), max_size=100)


@given(PARTS)
def test_what_is_packed_comes_out(parts):
    assert unpacked(packed(parts)) == tuple(parts)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}\n",
        b'[["u", 5]]\nabc',
        b'[["u", -1]]\n',
        b'[["u", "1"]]\na',
        b"[[1, 1]]\na",
        b'[["u", 1]]\nab',
        json.dumps([["u", None]] * 101).encode() + b"\n",
        b'[["u"]]\n',
        b"[1]\n",
        b"\xff\n",
    ],
)
def test_what_is_no_parcel_is_refused(data):
    with pytest.raises((ValueError, TypeError)):
        unpacked(data)


@given(st.binary())
def test_any_bytes_are_a_parcel_or_a_named_error(data):
    try:
        unpacked(data)
    except (ValueError, TypeError, RecursionError):
        return
    assert b"\n" in data
