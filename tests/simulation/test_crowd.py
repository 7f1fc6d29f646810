"""Demand far above the caps, through the public gate: exactly the cap is admitted."""

from __future__ import annotations

import pytest
from benchmarks.crowd import four_processes, one_process


@pytest.mark.clause("3.3")
@pytest.mark.ruling("R9")
@pytest.mark.parametrize("crowd", [one_process, four_processes])
def test_exactly_the_cap_is_admitted(crowd, capsys):
    figures = crowd()
    with capsys.disabled():
        print(f"\n{crowd.__name__}: overshoot {figures['overshoot']}, undershoot {figures['undershoot']}")
    assert figures["span_ms"] < 60_000, "the crowd took longer than the window; nothing was measured"
    assert figures["demanded"] >= 3 * figures["cap_per_minute"]
    assert figures["admitted"] == figures["calls_told"] == figures["cap_per_minute"]
    over = ("overshoot", "undershoot", "sessions_over_calls", "sessions_over_units", "unsettled")
    assert {key: figures[key] for key in over} == dict.fromkeys(over, 0)
