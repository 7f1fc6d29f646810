"""A damaged, full or foreign index: noticed, rebuilt from the folder, or refused with a clear message."""

from __future__ import annotations

import logging
import os
import resource
import shutil
import sqlite3
import sys
import tempfile
import traceback
from pathlib import Path

import pytest
from tests.fixtures.seeded import seeded

from app.kernel.errors import StoreUnusable
from app.parsing.text.words.tokens import asked_words
from app.system.stores.documents.index import open_index, open_index_reader
from app.system.stores.documents.ranking import Ranking

DATABASE = "documents.sqlite3"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "folder"
    made.mkdir()
    for n in range(30):
        (made / f"{n:02d}.txt").write_text(f"barley page {n}\n\n" + f"word{n} " * 400)
    return made


@pytest.fixture
def state(folder, tmp_path):
    index = open_index(folder, tmp_path / "state")
    index.refresh()
    index.close()
    return tmp_path / "state"


def answers(index):
    return [(hit.path, hit.text, hit.score_milli) for hit in index.search("barley word7", 10)]


def expected(folder, tmp_path):
    index = open_index(folder, tmp_path / "fresh")
    index.refresh()
    found = answers(index)
    index.close()
    assert found
    return found


def garbage(path, at, length):
    with path.open("r+b") as stream:
        stream.seek(at)
        stream.write(seeded(at).randbytes(length))


def cut(path, share):
    with path.open("r+b") as stream:
        stream.truncate(int(path.stat().st_size * share))


DATABASE_DAMAGE = {
    "header": lambda path: garbage(path, 0, 200),
    "schema": lambda path: garbage(path, 100, 3000),
    "pages": lambda path: garbage(path, 8192, 40_000),
    "cut": lambda path: cut(path, 0.5),
    "other text": lambda path: path.write_bytes(b"not a database at all" * 1000),
}


@pytest.mark.parametrize("damage", DATABASE_DAMAGE.values(), ids=DATABASE_DAMAGE)
def test_a_damaged_database_is_noticed_and_rebuilt(folder, state, tmp_path, caplog, damage):
    damage(state / DATABASE)
    index = open_index(folder, state)
    with caplog.at_level(logging.WARNING):
        report = index.refresh()
    assert report.documents == 30
    assert answers(index) == expected(folder, tmp_path)
    assert "damaged" in str(index.rebuilt_because)
    assert "built again" in caplog.text
    index.refresh()
    assert index.rebuilt_because is None
    index.close()


def test_a_database_that_is_gone_or_empty_is_made_again(folder, state, tmp_path):
    index = open_index(folder, state)
    cut(state / DATABASE, 0)
    assert index.refresh().added == 30
    index.close()
    (state / DATABASE).unlink()
    assert index.refresh().added == 30
    assert answers(index) == expected(folder, tmp_path)
    index.close()


