"""Completion orders leave no trace; the command that shows it over several Pythons names what differs."""

from __future__ import annotations

import copy

import pytest
from scripts.determinism import Differs, NotEvaluated, Run, compared, find_python, main

from tests.golden.cases import case_files, read_case
from tests.golden.orders import ORDERS, all_traces, may_stretch, reordered

CASES = {path.stem: read_case(path) for path in case_files()}
RUN = Run("3.11", "0", 1)


@pytest.fixture(scope="module")
def played():
    return {
        order: {name: [found.exact, found.timeless, *found.finished] for name, found in sessions.items()}
        for order, sessions in all_traces().items()
    }


@pytest.mark.clause("4.2")
def test_the_order_of_completion_leaves_no_trace(played):
    told = compared([(RUN, played)])
    assert told["cases"] == len(CASES)
    assert told["configurations"] == len(ORDERS)
    assert told["configurations_to_the_byte"] == 3


@pytest.mark.parametrize("order", [order for order in ORDERS if order.by != "plan"], ids=lambda order: order.name)
def test_every_order_ends_many_calls_in_another_order(order, played):
    first, other = played["as_written"], played[order.name]
    assert sum(first[name][2:] != other[name][2:] for name in CASES) >= 15


def test_a_shift_stays_below_half_a_millisecond_in_a_session():
    for case in CASES.values():
        for order in ORDERS:
            if not order.stretch:
                shifted = reordered(case, order)
                added = [_longest_of(batch) for batch in _added(case, shifted)]
                assert 0 <= sum(added) < 0.5


def _added(case, shifted):
    for before, after in zip(case.get("plan", []), shifted.get("plan", []), strict=True):
        pairs = zip(before["calls"], after["calls"], strict=True)
        yield [new.get("takes_ms", 0) - old.get("takes_ms", 0) for old, new in pairs]


def _longest_of(added):
    return max(added, default=0)


def test_only_sessions_about_time_are_not_stretched():
    left = {name for name, case in CASES.items() if not may_stretch(case)}
    assert "two-calls-of-one-batch-end-in-reverse" not in left
    assert {"elapsed-equal-to-the-call-limit-is-in-time", "cancelled-during-a-pause"} <= left
    assert len(left) < len(CASES) / 4


@pytest.mark.parametrize(("part", "order"), [(0, "reversed"), (1, "stretched_shuffled"), (1, "as_written")])
def test_a_difference_is_named_by_configuration_and_case(part, order, played):
    other = copy.deepcopy(played)
    other[order]["tier-free"][part] = "0" * 64
    with pytest.raises(Differs, match=rf"Python 3.12, hash seed 1, order {order}, process 2: `tier-free` differs"):
        compared([(RUN, played), (Run("3.12", "1", 2), other)])


def test_times_may_differ_where_they_were_stretched(played):
    other = copy.deepcopy(played)
    other["stretched_reversed"]["tier-free"][0] = "0" * 64
    assert compared([(RUN, played), (RUN, other)])["digest"] == compared([(RUN, played)])["digest"]


def test_what_was_not_played_or_not_shuffled_is_not_evaluated(played):
    with pytest.raises(NotEvaluated, match="not the same cases"):
        compared([(RUN, played), (RUN, {**played, "shuffled": {}})])
    with pytest.raises(NotEvaluated, match="no call ended in another order"):
        compared([(RUN, {**played, "shuffled": played["as_written"]})])
    with pytest.raises(NotEvaluated, match="not the same cases"):
        compared([(RUN, {order.name: {} for order in ORDERS})])


def test_a_missing_interpreter_is_never_a_pass(tmp_path, capsys):
    shim = tmp_path / "bin" / "python3.12"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\necho 'python3.12: command not found' >&2\nexit 127\n", encoding="utf-8")
    shim.chmod(0o755)
    liar = tmp_path / "bin" / "python3.13"
    liar.write_text("#!/bin/sh\necho 2.7\n", encoding="utf-8")
    liar.chmod(0o755)
    environ = {"PATH": str(shim.parent), "HOME": str(tmp_path)}
    with pytest.raises(NotEvaluated, match=r"3\.12"):
        find_python("3.12", environ)
    assert main(environ, tmp_path / "place") == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert all(f"no working Python {version}" in said.err for version in ("3.11", "3.12", "3.13"))


def test_a_dead_shim_does_not_hide_a_live_interpreter(tmp_path):
    shim = tmp_path / "shims" / "python3.12"
    live = tmp_path / "live" / "python3.12"
    for path, text in ((shim, "exit 127"), (live, "echo 3.12")):
        path.parent.mkdir()
        path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        path.chmod(0o755)
    assert find_python("3.12", {"PATH": f"{shim.parent}:{live.parent}", "HOME": str(tmp_path)}) == str(live)
