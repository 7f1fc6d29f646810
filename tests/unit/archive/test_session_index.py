"""The rows of many sessions: what the archive says of each, for one tenant, and what changed since."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from app.archive.session_index import SessionIndex
from app.kernel.stops import StopReason
from app.system.stores.journal.files import FileJournal


class HandClock:
    """Moved by the test."""

    def __init__(self):
        self.at_ms = time.time_ns() // 1_000_000  # beside the times of files

    def now_ms(self):
        return self.at_ms


@pytest.fixture
def index(past):
    archive, _ = past
    clock = HandClock()
    return SessionIndex(archive.journal, clock), clock


def test_a_row_says_what_the_archive_says(past, index):
    archive, ids = past
    rows = {row.session_id: row for row in index[0].rows("acme")}
    assert set(rows) == {session for name, session in ids.items() if name != "elsewhere"}
    for session_id, row in rows.items():
        summary = archive.show(session_id).summary
        for name in ("state", "stop", "action", "capability", "environment", "started_at_ms", "elapsed_ms", "calls",
                     "spent_units", "sources", "erased", "tenant"):  # fmt: skip
            assert getattr(row, name) == getattr(summary, name), name


def test_a_row_has_the_caps_that_were_reserved_against(past, index):
    rows = {row.session_id: row for row in index[0].rows("acme")}
    ids = past[1]
    assert (rows[ids["ask"]].max_calls, rows[ids["ask"]].max_units) == (10, 1000)
    assert (rows[ids["budget"]].max_units, rows[ids["budget"]].cause) == (0, "total_units")
    assert rows[ids["injected"]].cause == "directive"


def test_rows_are_of_one_tenant_and_the_newest_first(past, index):
    rows = index[0].rows("acme")
    moments = [row.started_at_ms for row in rows]
    assert moments == sorted(moments, reverse=True)
    assert [row.session_id for row in index[0].rows("other")] == [past[1]["elsewhere"]]
    assert index[0].rows("nobody") == ()


def test_erasing_shows_within_a_second_or_at_once_where_it_is_asked_for(past, index):
    archive, ids = past
    rows, clock = index
    rows.rows("acme")
    archive.erase(ids["ask"])
    assert not any(row.erased for row in rows.rows("acme"))
    assert [row.session_id for row in rows.rows("acme", now=True) if row.erased] == [ids["ask"]]
    Path(archive.journal.find(ids["none"]).place).unlink()
    assert ids["none"] in {row.session_id for row in rows.rows("acme")}
    clock.at_ms += 1_000
    assert ids["none"] not in {row.session_id for row in rows.rows("acme")}


def test_a_change_is_seen_where_the_file_system_dates_it_before_the_last_reading(past, index):
    archive, ids = past
    rows, clock = index
    rows.rows("acme")
    archive.erase(ids["ask"])
    early_ns = (clock.at_ms - 1_500) * 1_000_000
    os.utime(archive.journal.find(ids["ask"]).place, ns=(early_ns, early_ns))
    assert [row.session_id for row in rows.rows("acme", now=True) if row.erased] == [ids["ask"]]


@pytest.mark.parametrize(
    ("change", "capability"),
    [
        (lambda data: data.replace(b'"accepted":', b'"accepted":7', 1), "ask_documents"),
        (lambda data: b"\n".join(data.split(b"\n")[1:]), "unknown"),
        (lambda data: b"not a journal\n", "unknown"),
        (lambda data: b"\xff\xfe\n" + data, "unknown"),
        (lambda data: b"\n".join(data.split(b"\n")[:-2]) + b"\n", "ask_documents"),
        (lambda data: b"[" * 100_000 + b"\n", "unknown"),
    ],
)
def test_a_damaged_record_is_a_row_that_says_so(past, index, journal_file, change, capability):
    place = Path(journal_file(past[1]["ask"]))
    place.write_bytes(change(place.read_bytes()))
    row = next(row for row in index[0].rows("acme") if row.session_id == past[1]["ask"])
    assert (row.state, row.capability) == ("damaged", capability)
    assert row.stop in (None, StopReason.SUCCESS_COMPLETED)


def test_a_record_of_the_older_format_is_a_row(tmp_path):
    kept = Path(__file__).parents[2] / "fixtures" / "records_format_1" / "journal"
    rows = SessionIndex(FileJournal(kept), HandClock()).rows("local")
    assert len(rows) == 3
    assert all(row.older_format and row.caps is None and row.state == "closed" for row in rows)
