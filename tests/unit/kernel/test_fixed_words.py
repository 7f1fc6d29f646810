"""The closed words: they stand in journals, bundles and receipts, where another spelling would be another word."""

from __future__ import annotations

import pytest

from app.kernel import errors
from app.kernel.calls import Ended
from app.kernel.journal_records import CHAIN_START, Reading, Recovered, read_line, written_line
from app.kernel.ledger import WINDOW_MS, Reservation
from app.kernel.outcome import Collected
from app.kernel.results import OFFSET_MAX, TRUST_MARKER, OutcomeStatus, RejectionCode, SourceKind, UnavailableKind
from app.kernel.stops import Action, Cause, StopReason

WORDS = {
    Ended: "complete no_gain limit finished_early stopped",
    SourceKind: "fetched passage hit reported",
    OutcomeStatus: "ok empty unavailable failed timed_out violated crashed",
    UnavailableKind: (
        "unreachable slow rate_limited provider_down auth paywall robots blocked refused_destination too_large "
        "unreadable"
    ),
    RejectionCode: (
        "duplicate empty near_duplicate off_topic too_short undecodable unsafe_locator unsafe_shape unsafe_substitute "
        "unsafe_unmarked"
    ),
    StopReason: (
        "INTERNAL_INCONSISTENCY SANDBOX_VIOLATION INJECTION_DETECTED ENTITLEMENT_CAP POLICY_DISABLED RATE_LIMITED "
        "BUDGET_EXHAUSTED TIMEOUT VALIDATION_FAIL NO_SOURCE SUCCESS_COMPLETED"
    ),
    Action: "GROUNDED ASK_CLARIFY UNKNOWN BASELINE",
    Cause: (
        "cancelled caps_invalid check_failed collection_not_granted contract_violation destination_forbidden directive "
        "environment_unknown flag_off impossible_state lock_mismatch none_accepted operation_forbidden "
        "output_too_large per_call_timeout rate_window tier_not_granted tier_unknown tool_error tool_output_invalid "
        "total_calls total_timeout total_units unexpected_error unsafe_source worker_killed"
    ),
}
CAUSES = {
    errors.ToolFailure("x"): "tool_error",
    errors.ToolTimeout("x"): "per_call_timeout",
    errors.ToolUnavailable("slow"): "tool_error",
    errors.ToolResponseInvalid("x"): "tool_output_invalid",
    errors.SandboxViolation("x"): "operation_forbidden",
    errors.OutputTooLarge("x"): "output_too_large",
    errors.DestinationForbidden("x"): "destination_forbidden",
    errors.OperationForbidden("x"): "operation_forbidden",
    errors.WorkerKilled("x"): "worker_killed",
}


@pytest.mark.parametrize("kind", WORDS, ids=lambda kind: kind.__name__)
def test_a_vocabulary_is_closed_and_named_by_its_own_words(kind):
    assert [word.value for word in kind] == WORDS[kind].split()
    assert [word.name for word in kind] == WORDS[kind].upper().split()


@pytest.mark.parametrize("error", CAUSES, ids=lambda error: type(error).__name__)
def test_an_error_of_a_tool_knows_its_cause(error):
    assert error.cause == CAUSES[error]


def test_a_tool_that_reached_nothing_says_why_in_its_own_words_or_by_its_kind():
    assert str(errors.ToolUnavailable("slow")) == "slow"
    told = errors.ToolUnavailable("slow", "`a.example` took too long")
    assert (told.kind, str(told)) == ("slow", "`a.example` took too long")


def test_fixed_numbers_and_marks():
    assert (WINDOW_MS, OFFSET_MAX, TRUST_MARKER) == (60_000, 1_099_511_627_776, "untrusted-external-content")
    assert CHAIN_START == "0000000000000000" * 4


def test_what_was_collected_before_anything_ran_is_nothing():
    nothing = Collected()
    assert (nothing.carriers_removed, nothing.spent_units, nothing.ended) == (0, 0, "stopped")
    assert not any((nothing.sources, nothing.outcomes, nothing.rejections, nothing.findings, nothing.signals))


def test_a_second_wish_with_the_same_key_finds_the_first():
    fields = {"calls": 1, "units": 1, "max_calls_per_minute": 1, "max_calls_total": 1, "max_units": 1, "lease_ms": 1}
    assert Reservation(subject="t/u", session_id="s1", key="batch-2", **fields).reservation_id == "s1:batch-2"


LINE = (
    b'{"facts":{"found_at_ms":7,"released":2,"verdict":{"action":"BASELINE",'
    b'"stop":"INTERNAL_INCONSISTENCY"}},"prev":"' + b"0" * 64 + b'","reads":[[5,0],[6,1]],"step":"Recovered"'
)


def test_a_line_of_a_journal_is_these_very_bytes():
    fields = {"found_at_ms": 7, "released": 2}
    verdict = {"stop": "INTERNAL_INCONSISTENCY", "action": "BASELINE"}
    record = Recovered.model_validate({"verdict": verdict, **fields}, strict=False)
    reads = (Reading(5, False), Reading(6, True))
    written = written_line(CHAIN_START, reads, record)
    assert written.data == LINE + f',"sum":"{written.digest}"}}'.encode()
    line = read_line(written.data)
    assert (line.record, line.reads, line.prev, line.digest) == (record, reads, CHAIN_START, written.digest)
    assert line.step == "Recovered"
