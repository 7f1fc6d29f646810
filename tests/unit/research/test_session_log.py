"""The session's log by itself: what it gives again, where it says that a record differs, and what it writes anew."""

from __future__ import annotations

import asyncio

import pytest
from tests.fixtures.at_once import at_once

from app.kernel.canonical import sha256_hex
from app.kernel.errors import ContractViolation, StoreUnusable
from app.kernel.journal_records import CHAIN_START, CallInput, PortFailed, Reading, Resumed, read_line, written_line
from app.research.record.recording import Past, RememberedFailure
from app.research.record.session_log import SessionLog
from app.research.record.session_writers import NoWriter

FAILED = PortFailed(port="observer", error="LookupError", violation=False)
OTHER = PortFailed(port="observer", error="OSError", violation=False)


class Clock:
    def __init__(self, at_ms):
        self.at_ms = at_ms

    def now_ms(self):
        return self.at_ms


class SessionWriter(NoWriter):
    """Writes behind: what has no room is told when somebody waits for it; behind a lost line comes no other."""

    def __init__(self):
        self.lines, self.kept, self.asked = [], [], []
        self.full = self.lost = self.no_room = False

    def append(self, line):
        self.lost = self.lost or self.full
        if not self.lost:
            self.lines.append(read_line(line))

    def keep(self, data):
        self.kept.append(data)
        return super().keep(data)

    async def stored(self, digests):
        self.asked.append(digests)
        if self.no_room:
            raise StoreUnusable("no space left")

    async def written(self):
        self.asked.append("written")
        if self.lost:
            raise StoreUnusable("no space left")


def past_of(*entries, contents=None):
    """Lines with these readings and records."""
    lines, head = [], CHAIN_START
    for reads, record in entries:
        line = read_line(written_line(head, tuple(Reading(at_ms, False) for at_ms in reads), record).data)
        lines.append(line)
        head = line.digest
    return Past(tuple(lines), contents or {})


@pytest.fixture
def log_of():
    loop = asyncio.new_event_loop()

    def make(past=None, *, at_ms=500, goes_on=True):
        clock, writer = Clock(at_ms), SessionWriter()
        return SessionLog("s", clock, writer, loop.create_future(), past, goes_on=goes_on), clock, writer

    yield make
    loop.close()


def test_a_new_log_reads_the_clock_and_has_lost_nothing(log_of):
    log, clock, writer = log_of()
    assert at_once(log.may_settle(whole=True))
    assert (log.past.empty, log.past.repeating, log.past.step, log.past.opened, log.past.difference) == (
        True,
        False,
        1,
        None,
        None,
    )
    assert log.read() == (500, False)
    clock.at_ms = 501
    assert log.read() == log.peek() == (501, False)
    log.note(FAILED)
    assert writer.lines[0].reads == ((500, False), (501, False))
    log.note(OTHER)
    assert writer.lines[1].reads == ()
    assert writer.lines[1].prev == writer.lines[0].digest
    log.cancellation.set_result(None)
    assert log.read() == log.peek() == (501, True)


def test_readings_are_given_again_in_their_order_and_one_more_is_a_difference(log_of):
    log, _, _ = log_of(past_of(((7, 8, 9), FAILED)))
    assert [log.read().at_ms for _ in range(3)] == [7, 8, 9]
    with pytest.raises(ContractViolation, match="step 1 is not as recorded"):
        log.read()
    assert log.past.difference.model_dump() == {"step": 1, "recorded": "PortFailed", "found": "a look at the clock"}


def test_what_went_on_before_goes_on_from_its_last_moment(log_of):
    """Whether the first thing is a look at the clock or a line, and however the readings before it lay."""
    for first in ("read", "note"):
        log, clock, writer = log_of(past_of(((90,), FAILED), ((100, 40), FAILED)))
        for reads in (1, 2):
            for _ in range(reads):
                log.read()
            log.note(FAILED)
        if first == "read":
            assert log.read() == log.peek() == (100, False)
        log.note(OTHER)
        clock.at_ms = 507
        assert (log.read().at_ms, log.peek().at_ms) == (107, 107)
        assert [line.record for line in writer.lines] == [Resumed(away_ms=400), OTHER]


