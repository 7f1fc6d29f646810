"""Pruning, listing and asking at once, in processes of their own: nobody fails, and nothing is lost that is not due."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from app import Settings, open_archive
from app.system.stores.content.files import FileStore

ROOT = Path(__file__).parents[2]
ROLES = ("ask", "prune", "prune", "look")


def at_once(data, stop):
    """What each process told; a process that failed says why."""
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.doors.traffic", role, str(data), str(stop)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for role in ROLES
    ]
    told = []
    for role, process in zip(ROLES, started, strict=True):
        out, err = process.communicate(timeout=300)
        stop.touch()  # where the writer failed, the others end as well
        told.append((role, process.returncode, err[-2000:], out))
    assert [(role, err) for role, code, err, _ in told if code] == []
    return [json.loads(out.splitlines()[-1]) for _, _, _, out in told]


def aged(data):
    """Everything is two days older, as if nobody had come since, with a crowd of others; how many sessions are due."""
    closed = list((data / "journal" / "closed").rglob("*.jsonl"))
    for path in closed:
        crowd = data / "journal" / "closed" / "crowd" / path.parent.name
        crowd.mkdir(parents=True, exist_ok=True)
        for number in range(30):
            shutil.copyfile(path, crowd / f"{path.stem}-{number}.jsonl")
    past = time.time() - 2 * 86_400
    due = list((data / "journal" / "closed").rglob("*.jsonl"))
    for path in (*due, *(data / "store").rglob("*")):
        if path.is_file():
            os.utime(path, (past, past))
    return len(due)


def test_prunes_and_lists_beside_traffic(tmp_path):
    data = tmp_path / "data"
    for number in range(2):
        due = aged(data)
        asked, *pruned, looked = at_once(data, tmp_path / f"stop{number}")
        assert asked["stops"] == ["SUCCESS_COMPLETED"]
        assert looked["rounds"] > 0
        # What was due is gone, and two that prune took each session once.
        assert sum(one["sessions"] for one in pruned) == due
        records = open_archive(Settings(data_dir=data))
        assert {row.session_id for row in records.sessions(10_000)} == set(asked["sessions"])
        assert [one for one in asked["sessions"] if not records.replay(one).identical] == []


PRUNER = """
import sys, time
from pathlib import Path
from app.system.stores.content.files import FileStore

store, tally, stop = FileStore(Path(sys.argv[1])), Path(sys.argv[2]), Path(sys.argv[3])
while not stop.exists():
    for name in list(store.digests("t")):
        if store.remove_unused("t", name, int(time.time() * 1000) - 60_000):
            with tally.open("ab") as file:
                file.write(b".")
"""


@pytest.mark.ruling("R20")
def test_an_object_that_is_put_while_it_is_pruned_is_never_lost(tmp_path):
    """Two processes prune one object as often as it is old; this one ages it, and puts it again at any moment."""
    folder, tally, stop = tmp_path / "store", tmp_path / "tally", tmp_path / "stop"
    tally.touch()
    command = [sys.executable, "-c", PRUNER, str(folder), str(tally), str(stop)]
    pruners = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    store, lost = FileStore(folder), 0
    while tally.stat().st_size < 300 and all(process.poll() is None for process in pruners):
        digest = store.put("t", b"some words")
        lost += store.get("t", digest) is None
        with suppress(FileNotFoundError):
            os.utime(folder / "t" / digest[:2] / digest, (1, 1))
    stop.touch()
    assert [process.communicate(timeout=60)[1] for process in pruners] == ["", ""]
    assert tally.stat().st_size >= 300
    assert lost == 0
