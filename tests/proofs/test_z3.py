"""z3 on the rules themselves: proven as they stand, refused with any of the planted faults."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import z3
from scripts.proofs import ledger_rules, stop_rules
from scripts.proofs.sameness import differences
from scripts.proofs.symbolic import Code
from scripts.proofs.values import Record, Unsupported

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
    "another stop tells when": ("resolver", "if stop is StopReason.RATE_LIMITED", "if stop is StopReason.TIMEOUT"),
    "an error instead of a verdict": (
        "resolver",
        "    if stop is None:\n",
        "    if stop is None and clarified:\n        raise ValueError('none')\n    if stop is None:\n",
    ),
}
RETRY_FAULTS = {
    "the earliest instead of the latest": ("resolver", "max(moments", "min(moments"),
    "any signal's time": ("resolver", "s.reason is StopReason.RATE_LIMITED and ", ""),
    "another stop's time": ("resolver", "if s.reason is StopReason.RATE_LIMITED", "if s.reason is StopReason.TIMEOUT"),
    "an error instead of none": (
        "resolver",
        "    return max(moments",
        "    if not moments:\n        raise ValueError('none')\n    return max(moments",
    ),
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
    "everything is refused": ("ledger", "    if signals:\n", "    if True:\n"),
    "a limit that is none": (
        "ledger",
        "Refused(signals=signals,",
        "Refused(signals=(*signals, Signal(reason=StopReason.TIMEOUT, cause=Cause.TOOL_ERROR)),",
    ),
    "a limit under another name": ("ledger", "reason=StopReason.BUDGET_EXHAUSTED", "reason=StopReason.TIMEOUT"),
    "neither reserved nor refused": ("ledger", "return Refused(", "return Declined("),
    "an error instead of a refusal": (
        "ledger",
        "    if signals:\n",
        "    if calls is not None:\n        raise ValueError('over')\n    if signals:\n",
    ),
    "a used key counts anew in a busy minute": (
        "ledger",
        "if state.earlier is not None:",
        "if state.earlier is not None and not state.window:",
    ),
}
# What raises within an expression of the product is no path of the interpreter: it says so, and nothing is proven.
RAISING_FAULTS = {
    "the latest of no moments": (stop_rules, "prove_retry", ("resolver", "max(moments, default=None)", "max(moments)")),
    "a call with one argument too many": (
        ledger_rules,
        "prove_ledger",
        ("ledger", "_rate(state, wish, now_ms)", "_rate(state, wish, now_ms, 0)"),
    ),
    "a retry time of too much": (
        stop_rules,
        "prove_stops",
        ("resolver", "_retry_at(signals) if", "_retry_at(signals, counted) if"),
    ),
    "a field that is not there": (ledger_rules, "prove_ledger", ("ledger", "else rate.retry_at_ms", "else rate.retry")),
    "an error in the list of priorities": (
        stop_rules,
        "prove_stops",
        ("contract", "return tuple(entry.code for entry in self.stop_reasons)", "raise ValueError('none')"),
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


@pytest.mark.parametrize("name", RAISING_FAULTS)
def test_an_error_within_an_expression_proves_nothing(name):
    rules, prover, fault = RAISING_FAULTS[name]
    with pytest.raises(Unsupported):
        getattr(rules, prover)(_planted(rules.read_sources(ROOT), fault))


class _Forgetful(Code):
    """An interpreter that loses the last way through a function."""

    def paths(self, name, arguments, given=None):
        return super().paths(name, arguments, given)[:-1]


def test_inputs_that_no_path_takes_are_not_proven():
    stops, ledger = stop_rules.read_sources(ROOT), ledger_rules.read_sources(ROOT)
    assert "not total" in stop_rules.prove_stops(stops, translator=_Forgetful)[0]
    assert "retry time: not total: []" in stop_rules.prove_retry(stops, translator=_Forgetful)
    lost = [problem for problem in ledger_rules.prove_ledger(ledger, 1, _Forgetful) if "not total" in problem]
    # Both with a key of its own and with one that was used before, in a window of none and of one.
    assert len(lost) == 4
    assert ["a key used before" in problem for problem in lost] == [False, True] * 2


def test_a_proof_about_nothing_is_none():
    x = z3.Int("x")
    path = Code(("def f(x):\n    return x",)).paths("f", [x])
    assert stop_rules.uncovered(path, x > 0) == []
    assert stop_rules.uncovered([], x > 0) == ["not total: [x = 1]"]
    assert stop_rules.uncovered(path, z3.And(x > 0, x < 0)) == ["the assumptions exclude each other"]
    assert stop_rules.prove_retry(stop_rules.read_sources(ROOT), 0) == ["no signal was looked at"]
    assert ledger_rules.prove_ledger(ledger_rules.read_sources(ROOT), 0) == ["no window was looked at"]


def test_two_sources_are_alike_only_where_both_are_known_everywhere():
    text = "def f(x):\n    if x > 0:\n        return x\n    raise ValueError('none')"
    x = z3.Int("x")
    anything = z3.BoolVal(True)
    assert differences(Code((text,)), Code((text,)), "f", [x], anything) == []
    assert differences(Code((text,)), _Forgetful((text,)), "f", [x], anything)
    assert differences(_Forgetful((text,)), Code((text,)), "f", [x], anything)
    assert differences(_Forgetful((text,)), _Forgetful((text,)), "f", [x], anything)
    assert differences(Code((text,)), Code((text,)), "f", [x], z3.And(x > 0, x < 0))
    for other in ("return None", "raise KeyError('none')"):
        assert differences(Code((text,)), Code((text.replace("raise ValueError('none')", other),)), "f", [x], anything)


@pytest.mark.parametrize("size", ["-1", "0", "some"])
def test_a_window_that_nothing_stands_in_is_refused(size):
    line = [sys.executable, "-m", "scripts.proofs", "--window", size]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].endswith(f"argument --window: `{size}` is not a number above 0")


@pytest.mark.parametrize("line", ["while x: pass", "return x if y else open(x)", "return [a for a in x for b in a]"])
def test_what_the_interpreter_does_not_know_proves_nothing(line):
    with pytest.raises(Unsupported):
        Code((f"def f(x):\n    {line}",)).paths("f", [1])


@pytest.mark.parametrize("asked", ["x.told()", "x.shown", "x.absent"])
def test_what_a_record_raises_is_not_taken_for_none(asked):
    row = "class Row:\n    def told(self):\n        raise ValueError('none')\n    @property\n    def shown(self):\n"
    with pytest.raises(Unsupported):
        Code((f"{row}        raise ValueError('none')\ndef f(x):\n    return {asked}",)).paths("f", [Record("Row", {})])
