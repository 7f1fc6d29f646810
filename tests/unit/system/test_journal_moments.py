"""The journal's files at moments too short to meet: what others do between two steps of a writer."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

import pytest
from tests.fixtures.at_once import at_once
from tests.fixtures.journals import lines_of, open_session

from app.kernel.errors import StoreBusy, StoreUnusable
from app.system.stores.journal import files as journal_files
from app.system.stores.journal.files import FileJournal

LONG_AGO_S = 1_500_000_000  # 2017-07-14
TENANTS = ("m", "c", "x", "a", "k", "z", "b", "y", "d")


def _handles():
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def journal(tmp_path):
    return FileJournal(tmp_path)


@pytest.fixture
def left(journal, tmp_path):
    """An open session whose writer is gone."""
    at_once(journal.begin("t", "s"))
    journal.append("s", b"{}")
    journal.abandon("s")
    return tmp_path / "open" / "t" / "s.jsonl"


@pytest.fixture
def before_lock(monkeypatch):
    """Patched, since the moment between opening and locking a file is too short to meet."""
    lock = fcntl.flock

    def plant(act):
        def late(handle, how):
            act()
            lock(handle, how)

        monkeypatch.setattr(journal_files.fcntl, "flock", late)

    return plant


@pytest.mark.parametrize(("taken", "made"), [(0, True), (1, True), (4, True), (5, False)])
def test_a_half_made_file_that_a_start_takes_away_is_made_again_five_times_in_all(
    journal, tmp_path, before_lock, taken, made
):
    """Each process has a half-made file of its own, so that two beginnings do not meet in it."""
    names, before = [], _handles()

    def take():
        for path in (tmp_path / "open" / "t").iterdir():
            names.append(path.name)
            if len(names) <= taken:
                path.unlink()

    before_lock(take)
    if made:
        at_once(journal.begin("t", "s"))
        assert len(names) == taken + 1
        assert [path.name for path in (tmp_path / "open" / "t").iterdir()] == ["s.jsonl"]
        journal.abandon("s")
    else:
        with pytest.raises(StoreUnusable):
            at_once(journal.begin("t", "s"))
        assert len(names) == taken
    assert set(names) == {f"s.new{os.getpid()}"}
    assert _handles() == before


def test_a_half_made_file_that_goes_while_a_start_looks_is_no_fault(journal, tmp_path, before_lock):
    folder = tmp_path / "open" / "t"
    folder.mkdir(parents=True)
    half = folder / "s.new1"
    half.touch()
    before_lock(half.unlink)
    assert list(journal.open_sessions()) == []


def test_a_session_that_is_not_there_cannot_be_held(journal, tmp_path):
    assert journal.hold(open_session(tmp_path, "t", "nobody")) is False


def test_a_session_whose_writer_lives_is_not_held_and_nothing_stays_open(journal, left, tmp_path):
    with left.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        before = _handles()
        assert journal.hold(open_session(tmp_path, "t", "s")) is False
        assert _handles() == before
        with pytest.raises(StoreBusy):
            at_once(journal.recall("t", "s"))
    assert journal.hold(open_session(tmp_path, "t", "s")) is True
    journal.abandon("s")


def test_a_journal_that_cannot_be_opened_or_locked_is_said_to_be_unusable(journal, left, before_lock, tmp_path):
    before = _handles()

    def refuse():
        raise OSError(errno.ENOLCK, "no locks available")

    before_lock(refuse)
    with pytest.raises(StoreUnusable, match="no locks"):
        journal.hold(open_session(tmp_path, "t", "s"))
    left.unlink()
    left.mkdir()
    with pytest.raises(StoreUnusable, match="cannot be opened"):
        journal.hold(open_session(tmp_path, "t", "s"))
    assert _handles() == before


def test_taking_over_changes_only_what_was_cut_off(journal, left, tmp_path):
    """The time of the last line says to which day a session belongs: a look must not change it."""
    os.utime(left, (LONG_AGO_S, LONG_AGO_S))
    assert journal.hold(open_session(tmp_path, "t", "s")) is True
    journal.close("s")
    found = journal.find("s")
    assert (Path(found.place).parent.name, lines_of(journal, found.session_id)) == ("2017-07-14", (b"{}",))


def test_an_added_line_is_written_under_the_lock(journal, left, tmp_path):
    journal.hold(open_session(tmp_path, "t", "s"))
    journal.close("s")
    found, asked = journal.find("s"), []

    def write(lines):
        with Path(found.place).open("rb") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        asked.append(lines)

    journal.amend(found, write)
    assert asked == [(b"{}",)]


def test_a_closed_session_that_cannot_be_read_is_named(journal, tmp_path):
    (tmp_path / "closed" / "t" / "2017-07-14" / "s.jsonl").mkdir(parents=True)
    with pytest.raises(StoreUnusable, match="session `s`"):
        at_once(journal.recall("t", "s"))


def test_tenants_are_told_in_order_however_the_disk_lists_them(journal):
    for tenant in TENANTS:
        at_once(journal.begin(tenant, f"s-{tenant}"))
    assert [one.tenant for one in journal.open_sessions()] == sorted(TENANTS)
    for tenant in TENANTS:
        journal.close(f"s-{tenant}")


def test_of_many_days_the_latest_counts_however_the_disk_lists_them(journal, tmp_path):
    for day in (14, 3, 27, 9, 30, 1, 22, 11):
        at_once(journal.begin("t", "s"))
        journal.append("s", str(day).encode())
        os.utime(tmp_path / "open" / "t" / "s.jsonl", (LONG_AGO_S + day * 86_400,) * 2)
        journal.close("s")
    assert at_once(journal.recall("t", "s")).lines == (b"30",)


def test_a_closed_session_that_is_pruned_while_it_is_recalled_was_never_there(journal, left, monkeypatch, tmp_path):
    journal.hold(open_session(tmp_path, "t", "s"))
    journal.close("s")
    closed = Path(journal.find("s").place)
    there = journal_files._is_there

    def pruned(path):
        known = there(path)
        if path == closed:
            closed.unlink(missing_ok=True)
        return known

    monkeypatch.setattr(journal_files, "_is_there", pruned)
    assert at_once(journal.recall("t", "s")) is None


def test_a_session_that_is_pruned_between_two_looks_of_a_list_is_left_out(journal, tmp_path, monkeypatch):
    for name in ("a", "b"):
        at_once(journal.begin("t", name))
        journal.close(name)
    listed = journal_files._listed

    def pruned(folder):
        paths = listed(folder)
        (next((tmp_path / "closed" / "t").iterdir()) / "a.jsonl").unlink(missing_ok=True)
        return paths

    monkeypatch.setattr(journal_files, "_listed", pruned)
    assert [found.session_id for found in journal.closed_sessions()] == ["b"]


def test_an_open_session_that_closes_while_it_is_taken_over_is_not_held(journal, left, before_lock, tmp_path):
    before = _handles()
    before_lock(lambda: left.rename(left.with_name("elsewhere")))
    assert journal.hold(open_session(tmp_path, "t", "s")) is False
    assert _handles() == before
