"""Runs of many worlds: one world judged, a share of them in this process, all of them over several processes."""

from __future__ import annotations

import gc
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.simulation.interrupt import INTERRUPTS
from tests.simulation.oracle.judge import judge
from tests.simulation.scenario.generate import SESSIONS_PER_WORLD, make_world
from tests.simulation.world.neighbours import dismiss
from tests.simulation.world.play import play

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]


def judged(world: Json) -> list[Json]:
    """Each session of a world: digest, stop, the faults that happened, and what is wrong with it."""
    try:
        seen = play(world)
    except (Exception, SystemExit, KeyboardInterrupt) as exc:  # noqa: BLE001  whatever gets out breaks all sessions
        INTERRUPTS.check()
        wrong = [f"the world broke: {type(exc).__name__}: {exc}"]
        return [
            {"n": one["n"], "digest": "", "stop": None, "happened": [], "wrong": wrong} for one in world["sessions"]
        ]
    INTERRUPTS.check()
    return [
        {"n": given["n"], "digest": digest(got), "stop": got["stop"], "happened": got["happened"], "wrong": wrong}
        for given, got, wrong in zip(world["sessions"], seen, judge(world, seen), strict=True)
    ]


def digest(seen: Json) -> str:
    """Over everything that was seen of a session, its journal to the byte."""
    text = json.dumps(seen, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def worlds_of(sessions: int) -> Iterator[tuple[int, int]]:
    """The numbers of the worlds that hold this many sessions, and how many sessions each has."""
    for number in range(-(-sessions // SESSIONS_PER_WORLD)):
        yield number, min(SESSIONS_PER_WORLD, sessions - number * SESSIONS_PER_WORLD)


def share(seed: int, sessions: int, turn: int, jobs: int) -> Iterator[list[Json]]:
    """Every `jobs`-th world, judged."""
    for number, size in worlds_of(sessions):
        if number % jobs == turn:
            yield judged(make_world(seed, number, size))


def work(seed: int, sessions: int, turn: int, jobs: int) -> None:
    """A worker: one line of JSON for each of its worlds, and at the end the processor time it took."""
    gc.freeze()  # modules and tables are never garbage
    for done in share(seed, sessions, turn, jobs):
        sys.stdout.write(json.dumps(done) + "\n")
        sys.stdout.flush()
    dismiss()
    sys.stdout.write(json.dumps({"cpu_s": time.process_time()}) + "\n")


def run_all(seed: int, sessions: int, jobs: int, tell: Callable[[int], None]) -> tuple[list[Json], float]:
    """All sessions in order, and the processor seconds of all workers; `tell` hears how many are done."""
    jobs = max(1, min(jobs, -(-sessions // SESSIONS_PER_WORLD)))
    words = [sys.executable, "-m", "tests.simulation", "--seed", str(seed), "--sessions", str(sessions)]
    workers: list[subprocess.Popen[str]] = []
    done: list[Json] = []
    cpu_s = 0.0
    try:
        for turn in range(jobs):
            # In a group of its own: Ctrl-C is for this process, which ends its workers in order.
            words_here = [*words, "--worker", f"{turn}/{jobs}"]
            started = subprocess.Popen(words_here, stdout=subprocess.PIPE, text=True, cwd=ROOT, process_group=0)
            workers.append(started)
        for number, size in worlds_of(sessions):
            stream = workers[number % jobs].stdout
            assert stream is not None
            line = stream.readline()
            if not line:
                raise SystemExit(f"a worker of the simulation ended before world {number}")
            done += json.loads(line)
            tell(number * SESSIONS_PER_WORLD + size)
        for worker in workers:
            assert worker.stdout is not None
            cpu_s += json.loads(worker.stdout.readline())["cpu_s"]
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.communicate()
    return done, cpu_s
