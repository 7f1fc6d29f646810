"""Processes that share a data folder: python -m tests.doors.traffic ROLE DATA STOP, until the file STOP is there."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from app import Principal, ResearchRequest, Settings, open_archive, open_gate
from app.system.contract_files import samples_dir

DAY_MS = 86_400_000
ASKED = 20


async def ask(settings: Settings) -> object:
    """Ask the same questions again and again, so that every session names objects that others have put."""
    sessions, stops = [], set()
    async with open_gate(samples_dir(), settings=settings) as router:
        for number in range(ASKED):
            who = Principal(tenant="acme", user=f"u{number}", tier="MAX", collections=("documents",))
            outcome = await router.run(ResearchRequest(question="Why is my sourdough loaf dense?"), who)
            sessions.append(outcome.session_id)
            stops.add(outcome.verdict.stop.value)
    return {"sessions": sessions, "stops": sorted(stops)}


def prune(settings: Settings, stop: Path) -> object:
    """Prune as often as possible what is older than a day."""
    sessions = rounds = 0
    records = open_archive(settings)
    while True:
        last = stop.exists()
        sessions += asyncio.run(records.prune(DAY_MS)).sessions
        rounds += 1
        if last:
            return {"sessions": sessions, "rounds": rounds}


def look(settings: Settings, stop: Path) -> object:
    """List all sessions as often as possible."""
    rounds = 0
    records = open_archive(settings)
    while not stop.exists():
        ids = [row.session_id for row in records.sessions(10_000, "acme")]
        assert len(set(ids)) == len(ids), "listed twice"
        states = {row.state for row in records.sessions(10_000)}
        assert states <= {"open", "closed"}, states
        rounds += 1
    return {"rounds": rounds}


if __name__ == "__main__":
    role, data, until = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    chosen = Settings(data_dir=data)
    if role == "ask":
        told = asyncio.run(ask(chosen))
        until.touch()
    else:
        told = {"prune": prune, "look": look}[role](chosen, until)
    print(json.dumps(told))
