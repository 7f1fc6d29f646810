"""The resolver's verdict beyond stop and action: the signals it keeps, the contradiction it adds, the retry time."""

from __future__ import annotations

import pytest

from app.kernel.stops import Cause, Signal, StopReason
from app.research.resolver import resolve
from app.system.contract_files import read_contract

DATA = read_contract()


def _rate(at_ms):
    return Signal(reason=StopReason.RATE_LIMITED, cause=Cause.RATE_WINDOW, retry_at_ms=at_ms)


@pytest.mark.ruling("R1")
@pytest.mark.parametrize("reason", [StopReason.NO_SOURCE, StopReason.SUCCESS_COMPLETED])
def test_a_contradiction_is_added_to_the_signals_with_the_number_of_sources(reason):
    given = (Signal(reason=StopReason.TIMEOUT, cause=Cause.CANCELLED), Signal(reason=reason, cause=Cause.TOOL_ERROR))
    verdict = resolve(given, 3, False, DATA)
    broken = Signal(reason=StopReason.INTERNAL_INCONSISTENCY, cause=Cause.IMPOSSIBLE_STATE, value=3)
    assert verdict.signals == (*given, broken)


@pytest.mark.ruling("R1")
def test_signals_that_fit_are_kept_as_they_came():
    given = (_rate(7), Signal(reason=StopReason.TIMEOUT, cause=Cause.CANCELLED))
    assert resolve(given, 1, False, DATA).signals == given


@pytest.mark.ruling("R9")
def test_the_latest_of_several_retry_times_counts_and_only_those_of_the_rate_limit():
    other = Signal(reason=StopReason.TIMEOUT, cause=Cause.TOTAL_TIMEOUT, retry_at_ms=9_000)
    assert resolve((_rate(500), _rate(800), _rate(600), other), 0, False, DATA).retry_at_ms == 800
