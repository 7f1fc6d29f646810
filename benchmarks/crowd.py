"""A crowd at the gate: many sessions of one subject demand far more than the rate cap, in one and in four processes.

Prints one JSON document; exits non-zero unless overshoot and undershoot are 0.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from app import Principal, Settings, open_gate, read_request
from app.kernel.outcome import ResearchOutcome
from app.system.contract_files import read_contract
from benchmarks.tools import InstantTool

WINDOW_MS = 60_000
CALLS_PER_SESSION = 1


async def crowd(data_dir: Path, tier: str, sessions: int) -> list[ResearchOutcome]:
    """All sessions at once, through the public gate."""
    principal = Principal(tenant="acme", user="u1", tier=tier, collections=("documents",))
    settings = Settings(data_dir=data_dir, environment="dev")
    async with open_gate(settings=settings, toolbox={"doc_lookup": InstantTool(empty=True)}) as router:
        request = read_request(question="who comes first?")
        return await asyncio.gather(*(router.run(request, principal) for _ in range(sessions)))


def judged(data_dir: Path, tier: str, sessions: int, outcomes: list[dict[str, int]]) -> dict[str, int | str]:
    """What the ledger admitted, held against the caps."""
    caps = read_contract().caps.entry(tier, "dev").caps
    with closing(sqlite3.connect(data_dir / "ledger.sqlite3")) as db:
        rows = db.execute("SELECT at_ms, calls, units, spent FROM reservations ORDER BY at_ms").fetchall()
    at = [row[0] for row in rows for _ in range(row[1])]
    most = max(sum(start <= moment < start + WINDOW_MS for moment in at) for start in at)
    return {
        "tier": tier,
        "cap_per_minute": caps.max_tool_calls_per_minute,
        "demanded": sessions * CALLS_PER_SESSION,
        "admitted": most,
        "overshoot": max(0, most - caps.max_tool_calls_per_minute),
        "undershoot": max(0, caps.max_tool_calls_per_minute - most),
        "span_ms": at[-1] - at[0],
        "sessions": sessions,
        "sessions_over_calls": sum(o["calls"] > caps.max_tool_calls_total for o in outcomes),
        "sessions_over_units": sum(o["units"] > caps.budget_units_clamp for o in outcomes),
        "calls_told": sum(o["calls"] for o in outcomes),
        "unsettled": sum(row[3] is None for row in rows),
    }


def numbers(outcomes: list[ResearchOutcome]) -> list[dict[str, int]]:
    """What the sessions say of themselves."""
    return [{"calls": len(outcome.outcomes), "units": outcome.spent_units} for outcome in outcomes]


def one_process(sessions: int = 400) -> dict[str, int | str]:
    """400 concurrent sessions of one subject."""
    with tempfile.TemporaryDirectory() as folder:
        outcomes = asyncio.run(crowd(Path(folder), "PRO", sessions))
        return judged(Path(folder), "PRO", sessions, numbers(outcomes))


def four_processes(processes: int = 4, sessions: int = 400) -> dict[str, int | str]:
    """Four processes with 400 sessions each on one SQLite ledger."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.crowd", "--worker", folder, str(sessions)]
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)]
        outcomes = [one for process in started for one in json.loads(process.communicate()[0])]
        return judged(Path(folder), "MAX", processes * sessions, outcomes)


def main() -> int:
    """Print both figures."""
    if sys.argv[1:2] == ["--worker"]:
        print(json.dumps(numbers(asyncio.run(crowd(Path(sys.argv[2]), "MAX", int(sys.argv[3]))))))
        return 0
    figures = {"one_process": one_process(), "four_processes": four_processes()}
    print(json.dumps(figures))
    return int(any(part["overshoot"] or part["undershoot"] for part in figures.values()))


if __name__ == "__main__":
    sys.exit(main())
