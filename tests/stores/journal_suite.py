"""What every journal does: each sentence of the port `kernel.ports.Journal`, as tests that a store inherits.

class TestMyJournal(JournalSuite):
    def open_journal(self, folder):
        return MyJournal(folder)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from app.kernel.errors import StoreBusy, StoreUnusable
from app.kernel.ports import FoundSession, Journal
from tests.stores.moments import HOUR_MS, later_ms, now_ms

__all__ = ["JournalSuite"]


class JournalSuite(ABC):
    """Subclass it, say how a journal is opened, and where they apply override the two other hooks."""

    @abstractmethod
    def open_journal(self, folder: Path) -> Journal:
        """An empty journal; `folder` is the test's own."""

    def another_process(self, journal: Journal, folder: Path) -> Journal:
        """The same sessions as another process sees them; a store that lives and dies with its process has none."""
        return journal

    def no_room(self) -> AbstractContextManager[None]:
        """While it lasts, no line can be written; a store whose writes cannot fail leaves the hook as it is."""
        pytest.skip("no write of this store can fail")

    @pytest.fixture
    def journal(self, tmp_path: Path) -> Journal:
        return self.open_journal(tmp_path)

    @pytest.fixture
    def other(self, journal: Journal, tmp_path: Path) -> Journal:
        return self.another_process(journal, tmp_path)

    # Writing

    async def test_lines_are_safe_in_their_order_after_a_flush(self, journal, other):
        lines = tuple(f"line {number}".encode() for number in range(50))
        await journal.begin("acme", "s")
        for line in lines:
            assert journal.append("s", line) is None
        await journal.flush("s")
        assert other.read(_found(other, "s")) == (_found(other, "s"), lines)

    async def test_a_flush_of_a_new_session_has_nothing_to_say(self, journal):
        await journal.begin("acme", "s")
        await journal.flush("s")
        assert _lines(journal, "s") == ()

    async def test_an_append_never_fails_and_the_flush_says_that_nobody_writes_the_session(self, journal):
        journal.append("nobody", b"1")
        with pytest.raises(StoreUnusable):
            await journal.flush("nobody")
        assert journal.find("nobody") is None

    async def test_behind_a_line_that_could_not_be_written_there_is_never_another(self, journal, other):
        await journal.begin("acme", "s")
        journal.append("s", b"1")
        await journal.flush("s")
        with self.no_room():
            journal.append("s", b"2")
        journal.append("s", b"3")
        for _ in range(2):
            with pytest.raises(StoreUnusable):
                await journal.flush("s")
        assert _lines(other, "s") == (b"1",)

    async def test_whoever_takes_over_behind_a_lost_line_goes_on_from_the_last_safe_one(self, journal, other):
        await journal.begin("acme", "s")
        journal.append("s", b"1")
        with self.no_room():
            journal.append("s", b"2")
        with pytest.raises(StoreUnusable):
            await journal.flush("s")
        journal.abandon("s")
        assert other.hold(_found(other, "s"))
        other.append("s", b"3")
        await other.flush("s")
        assert _lines(other, "s") == (b"1", b"3")

    async def test_a_lost_line_is_the_trouble_of_its_session_alone(self, journal):
        for name in ("s", "t"):
            await journal.begin("acme", name)
        with self.no_room():
            journal.append("s", b"1")
        journal.append("t", b"1")
        await journal.flush("t")
        assert (_lines(journal, "s"), _lines(journal, "t")) == ((), (b"1",))

    async def test_no_line_follows_the_end(self, journal):
        found = await _ended(journal, "s", b"1")
        journal.append("s", b"2")
        with pytest.raises(StoreUnusable):
            await journal.flush("s")
        assert journal.read(found) == (found, (b"1",))

    # One writer

    async def test_a_session_has_one_writer_while_it_runs(self, journal, other):
        await journal.begin("acme", "s")
        journal.append("s", b"1")
        await journal.flush("s")
        for one in (journal, other):
            with pytest.raises(StoreBusy):
                await one.begin("acme", "s")
            with pytest.raises(StoreBusy):
                await one.recall("acme", "s")
            assert one.hold(_found(one, "s")) is False
        journal.append("s", b"2")
        await journal.flush("s")
        assert _lines(other, "s") == (b"1", b"2")

    async def test_a_session_that_was_let_go_has_a_new_writer(self, journal, other):
        await journal.begin("acme", "s")
        journal.append("s", b"1")
        await journal.flush("s")
        journal.abandon("s")
        found = _found(other, "s")
        assert (found.tenant, found.closed) == ("acme", False)
        assert other.hold(found) is True
        assert journal.hold(found) is False
        other.append("s", b"2")
        await other.flush("s")
        other.close("s")
        assert _lines(journal, "s") == (b"1", b"2")

    async def test_who_has_let_go_writes_no_more(self, journal):
        await journal.begin("acme", "s")
        journal.abandon("s")
        journal.append("s", b"1")
        with pytest.raises(StoreUnusable):
            await journal.flush("s")
        assert _lines(journal, "s") == ()
        journal.abandon("s")

    async def test_letting_go_of_what_nobody_holds_is_no_fault(self, journal):
        journal.abandon("nobody")
        await journal.begin("acme", "s")
        journal.abandon("s")
        journal.abandon("s")
        assert [found.session_id for found in journal.open_sessions()] == ["s"]

    async def test_an_ended_session_and_one_that_is_gone_are_not_held(self, journal, other):
        await journal.begin("acme", "s")
        opened = _found(journal, "s")
        journal.close("s")
        assert other.hold(opened) is False
        await journal.begin("acme", "t")
        opened = _found(journal, "t")
        await journal.discard("t")
        assert other.hold(opened) is False

    async def test_a_key_whose_session_has_ended_meanwhile_is_not_begun_again(self, journal, other):
        await _ended(journal, "s", b"1")
        with pytest.raises(StoreBusy):
            await other.begin("acme", "s", keyed=True)
        assert list(other.open_sessions()) == []
        assert _lines(other, "s") == (b"1",)

    # Recalling

    async def test_what_was_never_written_is_not_recalled(self, journal):
        assert await journal.recall("acme", "s") is None

    async def test_an_ended_session_is_recalled_as_often_as_somebody_asks(self, journal, other):
        await _ended(journal, "s", b"1", b"2")
        for one in (journal, other, journal):
            recalled = await one.recall("acme", "s")
            assert (tuple(recalled.lines), recalled.closed) == ((b"1", b"2"), True)

    async def test_whoever_recalls_an_open_session_is_its_writer_from_there_on(self, journal, other):
        await journal.begin("acme", "s")
        journal.append("s", b"1")
        await journal.flush("s")
        journal.abandon("s")
        recalled = await other.recall("acme", "s")
        assert (tuple(recalled.lines), recalled.closed) == ((b"1",), False)
        with pytest.raises(StoreBusy):
            await journal.recall("acme", "s")
        other.append("s", b"2")
        await other.flush("s")
        assert _lines(journal, "s") == (b"1", b"2")

    async def test_a_tenant_recalls_nothing_of_another(self, journal):
        await _ended(journal, "s", b"1")
        assert await journal.recall("birch", "s") is None
        assert (await journal.recall("acme", "s")).lines == (b"1",)

    async def test_a_discarded_session_was_never_there(self, journal, other):
        await journal.begin("acme", "s")
        await journal.discard("s")
        assert (list(other.open_sessions()), other.find("s"), other.count()) == ([], None, 0)
        assert await other.recall("acme", "s") is None
        await other.begin("acme", "s")
        other.append("s", b"1")
        await other.flush("s")
        assert _lines(journal, "s") == (b"1",)

    # Looking back

    async def test_an_empty_journal_has_nothing_to_tell(self, journal):
        assert (list(journal.open_sessions()), list(journal.closed_sessions())) == ([], [])
        assert (journal.find("s"), journal.count()) == (None, 0)

    async def test_open_sessions_are_those_that_have_not_ended_their_writers_alive_or_not(self, journal, other):
        await journal.begin("acme", "alive")
        await journal.begin("birch", "let-go")
        journal.abandon("let-go")
        await _ended(journal, "ended")
        found = {(one.tenant, one.session_id, one.closed) for one in other.open_sessions()}
        assert found == {("acme", "alive", False), ("birch", "let-go", False)}

    async def test_ended_sessions_are_told_by_the_time_of_their_end_both_ways(self, journal, other):
        for name in ("m", "z", "a"):
            await _ended(journal, name, tenant=f"tenant-{name}")
            later_ms()
        newest = list(other.closed_sessions())
        assert [(one.tenant, one.session_id, one.closed) for one in newest] == [
            ("tenant-a", "a", True), ("tenant-z", "z", True), ("tenant-m", "m", True),
        ]  # fmt: skip
        assert list(other.closed_sessions(newest_first=False)) == newest[::-1]

    async def test_a_session_is_found_by_its_id_whoever_has_it(self, journal, other):
        await journal.begin("acme", "runs")
        await _ended(journal, "ended", tenant="birch")
        assert [(one.tenant, one.session_id, one.closed) for one in map(other.find, ("runs", "ended"))] == [
            ("acme", "runs", False), ("birch", "ended", True),
        ]  # fmt: skip
        assert other.find("nobody") is None

    async def test_only_sessions_that_have_ended_are_counted_until_they_are_removed(self, journal, other):
        await journal.begin("acme", "runs")
        for name in ("a", "b"):
            await _ended(journal, name)
        assert other.count() == 2
        assert other.remove(_found(other, "a"), now_ms() + HOUR_MS)
        assert journal.count() == 1

    async def test_a_session_that_was_closed_since_it_was_found_is_read_where_it_is_now(self, journal, other):
        await journal.begin("acme", "s")
        journal.append("s", b"1")
        opened = _found(other, "s")
        journal.append("s", b"2")
        await journal.flush("s")
        journal.close("s")
        now, lines = other.read(opened)
        assert (now.tenant, now.session_id, now.closed, lines) == ("acme", "s", True, (b"1", b"2"))
        assert other.read(now) == (now, lines)
        assert other.remove(now, now_ms() + HOUR_MS)
        assert (other.read(opened), other.read(now)) == (None, None)

    # Behind the end

    async def test_a_line_is_added_behind_the_end_by_whoever_has_seen_what_stands_there(self, journal, other):
        found, seen = await _ended(journal, "s", b"1", b"2"), []

        def write(lines):
            seen.append(tuple(lines))
            return b"3" if len(lines) == 2 else None

        assert (other.amend(found, write), journal.amend(found, write)) == (True, True)
        assert seen == [(b"1", b"2"), (b"1", b"2", b"3")]
        assert journal.read(found) == (found, (b"1", b"2", b"3"))

    async def test_nothing_is_added_to_a_session_that_was_removed_meanwhile(self, journal, other):
        found = await _ended(journal, "s", b"1")
        assert other.remove(found, now_ms() + HOUR_MS)
        assert journal.amend(found, lambda lines: b"never") is False
        assert journal.find("s") is None

    async def test_only_a_session_to_which_nothing_was_added_since_is_removed(self, journal):
        found = await _ended(journal, "s", b"1")
        then = later_ms()
        assert journal.untouched(found, then) is True
        assert journal.amend(found, lambda lines: b"2")
        assert (journal.untouched(found, then), journal.remove(found, then)) == (False, False)
        assert _lines(journal, "s") == (b"1", b"2")
        assert (journal.untouched(found, later_ms()), journal.remove(found, later_ms())) == (True, True)
        assert (journal.untouched(found, later_ms()), journal.remove(found, later_ms())) == (False, False)
        assert journal.find("s") is None

    async def test_a_line_counts_as_a_touch_of_an_open_session_too(self, journal):
        await journal.begin("acme", "s")
        found, then = _found(journal, "s"), later_ms()
        assert journal.untouched(found, then) is True
        journal.append("s", b"1")
        await journal.flush("s")
        assert journal.untouched(found, then) is False

    async def test_an_open_session_is_never_removed(self, journal, other):
        await journal.begin("acme", "s")
        journal.append("s", b"1")
        await journal.flush("s")
        journal.abandon("s")
        assert other.remove(_found(other, "s"), now_ms() + HOUR_MS) is False
        assert _lines(journal, "s") == (b"1",)


async def _ended(journal: Journal, session_id: str, *lines: bytes, tenant: str = "acme") -> FoundSession:
    await journal.begin(tenant, session_id)
    for line in lines:
        journal.append(session_id, line)
    await journal.flush(session_id)
    journal.close(session_id)
    return _found(journal, session_id)


def _found(journal: Journal, session_id: str) -> FoundSession:
    found = journal.find(session_id)
    assert found is not None
    return found


def _lines(journal: Journal, session_id: str) -> tuple[bytes, ...]:
    read = journal.read(_found(journal, session_id))
    assert read is not None
    return read[1]