@pytest.mark.parametrize(("past", "at_ms", "away_ms"), [((), 500, 500), ((500,), 500, 1), ((900,), 500, 1)])
def test_who_was_away_for_no_time_or_less_was_away_for_a_millisecond(past, at_ms, away_ms, log_of):
    log, _, writer = log_of(past_of((past, FAILED)), at_ms=at_ms)
    for _ in past:
        log.read()
    log.note(FAILED)
    assert log.read().at_ms == at_ms - away_ms
    assert writer.lines[0].record == Resumed(away_ms=away_ms)


def test_returns_on_record_are_passed_over_all_of_them(log_of):
    log, _, writer = log_of(past_of(((1,), FAILED), ((), Resumed(away_ms=3)), ((), Resumed(away_ms=4)), ((2,), OTHER)))
    log.read()
    log.note(FAILED)
    assert log.read().at_ms == 2
    log.note(OTHER)
    assert (log.past.repeating, writer.lines) == (False, [])


def test_what_is_on_record_is_not_kept_again_and_the_rest_is(log_of):
    known = {sha256_hex(b"known"): b"known"}
    for failed in (False, True):
        log, _, writer = log_of(past_of(((1,), FAILED), contents=known))
        if failed:
            log.mark_failed()
        assert (log.keep(b"known"), log.keep(b"new")) == (sha256_hex(b"known"), sha256_hex(b"new"))
        assert writer.kept == [b"new"]
    assert NoWriter().keep(b"new") == sha256_hex(b"new")


def test_what_was_kept_is_waited_for_once_and_what_is_on_record_not_at_all(log_of):
    known = {sha256_hex(b"known"): b"known"}
    log, _, writer = log_of(past_of(((), FAILED), contents=known))
    log.note(FAILED)
    log.keep(b"known")
    at_once(log.stored())
    log.keep(b"one")
    log.keep(b"two")
    at_once(log.stored())
    at_once(log.stored())
    assert writer.asked == [(sha256_hex(b"one"), sha256_hex(b"two"))]
    assert writer.lines == []


def test_an_object_that_has_no_room_is_on_record_unless_the_session_had_failed_before(log_of):
    full = PortFailed(port="content.put", error="StoreUnusable", violation=True)
    for failed in (False, True):
        log, _, writer = log_of()
        if failed:
            log.mark_failed()
        log.keep(b"new")
        writer.no_room = True
        with pytest.raises(StoreUnusable):
            at_once(log.stored())
        writer.no_room = False
        assert [line.record for line in writer.lines] == ([] if failed else [full])
        at_once(log.stored())  # it was told once


def test_a_content_store_that_failed_on_record_fails_again_where_somebody_waits_for_it(log_of):
    full = PortFailed(port="content.put", error="StoreUnusable", violation=True)
    log, _, writer = log_of(past_of(((), full)))
    log.keep(b"new")
    with pytest.raises(RememberedFailure, match=r"^content.put failed with StoreUnusable$"):
        at_once(log.stored())
    assert (log.past.repeating, writer.asked) == (False, [])


def test_lines_are_waited_for_behind_the_record_and_never_in_a_replay(log_of):
    for goes_on in (True, False):
        log, _, writer = log_of(past_of(((), FAILED)), goes_on=goes_on)
        at_once(log.written())
        log.note(FAILED)
        at_once(log.written())
        assert writer.asked == (["written"] if goes_on else [])


def test_a_return_that_cannot_be_written_never_stops_a_look_at_the_clock(log_of):
    """A session that failed only wants the time for its last word; all others learn of it before they go on."""
    for failed in (False, True):
        log, _, writer = log_of(past_of(((100,), FAILED)))
        log.read()
        log.note(FAILED)
        writer.full = True
        if failed:
            log.mark_failed()
        assert log.read().at_ms == 100
        with pytest.raises(StoreUnusable):
            at_once(log.written())
        assert not at_once(log.may_settle(whole=True))
        assert writer.lines == []


@pytest.mark.ruling("R19")
def test_a_batch_whose_lines_are_lost_is_settled_by_whoever_goes_on_or_at_once_where_nobody_can(log_of):
    for past, settled in ((None, True), (Past(), False)):
        log, _, writer = log_of(past)
        writer.full = True
        log.note(FAILED)
        assert at_once(log.may_settle(whole=False)) is settled
        assert writer.asked == ["written"]


