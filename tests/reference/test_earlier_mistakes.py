"""Negative conformance: each way in which an earlier implementation of the contract failed must fail here."""

from __future__ import annotations

import pytest

from app.kernel.results import RawResult
from app.system.contract_files import read_contract
from tests.fixtures.scripted import Bench, raw_item
from tests.golden.cases import play

TEXT = "A sheet of dough rests for an hour before it is folded."


def _one(call, **case):
    return Bench({"plan": [{"calls": [{"id": "a", **call}]}], **case})


@pytest.mark.clause("2.2")
def test_a_tool_is_really_called():
    bench = _one({"items": [{"body": TEXT}]})
    outcome = bench.run()
    assert bench.tool.started == ["a"]
    assert outcome.bundle.sources[0].text == TEXT


@pytest.mark.clause("2.8")
def test_a_slow_tool_is_cut_and_not_only_measured():
    bench = _one({"takes_ms": 3_600_000, "items": [{"body": TEXT}]})
    outcome = bench.run()
    assert outcome.verdict.stop == "TIMEOUT"
    assert outcome.elapsed_ms == 5_001


@pytest.mark.clause("4.1")
def test_sandbox_violation_and_entitlement_cap_can_happen():
    assert _one({"items": [{"body": "x" * 30_000}]}).run().verdict.stop == "SANDBOX_VIOLATION"
    refused = _one({"items": [{"body": TEXT}]}, principal={"tier": "FREE"})
    assert refused.run().verdict.stop == "ENTITLEMENT_CAP"
    assert refused.tool.started == []


@pytest.mark.clause("5")
def test_rate_comes_before_budget_and_budget_before_timeout():
    order = [reason.value for reason in read_contract().stops.order]
    assert order.index("RATE_LIMITED") < order.index("BUDGET_EXHAUSTED") < order.index("TIMEOUT")
    calls = [{"id": f"c{number}"} for number in range(6)]
    both = Bench({"ledger": [{"calls": 10}], "plan": [{"calls": calls}]}).run()
    assert {signal.reason.value for signal in both.verdict.signals} == {"RATE_LIMITED", "BUDGET_EXHAUSTED"}
    assert both.verdict.stop == "RATE_LIMITED"


@pytest.mark.clause("3.6")
@pytest.mark.parametrize("error", ["ValueError", "SystemExit", "KeyboardInterrupt", "CancelledError", "ToolFailure"])
def test_an_exception_is_never_an_empty_answer(error):
    outcome = _one({"raises": error}).run()
    assert outcome.verdict.stop == "INTERNAL_INCONSISTENCY"
    assert outcome.text == "This is a general answer; no research was used for it."
    assert "secret" not in outcome.model_dump_json()


@pytest.mark.clause("2.3")
def test_a_source_id_depends_on_what_the_source_says():
    ids = {_one({"items": [{"body": TEXT + end}]}).run().bundle.sources[0].source_id for end in ("", " Twice.")}
    assert len(ids) == 2
    same = {_one({"items": [{"body": TEXT}]}).run().bundle.sources[0].source_id for _ in range(2)}
    assert len(same) == 1


@pytest.mark.clause("3.3")
def test_two_tools_are_two_calls():
    case = {"plan": [{"calls": [{"id": "a", "tool": "alpha"}, {"id": "b", "tool": "beta"}]}]}
    bench, got = play(case)
    assert len(got["calls"]) == 2
    assert bench.loop_free_standing("00000000-0000-4000-8000-000000000001").session_calls == 2
    narrowed = {**case, "request": {"narrow": {"max_tool_calls_total": 1}}}
    assert play(narrowed)[1]["stop"] == "BUDGET_EXHAUSTED"


def test_the_script_makes_real_results():
    item = raw_item({"body": TEXT})
    assert isinstance(RawResult.model_validate({"status": "ok", "items": (item,)}, strict=False), RawResult)
