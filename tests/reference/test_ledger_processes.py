"""Several processes and many sessions on one file admit exactly the cap, never one more or fewer."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from app.kernel.ledger import Reserved
from tests.reference.ledger_bench import BACKENDS, Bench, wish

CROWD = Path(__file__).parents[1] / "fixtures" / "ledger_crowd.py"
CAP = 60


def run_crowd(path, *, sessions, wishes, speed, lead_s=2.0):
    start_ns = time.time_ns() + int(lead_s * 1e9)
    numbers = [str(n) for n in (CAP, sessions, wishes, speed, start_ns)]
    crowd = [
        subprocess.Popen([sys.executable, CROWD, path, *numbers, f"p{p}"], stdout=subprocess.PIPE, text=True)
        for p in range(4)
    ]
    answers = [json.loads(process.communicate(timeout=300)[0]) for process in crowd]
    assert all(process.returncode == 0 for process in crowd)
    admitted = sorted(at_ms for answer in answers for at_ms in answer["admitted"])
    refused = [value for answer in answers for value in answer["refused"]]
    return admitted, refused


def shoot(admitted, refused):
    """Calls over the cap in the fullest minute, and calls that a refusal left unused."""
    fullest = max(sum(a <= b < a + 60_000 for b in admitted) for a in admitted)
    return max(0, fullest - CAP), max(CAP + 1 - value for value in refused)


@pytest.mark.ruling("R9")
def test_four_processes_share_one_minute(tmp_path, capsys):
    admitted, refused = run_crowd(tmp_path / "ledger.db", sessions=50, wishes=4, speed=1)
    overshoot, undershoot = shoot(admitted, refused)
    with capsys.disabled():
        demanded = len(admitted) + len(refused)
        print(f"\n4 processes: demanded={demanded} cap={CAP} overshoot={overshoot} undershoot={undershoot}")
    assert len(admitted) + len(refused) == 800
    # The machine may be slow, so a second minute may have begun; each is full before anyone is refused.
    assert sum(at_ms < admitted[0] + 60_000 for at_ms in admitted) == CAP
    assert (overshoot, undershoot) == (0, 0)


@pytest.mark.ruling("R9")
def test_four_processes_over_many_minutes(tmp_path, capsys):
    admitted, refused = run_crowd(tmp_path / "ledger.db", sessions=20, wishes=100, speed=400)
    overshoot, undershoot = shoot(admitted, refused)
    with capsys.disabled():
        minutes = (admitted[-1] - admitted[0]) / 60_000
        print(f"\n4 processes, {minutes:.1f} minutes: {len(admitted)=} overshoot={overshoot} undershoot={undershoot}")
    assert len(admitted) > CAP
    assert (overshoot, undershoot) == (0, 0)


@pytest.mark.ruling("R9")
@pytest.mark.parametrize("backend", BACKENDS)
def test_two_hundred_sessions_of_one_subject(backend, tmp_path):
    bench = Bench(backend, tmp_path)

    async def session(number):
        return [await bench.ledger.reserve(wish(session_id=f"s{number}", key=f"b{n}")) for n in range(3)]

    async def everyone():
        return await asyncio.gather(*(session(number) for number in range(200)))

    decisions = [decision for made in asyncio.run(everyone()) for decision in made]
    bench.ledger.close()
    assert sum(isinstance(decision, Reserved) for decision in decisions) == 10


@pytest.mark.ruling("R12")
def test_a_killed_process_loses_no_decision(tmp_path):
    code = """
        import pathlib, sys
        from tests.reference.ledger_bench import Bench
        bench = Bench("sqlite", pathlib.Path(sys.argv[1]))
        for n in range(1_000_000):
            print(bench.reserve(key=f"b{n}", max_calls_per_minute=10**9, max_calls_total=10**9).calls, flush=True)
    """
    bench = Bench("sqlite", tmp_path)
    told = 0
    for _ in range(3):
        command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as victim:
            lines = [victim.stdout.readline() for _ in range(told + 200)]
            victim.kill()
            lines += victim.stdout.readlines()
        # Keys are the same in every round, so what was decided before is found again and not counted twice.
        told = sum(line == "1\n" for line in lines)
        assert told <= bench.standing()["open_reservations"] <= told + 1
    assert bench.release("s1") >= told
    bench.ledger.close()
