"""The resolver against the model: every set of signals, every bundle, every history."""

from __future__ import annotations

from itertools import combinations

import pytest

from app.kernel.stops import Cause, Signal, StopReason
from app.research.resolver import resolve
from app.system.contract_files import read_contract
from tests.reference.stop_model import CONTRACT, codes, expected, priority_order

TEXT = CONTRACT.read_text(encoding="utf-8")
ORDER = priority_order(TEXT)
DATA = read_contract()
SIGNALLED = [code for code in ORDER if code not in ("NO_SOURCE", "SUCCESS_COMPLETED")]


def _resolve(signals, empty, clarified):
    raised = tuple(Signal(reason=StopReason(code), cause=Cause.TOOL_ERROR) for code in signals)
    verdict = resolve(raised, 0 if empty else 1, clarified, DATA)
    return verdict.stop.value, verdict.action.value


def _subsets(items):
    return [subset for size in range(len(items) + 1) for subset in combinations(items, size)]


@pytest.mark.clause("4.1")
@pytest.mark.clause("5")
@pytest.mark.ruling("R6")
def test_the_whole_table():
    assert len(SIGNALLED) == 9
    checked = 0
    for signals in _subsets(SIGNALLED):
        for empty in (True, False):
            for clarified in (True, False):
                want = expected(signals, empty, clarified, ORDER)
                assert _resolve(signals, empty, clarified) == want
                assert _resolve(tuple(reversed(signals)), empty, clarified) == want
                checked += 1
    assert checked == 2**9 * 4


@pytest.mark.ruling("R1")
@pytest.mark.parametrize("clarified", [True, False])
@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize("derived", [("NO_SOURCE",), ("SUCCESS_COMPLETED",), ("NO_SOURCE", "SUCCESS_COMPLETED")])
def test_signals_that_contradict_the_bundle(derived, empty, clarified):
    for others in _subsets(SIGNALLED):
        signals = (*others, *derived)
        assert _resolve(signals, empty, clarified) == expected(signals, empty, clarified, ORDER)
    broken = "SUCCESS_COMPLETED" in derived or not empty
    assert (_resolve(derived, empty, clarified)[0] == "INTERNAL_INCONSISTENCY") is broken


@pytest.mark.clause("4.1")
def test_codes_and_order_of_text_data_and_enum_are_the_same():
    assert sorted(codes(TEXT)) == sorted(ORDER) == sorted(reason.value for reason in StopReason)
    assert [reason.value for reason in DATA.stops.order] == ORDER
    assert [reason.value for reason in StopReason] == ORDER


def test_the_retry_time_is_that_of_the_rate_limit():
    rate = Signal(reason=StopReason.RATE_LIMITED, cause=Cause.RATE_WINDOW, retry_at_ms=500)
    never = Signal(reason=StopReason.RATE_LIMITED, cause=Cause.RATE_WINDOW)
    assert resolve((rate, never), 0, False, DATA).retry_at_ms == 500
    assert resolve((never,), 0, False, DATA).retry_at_ms is None
    crash = Signal(reason=StopReason.INTERNAL_INCONSISTENCY, cause=Cause.TOOL_ERROR)
    assert resolve((rate, crash), 0, False, DATA).retry_at_ms is None