RANKING_DAMAGE = {
    "garbage": lambda path: garbage(path, path.stat().st_size // 2, 64),
    "cut": lambda path: cut(path, 0.5),
    "gone": lambda path: path.unlink(),
}


@pytest.mark.parametrize("damage", RANKING_DAMAGE.values(), ids=RANKING_DAMAGE)
@pytest.mark.parametrize("opened_before", [False, True])
def test_a_damaged_ranking_is_noticed_and_rebuilt(folder, state, tmp_path, damage, opened_before):
    index = open_index(folder, state)
    if opened_before:
        assert answers(index)
    for path in sorted((state / "ranking-1").iterdir()):
        if path.is_file() and path.stat().st_size:
            damage(path)
    with pytest.raises(StoreUnusable, match="damaged"):
        open_index_reader(state)
    if not opened_before:
        index.refresh()
    assert answers(index) == expected(folder, tmp_path)
    index.close()


def test_a_text_that_changed_in_the_store_is_never_quoted(folder, state, tmp_path):
    with sqlite3.connect(state / DATABASE) as link:
        link.execute("UPDATE documents SET text = replace(text, 'barley', 'poison')")
    link.close()
    reader = open_index_reader(state)
    with pytest.raises(StoreUnusable, match="damaged"):
        answers(reader)
    reader.close()
    index = open_index(folder, state)
    index.refresh()
    assert index.rebuilt_because == "a search found the document index damaged"
    assert answers(index) == expected(folder, tmp_path)
    index.close()


@pytest.mark.parametrize(
    "open_it", [lambda folder, state: open_index(folder, state).refresh(), lambda _, s: open_index_reader(s)]
)
def test_an_index_of_a_newer_version_is_left_alone(folder, state, open_it):
    with sqlite3.connect(state / DATABASE) as link:
        link.execute("PRAGMA user_version=99")
    link.close()
    before = (state / DATABASE).read_bytes()
    with pytest.raises(StoreUnusable, match="newer version"):
        open_it(folder, state)
    assert (state / DATABASE).read_bytes() == before


def test_another_program_s_database_is_left_alone(folder, tmp_path):
    (tmp_path / "state").mkdir()
    with sqlite3.connect(tmp_path / "state" / DATABASE) as link:
        link.execute("CREATE TABLE precious (x)")
    link.close()
    with pytest.raises(StoreUnusable, match="another program"):
        open_index(folder, tmp_path / "state").refresh()
    with sqlite3.connect(tmp_path / "state" / DATABASE) as link:
        assert link.execute("SELECT count(*) FROM precious").fetchone() == (0,)
    link.close()


def test_an_index_of_an_older_version_is_built_again(folder, state, tmp_path):
    with sqlite3.connect(state / DATABASE) as link:
        link.execute("PRAGMA user_version=0")
    link.close()
    index = open_index(folder, state)
    index.refresh()
    assert "older version" in str(index.rebuilt_because)
    assert answers(index) == expected(folder, tmp_path)
    index.close()


def test_a_state_folder_that_is_a_file_is_unusable(folder, tmp_path):
    (tmp_path / "taken").write_text("x")
    with pytest.raises(StoreUnusable, match="cannot be read or written"):
        open_index(folder, tmp_path / "taken").refresh()


@pytest.mark.parametrize("room", [1_000, 40_000, 150_000, 600_000])
def test_a_full_disk_is_told_and_the_last_generation_still_answers(folder, state, room):
    index = open_index(folder, state)
    before = answers(index)
    chance = seeded(room)
    for n in range(40):
        (folder / f"new{n}.txt").write_text(" ".join(f"w{chance.randrange(300)}" for _ in range(9000)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        with pytest.raises(StoreUnusable, match="no room"):
            index.refresh()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert answers(index) == before
    reader = open_index_reader(state)
    assert answers(reader) == before
    reader.close()
    assert index.refresh().added == 40
    index.close()


def test_an_index_in_step_with_its_folder_needs_no_room(folder, state):
    index = open_index(folder, state)
    index._now_ns = lambda: 1 << 62  # every file is settled
    index.refresh()
    before = answers(index)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        report = index.refresh()
        found = answers(index)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (report.unchanged, report.passages) == (30, index.refresh().passages)
    assert found == before
    index.close()


def test_a_reader_needs_no_right_to_write(folder):
    with tempfile.TemporaryDirectory() as open_to_all:
        state = Path(open_to_all) / "state"
        index = open_index(folder, state)
        index.refresh()
        before = answers(index)
        index.close()
        for path in (state.parent, state, *state.rglob("*")):
            path.chmod(0o555)
        outcome = in_a_child(lambda: _read_as_nobody(state, before))
        for path in (state.parent, *state.glob("ranking-*"), state):
            path.chmod(0o755)
    assert outcome == 0


def _read_as_nobody(state, before):
    """In a child: 0 where the answers are right without any right to write."""
    if os.geteuid() == 0:
        os.setuid(65_534)
    if os.access(state, os.W_OK):
        return 3
    return 0 if answers(open_index_reader(state)) == before else 4


def in_a_child(work, meanwhile=lambda: None):
    """The exit code of a process that does the work; below zero, the signal that killed it."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = work()
        finally:
            if sys.exc_info()[0] is not None:
                traceback.print_exc()
            os._exit(code)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        meanwhile()


def ranked(ranking):
    words = asked_words("barley word7")
    return ranking.best(words, 10), ranking.weights(words)


def test_a_file_that_is_cut_after_it_was_checked_kills_nobody(state):
    """Between the check and the search: a file that is mapped into memory and cut ends its process with SIGBUS."""
    with sqlite3.connect(state / DATABASE) as link:
        manifest = link.execute("SELECT value FROM facts WHERE name = 'manifest'").fetchone()[0]
    link.close()

    def search():
        ranking = Ranking(state / "ranking-1", manifest)
        before = ranked(ranking)
        for path in (state / "ranking-1").iterdir():
            cut(path, 0)
        return 0 if before == ranked(ranking) and before[0] else 1

    assert in_a_child(search) == 0
    assert list(state.glob("reading-*")) == []


def test_damage_at_any_moment_is_an_error_and_never_an_end(folder, state):
    index = open_index(folder, state)
    before = answers(index)
    index.close()
    whole = {path: path.read_bytes() for path in (state / "ranking-1").iterdir() if path.stat().st_size}
    chance = seeded(7)  # which file is damaged next

    def search():
        seen = {"right": 0, "refused": 0}
        for _ in range(150):
            try:
                reader = open_index_reader(state)
                for _ in range(4):
                    if answers(reader) != before:
                        return 2
                    seen["right"] += 1
                reader.close()
            except StoreUnusable:
                seen["refused"] += 1
        return 0

    def damage():
        path = chance.choice(sorted(whole))
        cut(path, chance.random())
        path.write_bytes(whole[path])

    assert in_a_child(search, damage) == 0


def test_flipped_bits_are_an_error_of_the_store(folder, state, tmp_path):
    """Any bit of any file: what is not noticed changes no answer's text, and nothing else than our error comes out."""
    chance = seeded(11)  # which bits
    copy = tmp_path / "copy"

    def flip():
        outcomes = set()
        for _ in range(200):
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(state, copy)
            path = chance.choice(sorted(path for path in copy.rglob("*") if path.is_file() and path.stat().st_size))
            if chance.random() < 0.7:
                path = copy / DATABASE
            data = bytearray(path.read_bytes())
            for _ in range(chance.choice((1, 5, 50))):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(data)
            try:
                reader = open_index_reader(copy)
                answers(reader)
                reader.close()
                outcomes.add("answered")
            except StoreUnusable:
                outcomes.add("refused")
        return 0 if outcomes == {"answered", "refused"} else 1

    assert in_a_child(flip) == 0


@pytest.mark.parametrize(
    "manifest", ["{", "[]", "[1]", "[['order.bin', 1]]", '[["order.bin", "x", 1]]', '[["../order.bin", 1, 1]]']
)
def test_a_manifest_that_nobody_wrote_is_damage(state, manifest):
    with pytest.raises(StoreUnusable, match="damaged"):
        Ranking(state / "ranking-1", manifest)


def test_copies_that_killed_readers_left_are_taken_away(folder, state):
    old, fresh = state / "reading-old", state / "reading-fresh"
    for left in (old, fresh):
        left.mkdir()
        (left / "part").write_bytes(b"x")
    os.utime(old, (1, 1))
    (folder / "new.txt").write_text("barley and rye")
    index = open_index(folder, state)
    index.refresh()
    index.close()
    assert (old.exists(), fresh.exists()) == (False, True)
