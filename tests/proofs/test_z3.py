"""z3 on the rules themselves: proven as they stand, refused with any of the planted faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts.proofs import ledger_rules, stop_rules
from scripts.proofs.symbolic import Code
from scripts.proofs.values import Unsupported

ROOT = Path(__file__).parents[2]

STOP_FAULTS = {
    "zero sources count": (
        "resolver",
        "stop = StopReason.SUCCESS_COMPLETED if counted > 0",
        "stop = StopReason.SUCCESS_COMPLETED if counted >= 0",
    ),
    "one source is not enough": ("resolver", "SUCCESS_COMPLETED if counted > 0", "SUCCESS_COMPLETED if counted > 1"),
    "a contradiction is overlooked": ("resolver", "(StopReason.NO_SOURCE in raised and counted > 0)", "False"),
    "a contradiction too many": (
        "resolver",
        "NO_SOURCE in raised and counted > 0",
        "NO_SOURCE in raised and counted >= 0",
    ),
    "the bundle is read the other way round": ("resolver", "counted == 0, clarified", "counted != 0, clarified"),
    "history is forgotten": ("resolver", "counted == 0, clarified", "counted == 0, False"),
    "the last of the list wins": ("resolver", "if reason in raised), None)", "if reason not in raised), None)"),
    "two priorities are swapped": ("stops", '"code": "TIMEOUT"', '"code": "RATE_LIMITED"'),
    "an action is wrong": ("actions", '"action": "UNKNOWN"', '"action": "GROUNDED"'),
    "the lookup ignores the bundle": ("contract", "and row.bundle_empty in (None, empty)", ""),
    "the lookup finds no row": (
        "contract",
        "row.clarified in (None, clarified)",
        "row.clarified not in (None, clarified)",
    ),
}
RETRY_FAULTS = {
    "the earliest instead of the latest": ("resolver", "max(moments", "min(moments"),
    "any signal's time": ("resolver", "s.reason is StopReason.RATE_LIMITED and ", ""),
    "another stop's time": ("resolver", "if s.reason is StopReason.RATE_LIMITED", "if s.reason is StopReason.TIMEOUT"),
}
LEDGER_FAULTS = {
    "a call more than the cap": ("ledger", "if value <= limit", "if value <= limit + 1"),
    "a call less than the cap": ("ledger", "if value <= limit", "if value < limit"),
    "the window ends too early": ("ledger", "entry[0] + WINDOW_MS > now_ms", "entry[0] + WINDOW_MS > now_ms + 1"),
    "the window ends too late": ("ledger", "entry[0] + WINDOW_MS > now_ms", "entry[0] + WINDOW_MS >= now_ms"),
    "a shorter minute": ("nouns", "WINDOW_MS = 60_000", "WINDOW_MS = 59_999"),
    "calls and units are confused": ("ledger", "state.session_units + wish.units", "state.session_units + wish.calls"),
    "what is wished for is not counted": ("ledger", "state.session_calls + wish.calls", "state.session_calls"),
    "a limit is not named": ("ledger", "(rate, calls, units) if", "(rate, calls) if"),
    "the second call is forgotten": ("ledger", "excess -= calls", "excess = excess - 1"),
    "a retry that comes too early": ("ledger", "return at_ms + WINDOW_MS", "return at_ms + WINDOW_MS - 1"),
    "a lease without end": ("ledger", "lease_until_ms=now_ms + wish.lease_ms", "lease_until_ms=now_ms"),
    "another batch under the same key": ("ledger", "(wish.calls, wish.units):", "(wish.calls, state.earlier.units):"),
    "the rate is off by one": (
        "ledger",
        "if excess <= 0:\n        return None",
        "if excess <= 1:\n        return None",
    ),
}


def _planted(texts, fault):
    where, old, new = fault
    assert old in texts[where], "a fault that changes nothing shows nothing"
    return {**texts, where: texts[where].replace(old, new, 1)}


def test_stops_and_actions_are_those_of_the_text():
    assert stop_rules.prove_stops(stop_rules.read_sources(ROOT)) == []


def test_the_retry_time_is_the_latest_of_the_rate_limit():
    assert stop_rules.prove_retry(stop_rules.read_sources(ROOT)) == []


def test_the_ledger_never_passes_a_cap_and_refuses_nothing_that_fits():
    assert ledger_rules.prove_ledger(ledger_rules.read_sources(ROOT)) == []


@pytest.mark.parametrize("name", STOP_FAULTS)
def test_a_fault_in_the_stop_calculus_is_refused(name):
    texts = stop_rules.read_sources(ROOT)
    assert stop_rules.prove_stops(_planted(texts, STOP_FAULTS[name]))


@pytest.mark.parametrize("name", RETRY_FAULTS)
def test_a_fault_in_the_retry_time_is_refused(name):
    assert stop_rules.prove_retry(_planted(stop_rules.read_sources(ROOT), RETRY_FAULTS[name]))


@pytest.mark.parametrize("name", LEDGER_FAULTS)
def test_a_fault_in_the_ledger_is_refused(name):
    texts = ledger_rules.read_sources(ROOT)
    # Two reservations are enough to see each of them, and quicker than three.
    assert ledger_rules.prove_ledger(_planted(texts, LEDGER_FAULTS[name]), most=2)


@pytest.mark.parametrize("line", ["while x: pass", "return x if y else open(x)", "return [a for a in x for b in a]"])
def test_what_the_interpreter_does_not_know_proves_nothing(line):
    with pytest.raises(Unsupported):
        Code((f"def f(x):\n    {line}",)).paths("f", [1])