@pytest.mark.ruling("R19")
def test_a_batch_that_breaks_inside_the_record_is_settled_by_whoever_comes_again(log_of):
    log, _, writer = log_of(past_of(((), FAILED), ((), FAILED)))
    assert not at_once(log.may_settle(whole=False))
    assert at_once(log.may_settle(whole=True))  # repeated whole: the ledger knows, or learns it now
    for _ in range(2):
        log.note(FAILED)
    assert at_once(log.may_settle(whole=False))
    assert writer.asked == ["written"]


def test_a_port_that_failed_fails_again_by_its_name(log_of):
    log, _, _ = log_of(past_of(((), FAILED)))
    with pytest.raises(RememberedFailure, match=r"^observer failed with LookupError$"):
        log.tell(None, lambda told: told.nothing())
    assert log.past.opened is None
    assert not log.past.repeating


def test_a_decision_that_is_something_else_on_record_is_a_difference(log_of):
    log, _, _ = log_of(past_of(((), FAILED)))
    with pytest.raises(ContractViolation):
        log.decided()
    assert log.past.difference.model_dump() == {"step": 1, "recorded": "PortFailed", "found": "ReserveDecided"}


def test_a_replay_asks_nobody_and_ends_where_its_record_ends(log_of):
    lost = (CallInput(ended="lost", elapsed_ms=0), None)
    live, _, _ = log_of(past_of(((), FAILED)))
    replayed, _, _ = log_of(past_of(((), FAILED)), goes_on=False)
    assert (live.past.answered("a"), replayed.past.answered("a")) == (None, lost)
    replayed.note(FAILED)
    with pytest.raises(ContractViolation, match="step 2"):
        replayed.read()
    assert replayed.past.difference.model_dump() == {"step": 2, "recorded": "the end", "found": "another step"}


def test_a_fall_behind_the_record_is_a_difference_in_a_replay_alone(log_of):
    for goes_on, behind, found in ((False, True, "another step"), (False, False, None), (True, True, None)):
        log, _, _ = log_of(past_of(((), FAILED)), goes_on=goes_on)
        if behind:
            log.note(FAILED)
        log.mark_failed()
        assert (log.past.difference.found if log.past.difference else None) == found


def test_who_breaks_off_inside_the_record_gets_its_last_moment_and_writes_nothing(log_of):
    log, _, writer = log_of(past_of(((90,), FAILED), ((100, 40), OTHER)))
    assert log.breaks_off
    log.read()
    log.mark_failed()
    assert log.read() == (100, False)
    log.cancellation.set_result(None)
    assert log.read() == (100, True)
    assert log.breaks_off
    assert writer.lines == []
    over, _, _ = log_of(past_of(((90,), FAILED)))
    over.read()
    over.note(FAILED)
    assert not over.breaks_off


def test_a_replay_that_falls_elsewhere_says_so_and_raises_no_more(log_of):
    log, _, _ = log_of(past_of(((90,), FAILED), ((), OTHER)), goes_on=False)
    assert not log.breaks_off
    log.mark_failed()
    assert [log.read().at_ms, log.read().at_ms] == [90, 90]
    assert log.past.difference.model_dump() == {"step": 1, "recorded": "PortFailed", "found": "a look at the clock"}
    assert not log.past.repeating
    log.note(OTHER)
    assert log.past.difference.step == 1


def test_behind_a_difference_nothing_is_repeated_any_more(log_of):
    log, _, _ = log_of(past_of(((), FAILED), ((), FAILED)), goes_on=False)
    with pytest.raises(ContractViolation, match="step 1"):
        log.note(OTHER)
    assert not log.past.repeating
    log.note(OTHER)
    assert log.past.difference.step == 1


def test_where_a_life_ended_is_known_until_the_next_line(log_of):
    fresh, _, _ = log_of()
    assert not fresh.came_back
    log, _, _ = log_of(past_of(((), FAILED), ((), FAILED), ((), Resumed(away_ms=1)), ((), FAILED)))
    told = []
    for _ in range(3):
        log.note(FAILED)
        told.append(log.came_back)
    log.note(OTHER)
    assert [*told, log.came_back] == [False, True, True, False]
