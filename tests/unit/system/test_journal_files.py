"""The journal on disk: kills, two writers, full and read-only disks, and what a start does about them."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fixtures.at_once import at_once
from tests.fixtures.journals import lines_of, open_session

from app.archive.recovery import recover
from app.kernel.errors import StoreBusy, StoreUnusable
from app.kernel.journal_records import CHAIN_START, Closed, Opened, PortFailed, Recovered, written_line
from app.kernel.ledger import Reservation
from app.kernel.outcome import Verdict
from app.kernel.stops import Action, StopReason
from app.research.ledger import decide
from app.research.record.opening import read_chain
from app.system.clock import SystemClock
from app.system.stores.journal.files import FileJournal
from app.system.stores.ledger.memory import MemoryLedger

DIGEST = "a" * 64


def opened(session, *, keyed=False):
    return Opened(
        format=2,
        caps=DIGEST,
        session_id=session,
        tenant="acme",
        request=DIGEST,
        principal=DIGEST,
        capability="c",
        contract_version="18.0.0",
        environment="prod",
        research_enabled=True,
        sealed=True,
        contract=DIGEST,
        rules=DIGEST,
        tools=(),
        keyed=keyed,
        started_at_ms=1,
    )


def closed():
    return Closed(
        outcome=DIGEST,
        verdict=Verdict(stop=StopReason.NO_SOURCE, action=Action.UNKNOWN),
        bundle=DIGEST,
        sources=(),
        withheld=(),
        calls=0,
        spent_units=0,
        elapsed_ms=1,
        ended="complete",
    )


def written(*records):
    lines, head = [], CHAIN_START
    for record in records:
        line = written_line(head, (), record)
        lines.append(line.data)
        head = line.digest
    return lines


def dead(folder, session, lines, tail=b""):
    """A session whose process is gone."""
    journal = FileJournal(folder)
    at_once(journal.begin("acme", session))
    for line in lines:
        journal.append(session, line)
    journal.abandon(session)
    path = folder / "open" / "acme" / f"{session}.jsonl"
    with path.open("ab") as file:
        file.write(tail)
    return path


def start(folder, ledger=None):
    """What opening a gate does first."""
    journal = FileJournal(folder)
    clock = SystemClock()
    asyncio.run(recover(journal, ledger or MemoryLedger(clock, decide), clock))
    return journal


def test_a_session_moves_to_its_day_when_it_is_closed(tmp_path):
    journal = FileJournal(tmp_path)
    at_once(journal.begin("acme", "s1"))
    lines = written(opened("s1"), closed())
    for line in lines:
        journal.append("s1", line)
    assert [found.session_id for found in journal.open_sessions()] == ["s1"]
    journal.close("s1")
    assert list(journal.open_sessions()) == []
    found = journal.find("s1")
    assert (found.tenant, found.closed, lines_of(journal, found.session_id)) == ("acme", True, tuple(lines))
    assert [found.session_id for found in journal.closed_sessions()] == ["s1"]
    assert journal.find("s2") is None


def test_a_journal_cut_at_every_byte_of_its_last_three_lines_never_blocks_a_start(tmp_path):
    lines = written(opened("s"), opened("s"), closed())
    data = b"".join(line + b"\n" for line in lines)
    for length in range(len(data) + 1):
        folder = tmp_path / str(length)
        whole = data[:length].count(b"\n")
        path = dead(folder, "s", (), data[:length])
        journal = start(folder)
        assert not path.exists()
        found = journal.find("s")
        if not whole:
            assert found is None
            continue
        chain = read_chain(lines_of(journal, found.session_id))
        assert (found.closed, chain.broken_at) == (True, None)
        # A finished session stays finished, and an unfinished one is never called finished.
        assert isinstance(chain.lines[-1].record, Closed if whole == 3 else Recovered)
        assert [bytes(line) for line in lines_of(journal, found.session_id)[:whole]] == lines[:whole]


@pytest.mark.ruling("R12")
def test_a_start_closes_what_is_open_and_gives_back_what_it_held(tmp_path):
    ledger = MemoryLedger(SystemClock(), decide)
    wish = Reservation(
        subject="acme/u",
        session_id="s",
        key="batch-1",
        calls=2,
        units=7,
        max_calls_per_minute=10,
        max_calls_total=10,
        max_units=10,
        lease_ms=100_000,
    )
    asyncio.run(ledger.reserve(wish))
    dead(tmp_path, "s", written(opened("s")), b'{"half a line')
    journal = start(tmp_path, ledger)
    last = read_chain(lines_of(journal, "s")).lines[-1].record
    assert (last.verdict.stop, last.verdict.action, last.released) == ("INTERNAL_INCONSISTENCY", "BASELINE", 1)
    standing = asyncio.run(ledger.standing("acme/u", "s"))
    assert (standing.open_reservations, standing.held_units) == (0, 0)


@pytest.mark.ruling("R19")
def test_a_start_leaves_sessions_with_a_key_to_whoever_has_it(tmp_path):
    path = dead(tmp_path, "s", written(opened("s", keyed=True)), b"{")
    journal = start(tmp_path)
    assert path.exists()
    recalled = at_once(journal.recall("acme", "s"))
    assert (len(recalled.lines), recalled.closed) == (1, False)
    journal.append("s", written(opened("s", keyed=True), closed())[1])
    journal.close("s")
    assert at_once(journal.recall("acme", "s")).closed


@pytest.mark.ruling("R19")
def test_a_key_whose_session_could_not_even_be_opened_is_not_used_up_by_a_start(tmp_path):
    failed = PortFailed(port="content.put", error="StoreUnusable", violation=True)
    path = dead(tmp_path, "s", written(failed))
    journal = start(tmp_path)
    assert not path.exists()
    assert at_once(journal.recall("acme", "s")) is None


def test_a_journal_that_cannot_be_read_says_so_and_holds_nothing(tmp_path, monkeypatch):
    journal = FileJournal(tmp_path)
    for look in (lambda: at_once(journal.recall("acme", "s" * 300)), lambda: journal.find("s" * 300)):
        dead(tmp_path, "other", ())
        with pytest.raises(StoreUnusable, match="cannot be read: File name too long"):
            look()
        journal.hold(open_session(tmp_path, "acme", "other"))
        at_once(journal.discard("other"))
    dead(tmp_path, "s", written(opened("s", keyed=True)))
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", _too_many_files)
        with pytest.raises(StoreUnusable, match="cannot be read: Too many open files"):
            at_once(journal.recall("acme", "s"))
        with pytest.raises(StoreUnusable, match="cannot be read: Too many open files"):
            start(tmp_path)
    assert len(at_once(journal.recall("acme", "s")).lines) == 1


def _too_many_files(path):
    raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))


def test_a_start_closes_over_a_damaged_line_and_the_damage_stays_visible(tmp_path):
    dead(tmp_path, "s", [written(opened("s"))[0], b"{}"])
    dead(tmp_path, "t", [b"nothing at all"])
    journal = start(tmp_path)
    assert list(journal.open_sessions()) == []
    assert read_chain(lines_of(journal, "s")).broken_at == 2
    assert read_chain(lines_of(journal, "t")).broken_at == 1


def test_a_session_whose_writer_lives_is_left_alone(tmp_path):
    """In another process: a lock of our own would not show."""
    code = (
        "import asyncio, sys; from pathlib import Path; from app.system.stores.journal.files import FileJournal\n"
        "journal = FileJournal(Path(sys.argv[1])); asyncio.run(journal.begin('acme', 's'))\n"
        "journal.append('s', b'{}'); asyncio.run(journal.flush('s'))\n"
        "print('ready', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout.readline() == b"ready\n"
        journal = start(tmp_path)
        assert [found.session_id for found in journal.open_sessions()] == ["s"]
        with pytest.raises(StoreBusy):
            at_once(journal.recall("acme", "s"))
        with pytest.raises(StoreBusy):
            at_once(journal.begin("acme", "s"))
        writer.kill()
        writer.wait()
        assert at_once(journal.recall("acme", "s")).lines == (b"{}",)


def test_two_writers_in_one_process_do_not_meet_either(tmp_path):
    first, second = FileJournal(tmp_path), FileJournal(tmp_path)
    at_once(first.begin("acme", "s"))
    for other in (first, second):
        with pytest.raises(StoreBusy):
            at_once(other.begin("acme", "s"))
        with pytest.raises(StoreBusy):
            at_once(other.recall("acme", "s"))
    second.append("s", b"{}")
    with pytest.raises(StoreUnusable, match="not open in this journal"):
        at_once(second.flush("s"))
    at_once(first.flush("s"))  # the writer itself has nothing to fear
    assert lines_of(first, "s") == ()


def test_a_key_that_was_finished_meanwhile_is_not_begun_again(tmp_path):
    first, second = FileJournal(tmp_path), FileJournal(tmp_path)
    assert at_once(second.recall("acme", "s")) is None
    at_once(first.begin("acme", "s", keyed=True))
    first.append("s", written(opened("s"))[0])
    first.close("s")
    with pytest.raises(StoreBusy):
        at_once(second.begin("acme", "s", keyed=True))
    assert list(second.open_sessions()) == []


def test_what_a_kill_left_half_made_is_removed_and_what_is_being_made_is_not(tmp_path):
    folder = tmp_path / "open" / "acme"
    folder.mkdir(parents=True)
    (folder / "s.new123").write_bytes(b"")
    journal = FileJournal(tmp_path)
    assert list(journal.open_sessions()) == []
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_ends_the_session_and_nothing_more_is_written(tmp_path):
    journal = FileJournal(tmp_path)
    at_once(journal.begin("acme", "s"))
    handle, path = journal._held["s"]
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, handle)
    os.close(full)
    for _ in range(2):  # what comes behind it is not written either, and the first reason stands
        journal.append("s", b"{}")
        with pytest.raises(StoreUnusable, match="No space left"):
            at_once(journal.flush("s"))
    assert path.read_bytes() == b""
    assert "s" not in journal._held


def test_a_line_of_which_only_a_part_fits_counts_as_a_full_disk(tmp_path, monkeypatch):
    journal = FileJournal(tmp_path)
    at_once(journal.begin("acme", "s"))
    journal.append("s", written(opened("s"))[0])
    whole = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: whole(handle, data[:5]))
    journal.append("s", b"{" * 20)
    monkeypatch.undo()
    journal.append("s", b"behind it")
    with pytest.raises(StoreUnusable, match=r"cannot be written: the disk is full$"):
        at_once(journal.flush("s"))
    last = read_chain(lines_of(start(tmp_path), "s")).lines[-1]
    assert isinstance(last.record, Recovered)


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path):
    (tmp_path / "journal").write_text("a file, not a folder")
    journal = FileJournal(tmp_path / "journal")
    with pytest.raises(StoreUnusable, match="cannot be written"):
        at_once(journal.begin("acme", "s"))
    with pytest.raises(StoreUnusable, match="cannot be read"):
        list(journal.open_sessions())


def test_a_close_that_cannot_move_the_file_is_made_up_for_by_the_next_start(tmp_path):
    journal = FileJournal(tmp_path)
    at_once(journal.begin("acme", "s"))
    for line in written(opened("s"), closed()):
        journal.append("s", line)
    (tmp_path / "closed").write_text("in the way")
    journal.close("s")
    assert [found.session_id for found in journal.open_sessions()] == ["s"]
    (tmp_path / "closed").unlink()
    chain = read_chain(lines_of(start(tmp_path), "s"))
    assert isinstance(chain.lines[-1].record, Closed)


def test_the_last_line_of_a_closed_session_without_its_end_counts_as_damaged(tmp_path):
    journal = FileJournal(tmp_path)
    at_once(journal.begin("acme", "s"))
    for line in written(opened("s"), closed()):
        journal.append("s", line)
    journal.close("s")
    path = Path(journal.find("s").place)
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert read_chain(lines_of(journal, "s")).broken_at == 2
