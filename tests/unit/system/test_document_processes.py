"""Several processes on one index, and processes that are killed in the middle of a refresh."""

from __future__ import annotations

import fcntl
import subprocess
import sys
import time

import pytest
from tests.fixtures.seeded import seeded

from app.kernel.errors import StoreUnusable
from app.system.stores.documents.index import open_index, open_index_reader

REFRESH = """
import sys, pathlib
from app.system.stores.documents.index import open_index
index = open_index(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
print("ready", flush=True)
for _ in range(int(sys.argv[3])):
    report = index.refresh()
    print(report.documents, flush=True)
"""
KILLS = 24


def start(folder, state, rounds):
    process = subprocess.Popen(
        [sys.executable, "-c", REFRESH, str(folder), str(state), str(rounds)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def write_pages(folder, chance, count):
    for n in chance.sample(range(60), count):
        path = folder / f"{n:02d}.txt"
        if path.exists() and chance.random() < 0.3:
            path.unlink()
        else:
            path.write_text("barley " + " ".join(f"w{chance.randrange(200)}" for _ in range(300)))


def answers(index):
    return [hit.model_dump() for hit in index.search("barley w7 w8 w9", 20)]


def test_a_refresh_killed_at_any_moment_loses_nothing(tmp_path):
    folder, state = tmp_path / "folder", tmp_path / "state"
    folder.mkdir()
    chance = seeded(7)
    write_pages(folder, chance, 40)
    index = open_index(folder, state)
    started = time.perf_counter()
    index.refresh()
    took = time.perf_counter() - started
    last = answers(index)
    index.close()
    killed = tries = 0
    while killed < KILLS and tries < 10 * KILLS:
        tries += 1
        write_pages(folder, chance, 20)
        process = start(folder, state, 1)
        time.sleep(chance.random() * took)
        process.kill()
        output, _ = process.communicate()
        killed += not output
        # Whatever was cut short, the last complete generation answers at once, and whole.
        reader = open_index_reader(state)
        found = answers(reader)
        reader.close()
        index = open_index(folder, state)
        index.refresh()
        now = answers(index)
        assert index.rebuilt_because is None
        index.close()
        assert found in (last, now)
        last = now
    assert killed == KILLS
    index = open_index(folder, state)
    report = index.refresh()
    fresh = open_index(folder, tmp_path / "fresh")
    assert report.documents == fresh.refresh().documents
    assert answers(index) == answers(fresh)
    assert len(list(state.glob("ranking-*"))) <= 2
    index.close()
    fresh.close()


def test_a_first_refresh_that_is_killed_leaves_nothing_broken(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    chance = seeded(8)
    write_pages(folder, chance, 60)
    for round_ in range(8):
        state = tmp_path / f"state{round_}"
        process = start(folder, state, 1)
        time.sleep(chance.random() * 0.1)
        process.kill()
        process.communicate()
        index = open_index(folder, state)
        assert index.refresh().documents == 60
        assert len(answers(index)) == 20
        index.close()


def test_processes_that_refresh_and_search_at_once_agree(tmp_path):
    folder, state = tmp_path / "folder", tmp_path / "state"
    folder.mkdir()
    chance = seeded(9)
    write_pages(folder, chance, 50)
    index = open_index(folder, state)
    index.refresh()
    reader = open_index_reader(state)
    others = [start(folder, state, 15) for _ in range(2)]
    rounds = 0
    while any(other.poll() is None for other in others):
        (folder / "pulse.txt").write_text(f"barley pulse {rounds}")
        found = reader.search("barley", 20)
        assert len(found) == 20
        assert all(hit.end - hit.start == len(hit.text) for hit in found)
        rounds += 1
    for other in others:
        output, _ = other.communicate()
        assert other.returncode == 0
        assert len(output.split()) == 15
    index.refresh()
    assert index.search(f"pulse {rounds - 1}", 1)[0].text == f"barley pulse {rounds - 1}"
    reader.close()
    index.close()


def test_who_cannot_get_the_lock_uses_the_last_generation(tmp_path):
    folder, state = tmp_path / "folder", tmp_path / "state"
    folder.mkdir()
    (folder / "a.txt").write_text("barley")
    (folder / "b.bin").write_text("x")
    index = open_index(folder, state, lock_wait_ms=40)
    index.refresh()
    (folder / "c.txt").write_text("barley")
    with (state / "refresh.lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        report = index.refresh()
        assert (report.documents, report.unchanged, report.added) == (1, 1, 0)
        assert [skip.reason for skip in report.skipped] == ["unsupported"]
        assert [hit.path for hit in index.search("barley", 5)] == ["a.txt"]
        other = open_index(folder, tmp_path / "empty", lock_wait_ms=40)
        (tmp_path / "empty").mkdir()
        with (tmp_path / "empty" / "refresh.lock").open("ab") as held_too:
            fcntl.flock(held_too, fcntl.LOCK_EX)
            with pytest.raises(StoreUnusable, match="another process"):
                other.refresh()
        other.close()
    assert index.refresh().added == 1
    index.close()


def test_an_index_that_another_process_built_again_is_opened_again(tmp_path):
    folder, state = tmp_path / "folder", tmp_path / "state"
    folder.mkdir()
    (folder / "a.txt").write_text("barley")
    mine, yours = open_index(folder, state), open_index(folder, state)
    mine.refresh()
    yours.refresh()
    reader = open_index_reader(state)
    (state / "damaged").touch()
    (folder / "b.txt").write_text("barley")
    yours.refresh()
    assert yours.rebuilt_because is not None
    (folder / "c.txt").write_text("barley")
    assert len(reader.search("barley", 9)) == 2
    assert mine.refresh().documents == 3
    assert mine.rebuilt_because is None
    assert [len(one.search("barley", 9)) for one in (mine, yours, reader)] == [3, 3, 3]
    for one in (mine, yours, reader):
        one.close()
