"""When a provider may be asked again, on a clock that a test moves."""

from __future__ import annotations

from tests.fixtures.web import HandClock

from app.kernel.providers import ProviderEntry, RatePolicy
from app.tools.service_pace import ProviderPace

ENTRY = ProviderEntry(
    name="bakery",
    title="Bakery",
    kinds=("loaf",),
    hosts=("bakery.example",),
    price_units=1,
    rate=RatePolicy(requests=2, per_ms=1_000),
)


def test_no_more_than_the_rate_in_any_window():
    clock = HandClock()
    pace = ProviderPace(clock)
    waits = [pace.take_turn(ENTRY, 5_000) for _ in range(6)]
    assert waits == [0, 0, 1_000, 1_000, 2_000, 2_000]
    assert pace.take_turn(ENTRY, 2_999) is None
    clock.now += 3_000
    assert pace.take_turn(ENTRY, 0) == 0


def test_a_pause_that_was_asked_for_is_kept_and_bounded():
    clock = HandClock()
    pace = ProviderPace(clock)
    assert pace.closed_for_s(ENTRY) == 0
    pace.close_for(ENTRY, 10**9)
    assert pace.closed_for_s(ENTRY) == 600
    pace.close_for(ENTRY, 1)
    assert pace.take_turn(ENTRY, 599_999) is None
    clock.now += 599_500
    assert pace.closed_for_s(ENTRY) == 1
    assert pace.take_turn(ENTRY, 1_000) == 500
    clock.now += 500
    assert pace.take_turn(ENTRY, 0) == 0
