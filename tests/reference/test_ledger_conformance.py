"""Every ledger keeps the same promises: the cases by hand, and long random histories against the oracle."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from app.kernel.errors import ContractViolation
from app.kernel.ledger import Refused, Reserved
from app.kernel.stops import Cause, StopReason
from tests.reference.ledger_bench import BACKENDS, START_MS, Bench
from tests.reference.ledger_oracle import LedgerOracle, OracleError


@pytest.fixture(params=BACKENDS)
def bench(request, tmp_path):
    bench = Bench(request.param, tmp_path)
    yield bench
    bench.ledger.close()


@pytest.mark.ruling("R5")
def test_exactly_the_cap_is_admitted(bench):
    made = [bench.reserve(key=f"b{n}") for n in range(25)]
    assert [isinstance(decision, Reserved) for decision in made] == [True] * 10 + [False] * 15


@pytest.mark.ruling("R9")
def test_a_reservation_counts_until_its_minute_is_over(bench):
    bench.reserve(calls=10)
    bench.clock.at_ms = START_MS + 59_999
    refused = bench.reserve(key="b2")
    assert isinstance(refused, Refused)
    assert refused.retry_at_ms == START_MS + 60_000
    bench.clock.at_ms = START_MS + 60_000
    assert isinstance(bench.reserve(key="b2", calls=10), Reserved)


@pytest.mark.ruling("R9")
def test_a_refused_wish_does_not_count(bench):
    bench.reserve(calls=9)
    assert isinstance(bench.reserve(key="b2", calls=2), Refused)
    assert bench.standing()["window_calls"] == 9
    assert isinstance(bench.reserve(key="b2", calls=1), Reserved)


@pytest.mark.ruling("R9")
def test_a_batch_over_the_cap_can_never_fit(bench):
    bench.reserve(calls=3)
    refused = bench.reserve(key="b2", calls=11)
    assert refused.retry_at_ms is None
    assert [(s.cause, s.limit, s.value, s.retry_at_ms) for s in refused.signals] == [(Cause.RATE_WINDOW, 10, 14, None)]


@pytest.mark.ruling("R9")
def test_retry_is_the_moment_when_the_whole_batch_fits(bench):
    for n in range(5):
        bench.clock.at_ms = START_MS + n * 100
        bench.reserve(key=f"b{n}", calls=2)
    refused = bench.reserve(key="late", calls=5)
    assert refused.retry_at_ms == START_MS + 200 + 60_000
    bench.clock.at_ms = refused.retry_at_ms - 1
    assert isinstance(bench.reserve(key="late", calls=5), Refused)
    bench.clock.at_ms = refused.retry_at_ms
    assert isinstance(bench.reserve(key="late", calls=5), Reserved)


@pytest.mark.ruling("R1")
def test_every_limit_that_stands_against_a_batch_is_named(bench):
    refused = bench.reserve(calls=11, units=60, max_calls_total=5, max_units=50)
    assert [(s.reason, s.cause, s.limit, s.value) for s in refused.signals] == [
        (StopReason.RATE_LIMITED, Cause.RATE_WINDOW, 10, 11),
        (StopReason.BUDGET_EXHAUSTED, Cause.TOTAL_CALLS, 5, 11),
        (StopReason.BUDGET_EXHAUSTED, Cause.TOTAL_UNITS, 50, 60),
    ]


@pytest.mark.ruling("R11")
def test_what_was_not_spent_can_be_reserved_again(bench):
    first = bench.reserve(units=50, max_units=50)
    assert isinstance(bench.reserve(key="b2", units=1, max_units=50), Refused)
    bench.settle(first.reservation_id, 20)
    assert isinstance(bench.reserve(key="b2", units=30, max_units=50), Reserved)
    assert isinstance(bench.reserve(key="b3", units=1, max_units=50), Refused)


@pytest.mark.ruling("R9")
def test_the_same_key_gets_the_same_answer(bench):
    first = bench.reserve(calls=10)
    bench.clock.at_ms += 5_000
    assert bench.reserve(calls=10) == first
    assert bench.standing()["window_calls"] == 10
    for other in ({"calls": 9}, {"calls": 10, "units": 11}):
        with pytest.raises(ContractViolation, match="other calls or units"):
            bench.reserve(**other)
    assert isinstance(bench.reserve(session_id="s2", max_calls_per_minute=11), Reserved)


@pytest.mark.ruling("R9")
def test_a_lease_that_ran_out_frees_units_and_keeps_the_calls(bench):
    late = bench.reserve(units=50, max_units=50)
    bench.clock.at_ms = late.lease_until_ms
    assert isinstance(bench.reserve(key="b2", units=1, max_units=50), Refused)
    bench.clock.at_ms = late.lease_until_ms + 1
    assert isinstance(bench.reserve(key="b2", units=50, max_units=50), Reserved)
    assert bench.standing()["window_calls"] == 2
    bench.settle(late.reservation_id, 7)
    assert bench.standing()["spent_units"] == 7


def test_settling_twice_is_settling_once(bench):
    made = bench.reserve(units=10)
    bench.settle(made.reservation_id, 4)
    bench.settle(made.reservation_id, 4)
    assert bench.standing() == {
        "window_calls": 1,
        "session_calls": 1,
        "spent_units": 4,
        "held_units": 0,
        "open_reservations": 0,
    }


@pytest.mark.parametrize(
    ("reservation_id", "spent", "message"),
    [
        ("s1:b1", 11, "11 units spent of 10"),
        ("s1:b1", -1, "-1 units spent of 10"),
        ("s1:b9", 1, "no reservation"),
        ("s9:b1", 1, "no reservation"),
        ("", 0, "no reservation"),
        ("s1", 0, "no reservation"),
    ],
)
def test_a_wrong_settlement_is_our_mistake(bench, reservation_id, spent, message):
    bench.reserve(units=10)
    before = bench.standing()
    with pytest.raises(ContractViolation, match=message):
        bench.settle(reservation_id, spent)
    assert bench.standing() == before


def test_another_amount_for_a_settled_reservation_is_our_mistake(bench):
    made = bench.reserve(units=10)
    bench.settle(made.reservation_id, 4)
    with pytest.raises(ContractViolation, match="settled at 4 units"):
        bench.settle(made.reservation_id, 5)


@pytest.mark.ruling("R12")
def test_a_released_session_holds_nothing(bench):
    for n in range(3):
        bench.reserve(key=f"b{n}")
    bench.settle("s1:b0", 10)
    bench.reserve(session_id="s2")
    assert bench.release("s1") == 2
    assert bench.release("s1") == 0
    assert bench.standing()["held_units"] == 0
    assert bench.standing()["spent_units"] == 10
    assert bench.standing(session_id="s2")["open_reservations"] == 1


def test_time_never_goes_back(bench):
    bench.clock.at_ms = START_MS + 30_000
    bench.reserve(calls=10)
    bench.clock.at_ms = START_MS - 500_000
    refused = bench.reserve(key="b2")
    assert refused.retry_at_ms == START_MS + 90_000
    other = bench.reserve(subject="acme/bob", session_id="s2")
    assert other.at_ms == START_MS + 30_000


def test_looking_from_the_future_changes_nothing(bench):
    bench.reserve(calls=10)
    bench.clock.at_ms = START_MS + 60_000
    assert bench.standing()["window_calls"] == 0
    assert isinstance(bench.reserve(key="b2", calls=11), Refused)
    bench.clock.at_ms = START_MS + 55_000
    assert bench.standing()["window_calls"] == 10
    assert isinstance(bench.reserve(key="b2"), Refused)


def test_subjects_do_not_share_a_window(bench):
    bench.reserve(calls=10)
    assert isinstance(bench.reserve(subject="acme/bob", session_id="s2", calls=10), Reserved)
    assert isinstance(bench.reserve(subject="acme/a'; DROP TABLE reservations; --", session_id="s3"), Reserved)


@pytest.mark.parametrize("step_ms", [1, 999, 19_999, 20_000, 29_999, 30_000, 59_999, 60_000, 60_001])
def test_no_schedule_gets_past_the_cap_and_none_is_cheated_of_it(bench, step_ms):
    """Bursts of three times the cap at every edge: a fixed window or a leaky bucket admits more or fewer."""
    admitted = []
    for tick in range(60):
        for n in range(30 if tick % 3 == 0 else 2):
            now_ms = bench.clock.at_ms
            room = 10 - sum(at_ms + 60_000 > now_ms for at_ms in admitted)
            decision = bench.reserve(session_id=f"s{tick}", key=f"b{n}")
            assert isinstance(decision, Reserved) is (room > 0)
            if room > 0:
                admitted.append(now_ms)
        bench.clock.at_ms += step_ms
    overshoot = max(sum(a <= b < a + 60_000 for b in admitted) for a in admitted) - 10
    assert overshoot <= 0


def test_a_full_window_opens_at_the_edge_and_not_before(bench):
    for edge in (0, 59_999, 60_000, 119_999, 120_000):
        bench.clock.at_ms = START_MS + edge
        burst = [bench.reserve(session_id=f"s{edge}", key=f"b{n}") for n in range(30)]
        assert sum(isinstance(decision, Reserved) for decision in burst) == (10 if edge % 60_000 == 0 else 0)


class LedgerMachine(RuleBasedStateMachine):
    """Random histories: whatever the oracle says, the ledger says, field by field."""

    backend = ""
    sessions = st.sampled_from(["s1", "s2", "s3"])
    keys = st.sampled_from(["b1", "b2", "b3", "b4", "b5", "b6"])
    subjects = st.sampled_from(["acme/ada", "acme/bob"])

    @initialize()
    def open(self):
        self.folder = tempfile.TemporaryDirectory()
        self.bench = Bench(self.backend, Path(self.folder.name))
        self.oracle = LedgerOracle()

    def teardown(self):
        if hasattr(self, "bench"):
            self.bench.ledger.close()
            self.folder.cleanup()

    @rule(
        session=sessions,
        key=keys,
        subject=subjects,
        calls=st.integers(1, 5),
        units=st.integers(0, 20),
        per_minute=st.sampled_from([4, 7, 12]),
        calls_total=st.sampled_from([6, 12, 100]),
        max_units=st.sampled_from([0, 30, 60]),
        lease=st.sampled_from([1, 1_000, 30_000, 90_000]),
    )
    def reserve(self, session, key, subject, calls, units, per_minute, calls_total, max_units, lease):
        plain = {
            "session": session,
            "key": key,
            "subject": subject,
            "calls": calls,
            "units": units,
            "per_minute": per_minute,
            "calls_total": calls_total,
            "max_units": max_units,
            "lease": lease,
        }
        try:
            want = self.oracle.reserve(self.bench.clock.at_ms, plain)
        except OracleError:
            want = "broken"
        try:
            got = self.bench.reserve(
                session_id=session,
                key=key,
                subject=subject,
                calls=calls,
                units=units,
                max_calls_per_minute=per_minute,
                max_calls_total=calls_total,
                max_units=max_units,
                lease_ms=lease,
            )
        except ContractViolation:
            assert want == "broken"
            return
        if isinstance(got, Reserved):
            assert want == ("reserved", got.at_ms, got.lease_until_ms)
            assert (got.reservation_id, got.calls, got.units) == (f"{session}:{key}", calls, units)
        else:
            assert want == ("refused", {s.cause.value: (s.limit, s.value) for s in got.signals}, got.retry_at_ms)

    @rule(session=sessions, key=keys, spent=st.integers(-1, 21))
    def settle(self, session, key, spent):
        try:
            self.oracle.settle(session, key, spent)
        except OracleError:
            with pytest.raises(ContractViolation):
                self.bench.settle(f"{session}:{key}", spent)
        else:
            self.bench.settle(f"{session}:{key}", spent)

    @rule(session=sessions)
    def release(self, session):
        assert self.bench.release(session) == self.oracle.release(session)

    @rule(
        step=st.sampled_from([0, 1, 999, 1_000, 1_001, 29_999, 30_000, 30_001, 59_999, 60_000, 60_001, -5_000, -70_000])
    )
    def pass_time(self, step):
        self.bench.clock.at_ms += step

    @rule()
    def restart(self):
        self.bench.restart()

    @invariant()
    def same_standing(self):
        if hasattr(self, "bench"):
            for subject in ("acme/ada", "acme/bob"):
                for session in ("s1", "s2", "s3"):
                    want = self.oracle.standing(self.bench.clock.at_ms, subject, session)
                    assert self.bench.standing(subject, session) == want


class MemoryMachine(LedgerMachine):
    backend = "memory"


class SqliteMachine(LedgerMachine):
    backend = "sqlite"


TestMemoryAgainstOracle = MemoryMachine.TestCase
TestSqliteAgainstOracle = SqliteMachine.TestCase
for _case in (TestMemoryAgainstOracle, TestSqliteAgainstOracle):
    _case.settings = settings(
        max_examples=150,
        stateful_step_count=40,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
del _case  # it would be collected as a test of its own
