"""Golden cases as data: where they are, how they run, what is compared."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual

SESSION = "00000000-0000-4000-8000-000000000001"
FOLDER = Path(__file__).parent / "cases"


def case_files() -> list[Path]:
    """Every case, sorted."""
    return sorted(FOLDER.glob("*/*.json"))


def read_case(path: Path) -> dict[str, Any]:
    """One case."""
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]  # a case is an object


def play(case: dict[str, Any]) -> tuple[Bench, dict[str, Any]]:
    """Run a case and read its end from the journal: a cancelled session has no other witness."""
    bench = Bench(case)

    async def to_the_end() -> None:
        try:
            await bench.go()
        except asyncio.CancelledError:
            if "cancel_after_ms" not in case:
                raise

    run_virtual(bench.loop, to_the_end())
    lines = [json.loads(line) for line in bench.journal.lines(SESSION)]
    end = lines[-1]["facts"]
    return bench, {
        "stop": end["verdict"]["stop"],
        "action": end["verdict"]["action"],
        "signals": [[signal["reason"], signal["cause"]] for signal in end["verdict"].get("signals", [])],
        "calls": [_call(line["facts"]["outcome"]) for line in lines if line["step"] == "Called"],
        "sources": len(end["sources"]),
        "spent_units": end["spent_units"],
        "ended": end["ended"],
        "digest": end["outcome"],
    }


def _call(facts: dict[str, Any]) -> list[str]:
    return [facts["tool"], facts["status"], *([facts["unavailable"]] if "unavailable" in facts else [])]


def alike(case: dict[str, Any]) -> str:
    """Two cases with the same of these would prove the same."""
    want = case["want"]
    return json.dumps([want[key] for key in ("signals", "calls", "stop", "action", "sources", "ended")])
