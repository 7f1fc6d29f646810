"""The ledger's rule by itself: what a store hands over is judged again at the edge of the window."""

from __future__ import annotations

import pytest
from tests.reference.ledger_bench import wish

from app.kernel.ledger import LedgerState, Refused, Reserved
from app.research.ledger import decide

NOW_MS = 200_000


def state(*window):
    return LedgerState(window=window, session_calls=0, session_units=0)


@pytest.mark.ruling("R9")
def test_entries_that_no_longer_count_are_left_out():
    stale = state((NOW_MS - 60_000, 10), (NOW_MS - 59_999, 5))
    assert isinstance(decide(stale, wish(calls=5), NOW_MS), Reserved)
    refused = decide(stale, wish(calls=6), NOW_MS)
    assert isinstance(refused, Refused)
    assert (refused.signals[0].value, refused.retry_at_ms) == (11, NOW_MS + 1)


def test_the_answer_carries_the_lease():
    made = decide(state(), wish(lease_ms=7), NOW_MS)
    assert made == Reserved(reservation_id="s1:b1", calls=1, units=10, at_ms=NOW_MS, lease_until_ms=NOW_MS + 7)
