"""Three audiences: what each may see of every stop."""

from __future__ import annotations

import json

import pytest
from tests.fixtures.scripted import Bench
from tests.golden.cases import case_files, read_case

from app.kernel.errors import RequestInvalid
from app.kernel.request import Principal
from app.kernel.results import CallOutcome, OutcomeStatus, UnavailableKind
from app.kernel.stops import Cause, StopReason
from app.research.audience import for_caller, for_end_user, for_operator, gaps_of

CASES = [read_case(path) for path in case_files() if "cancel_after_ms" not in read_case(path)]


def _outcomes():
    return [(case["note"], Bench(case).run()) for case in CASES]


@pytest.mark.ruling("R14")
@pytest.mark.clause("3.6")
def test_nobody_but_the_operator_sees_codes_caps_or_causes():
    for note, outcome in _outcomes():
        for view in (for_end_user(outcome), for_caller(outcome)):
            shown = json.dumps({**view.model_dump(mode="json"), "sources": []})
            for word in (*StopReason, *Cause, "secret text", "ValueError"):
                assert f'"{word}"' not in shown or word in UnavailableKind, (note, word)


@pytest.mark.ruling("R8")
def test_no_source_leaves_after_a_stop():
    grounded = 0
    for note, outcome in _outcomes():
        views = (for_end_user(outcome), for_caller(outcome))
        success = outcome.verdict.stop is StopReason.SUCCESS_COMPLETED
        grounded += success
        assert [bool(view.sources) for view in views] == [success, success], note
    assert grounded >= 4


@pytest.mark.ruling("R18")
def test_the_error_of_every_stop():
    want = {
        "INTERNAL_INCONSISTENCY": ("upstream_unavailable", False),
        "SANDBOX_VIOLATION": ("upstream_unavailable", False),
        "INJECTION_DETECTED": ("upstream_unavailable", False),
        "ENTITLEMENT_CAP": ("config", False),
        "POLICY_DISABLED": ("config", False),
        "RATE_LIMITED": ("rate_limited", True),
        "BUDGET_EXHAUSTED": ("upstream_unavailable", True),
        "TIMEOUT": ("upstream_unavailable", True),
        "VALIDATION_FAIL": None,
        "NO_SOURCE": None,
        "SUCCESS_COMPLETED": None,
    }
    seen = set()
    for note, outcome in _outcomes():
        error = for_caller(outcome).error
        stop = outcome.verdict.stop.value
        seen.add(stop)
        assert (error and (error.kind, error.retryable)) == want[stop], note
        assert bool(for_caller(outcome, ("look elsewhere",)).hints) is (stop in ("NO_SOURCE", "VALIDATION_FAIL"))
    assert seen == set(want)


@pytest.mark.ruling("R14")
def test_the_security_stops_look_alike_to_a_caller():
    security = ("INTERNAL_INCONSISTENCY", "SANDBOX_VIOLATION", "INJECTION_DETECTED")
    seen = set()
    for _, outcome in _outcomes():
        if outcome.verdict.stop.value in security:
            view = for_caller(outcome).model_dump(mode="json")
            view["cost"].pop("wall_time_ms")
            seen.add(json.dumps(view))
    assert len(seen) == 1


@pytest.mark.ruling("R9")
def test_a_rate_limit_says_when():
    full = {"ledger": [{"calls": 10}], "start_after_ms": 20_500, "plan": [{"calls": [{"id": "a"}]}]}
    assert for_caller(Bench(full).run()).error.retry_after_seconds == 40
    never = {**full, "request": {"narrow": {"max_tool_calls_per_minute": 1}}}
    never["plan"] = [{"calls": [{"id": "a"}, {"id": "b"}]}]
    assert for_caller(Bench(never).run()).error.retry_after_seconds is None


@pytest.mark.ruling("R3")
def test_every_unavailable_call_is_a_gap():
    outcomes = tuple(
        CallOutcome(
            call_id=f"c{number}",
            branch="main",
            tool="alpha",
            status=OutcomeStatus.UNAVAILABLE,
            unavailable=kind,
            spent_units=0,
            elapsed_ms=1,
        )
        for number, kind in enumerate(UnavailableKind)
    )
    gaps = gaps_of(outcomes)
    assert [gap.detail for gap in gaps] == [kind.value for kind in UnavailableKind]
    assert {gap.kind for gap in gaps} == {"access_denied", "scope_exceeded", "source_not_found"}


@pytest.mark.ruling("R4")
def test_a_plan_that_ended_at_its_limit_says_so():
    body = "A loaf that was baked in time is better than a perfect one."
    case = {"done": "limit", "plan": [{"calls": [{"id": "a", "items": [{"body": body}]}]}]}
    assert for_caller(Bench(case).run()).budget_exhausted is True
    assert for_caller(Bench({**case, "done": "complete"}).run()).budget_exhausted is False


@pytest.mark.ruling("R14")
def test_the_view_of_an_operator_needs_the_scope():
    outcome = Bench(CASES[0]).run()
    chief = Principal(tenant="t", user="u", tier="PRO", scopes=("operator",))
    assert for_operator(outcome, chief) is outcome
    with pytest.raises(RequestInvalid):
        for_operator(outcome, chief.model_copy(update={"scopes": ()}))
