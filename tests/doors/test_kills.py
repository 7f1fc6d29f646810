"""A few random kills of the real command line; `make kills` does hundreds."""

from __future__ import annotations

import pytest
from benchmarks.kills import rounds


@pytest.mark.ruling("R12")
@pytest.mark.ruling("R19")
@pytest.mark.parametrize("keyed", [False, True])
def test_kills_lose_nothing_and_repeat_nothing(tmp_path, keyed):
    tally = rounds(20, 6, keyed, tmp_path)
    assert tally.kills == 6
    assert tally.broken == 0, tally
    assert tally.killed_in_the_session >= 1
