"""The stores of conversations and requests: who sees what, requests sent twice, pruning, several users of one file."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.doors.command import ROOT

from app.kernel.conversation import turn_key
from app.kernel.errors import StoreUnusable
from app.kernel.stops import Action
from app.system.stores.conversations.live_workers import LiveWorker, worker_is_gone
from app.system.stores.conversations.requests import RequestStore
from app.system.stores.conversations.sqlite import ConversationStore


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "conversations.sqlite3"


@pytest.fixture
def turns(path):
    store = ConversationStore(path)
    yield store
    store.close()


def _add(turns, request, action, *, tenant="acme", user="ann", name="c", at_ms=5):
    turns.add(tenant, user, name, request=request, action=action, session_id="s", at_ms=at_ms)


@pytest.mark.ruling("R6")
def test_the_last_answer_is_that_of_this_conversation_of_this_user(turns):
    assert turns.last_action("acme", "ann", "c") is None
    _add(turns, "r1", Action.ASK_CLARIFY)
    _add(turns, "r2", Action.GROUNDED, name="other")
    _add(turns, "r3", Action.UNKNOWN, user="bea")
    _add(turns, "r4", Action.BASELINE, tenant="birch")
    assert turns.last_action("acme", "ann", "c") is Action.ASK_CLARIFY
    _add(turns, "r5", Action.UNKNOWN)
    assert turns.last_action("acme", "ann", "c") is Action.UNKNOWN
    assert [(turn.number, turn.role, turn.action) for turn in turns.turns("acme", "ann", "c")] == [
        (1, "user", None),
        (2, "assistant", Action.ASK_CLARIFY),
        (3, "user", None),
        (4, "assistant", Action.UNKNOWN),
    ]


@pytest.mark.ruling("R19")
def test_a_request_that_comes_again_stands_where_it_stood(turns):
    _add(turns, "r1", Action.ASK_CLARIFY)
    _add(turns, "r1", Action.ASK_CLARIFY)
    assert len(turns.turns("acme", "ann", "c")) == 2
    assert turns.last_action("acme", "ann", "c", before="r1") is None
    _add(turns, "r2", Action.UNKNOWN)
    assert turns.last_action("acme", "ann", "c", before="r2") is Action.ASK_CLARIFY
    assert turns.last_action("acme", "ann", "c", before="new") is Action.UNKNOWN


def test_old_turns_and_those_of_a_tenant_can_be_taken_away(turns):
    _add(turns, "r1", Action.GROUNDED, at_ms=1)
    _add(turns, "r2", Action.GROUNDED, at_ms=9)
    _add(turns, "r3", Action.GROUNDED, tenant="birch")
    assert turns.prune(5) == 2
    assert turns.forget("acme") == 2
    assert turns.turns("acme", "ann", "c") == ()
    assert len(turns.turns("birch", "ann", "c")) == 2


def test_many_writers_lose_no_turn(path):
    stores = [ConversationStore(path) for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda place: _add(stores[place % 4], f"r{place}", Action.GROUNDED), range(80)))
    assert [turn.number for turn in stores[0].turns("acme", "ann", "c")] == list(range(1, 161))
    for store in stores:
        store.close()


def test_many_may_open_the_file_for_the_first_time_at_once(tmp_path):
    for round_ in range(10):
        stores = [ConversationStore(tmp_path / str(round_) / "c.sqlite3") for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(lambda store: store.turns("acme", "ann", "c"), stores)) == [()] * 8
        for store in stores:
            store.close()


def test_a_damaged_file_is_told(path, turns):
    path.parent.mkdir()
    path.write_bytes(b"no database" * 200)
    with pytest.raises(StoreUnusable, match="cannot be used"):
        turns.turns("acme", "ann", "c")


def test_the_file_is_private_and_holds_no_text(path, turns):
    _add(turns, "r1", Action.GROUNDED)
    assert path.stat().st_mode & 0o077 == 0
    names = {row[1] for row in sqlite3.connect(path).execute("PRAGMA table_info(turns)")}
    assert names == {"tenant", "user", "conversation", "number", "request", "role", "action", "session_id", "at_ms"}


def test_a_request_is_found_within_its_tenant_and_its_process_hears_of_wishes(path):
    gone = set()
    one, other = RequestStore(path, "1"), RequestStore(path, "2", gone.__contains__)
    one.begin("r1", "acme", "ann", "c", 5)
    found = other.find("r1", "acme")
    assert (found.user, found.state, found.session_id) == ("ann", "running", None)
    assert other.find("r1", "birch") is None
    other.wish("r1", "finish")
    assert one.wishes() == (("r1", "finish"),)
    assert other.wishes() == ()
    one.end("r1", "ended", "s-1", 9)
    assert one.wishes() == ()
    other.wish("r1", "cancel")
    assert one.wishes() == ()
    assert (other.find("r1", "acme").session_id, other.find("r1", "acme").ended_at_ms) == ("s-1", 9)
    one.begin("r2", "acme", "ann", None, 6)
    other.begin("r3", "acme", "ann", None, 7)
    assert other.give_up_gone(10) == 0
    assert other.find("r2", "acme").state == "running"
    gone.update("12")
    assert other.give_up_gone(10) == 1
    assert [other.find(name, "acme").state for name in ("r2", "r3")] == ["failed", "running"]
    assert (other.prune(6), other.forget("acme")) == (1, 2)
    one.close()
    other.close()


def test_a_chore_is_done_by_one_process_and_again_when_it_is_due(path):
    stores = [RequestStore(path, str(number)) for number in range(3)]
    assert [store.claim("retention", 1_000, 500) for store in stores] == [True, False, False]
    assert [store.claim("retention", 1_499, 500) for store in stores] == [False, False, False]
    assert [store.claim("retention", 1_500, 500) for store in stores] == [True, False, False]
    assert stores[0].claim("another", 1_500, 500)
    for store in stores:
        store.close()


def test_a_request_that_another_process_runs_stays_with_it(path):
    gone = set()
    one, other = RequestStore(path, "1"), RequestStore(path, "2", gone.__contains__)
    one.begin("r1", "acme", "ann", None, 1)
    other.begin("r1", "acme", "ann", None, 2)
    other.end("r1", "failed", None, 3)
    assert other.find("r1", "acme").state == "running"
    gone.add("1")
    other.begin("r1", "acme", "ann", None, 4)
    other.end("r1", "ended", "s-1", 5)
    assert other.find("r1", "acme").state == "ended"
    one.begin("r1", "acme", "ann", None, 6)
    assert (one.find("r1", "acme").state, one.find("r1", "acme").session_id) == ("running", "s-1")
    one.close()
    other.close()


def test_a_key_names_one_request_until_its_client_leaves(path):
    store, other = RequestStore(path, "1"), RequestStore(path, "2")
    ask = ("acme", "ann", turn_key("c-1", 1))
    first = store.keyed(*ask, "digest", "r1", 1)
    assert first.request == "r1"
    assert first.session_key != turn_key("c-1", 1)  # a client cannot take the place of a turn
    assert other.keyed(*ask, "digest", "r2", 2) == first
    assert store.keyed(*ask, "another", "r3", 3) is None
    assert store.keyed("acme", "bea", ask[2], "another", "r4", 3).request == "r4"
    store.abandon(*ask, "r9")
    assert other.keyed(*ask, "digest", "r5", 4) == first
    other.abandon(*ask, "r1")
    second = store.keyed(*ask, "digest", "r6", 5)
    assert second.request == "r6"
    assert second.session_key not in (first.session_key, ask[2], "")
    assert other.keyed(*ask, "digest", "r7", 6) == second
    store.release(*ask)
    assert store.keyed(*ask, "another", "r8", 7).session_key == first.session_key
    assert b"digest" in path.read_bytes() + path.with_name(f"{path.name}-wal").read_bytes()
    assert store.prune(8) == 0
    assert store.keyed(*ask, "digest", "r9", 9).request == "r9"
    store.close()
    other.close()


def test_a_process_is_gone_when_nobody_holds_its_mark(tmp_path):
    folder = tmp_path / "workers"
    mark = LiveWorker(folder, "one")
    assert not worker_is_gone(folder, "one")
    assert (folder / "one").stat().st_mode & 0o077 == 0
    mark.close()
    assert worker_is_gone(folder, "one")
    for name in ("never", "../keys", "", "4711"):
        assert worker_is_gone(folder, name)
    script = (
        "import os, pathlib, sys; from app.system.stores.conversations.live_workers import LiveWorker; "
        "LiveWorker(pathlib.Path(sys.argv[1]), 'two'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(folder)], cwd=ROOT / "backend", check=False)
    assert (folder / "two").exists()
    three = LiveWorker(folder, "three")
    assert [path.name for path in folder.iterdir()] == ["three"]
    assert worker_is_gone(folder, "two")
    three.close()


def test_processes_that_begin_at_once_leave_each_other_their_marks(tmp_path):
    names = [f"w{number}" for number in range(24)]
    with ThreadPoolExecutor(12) as pool:
        marks = list(pool.map(lambda name: LiveWorker(tmp_path, name), names))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert not any(worker_is_gone(tmp_path, name) for name in names)
    for mark in marks:
        mark.close()
    assert list(tmp_path.iterdir()) == []
