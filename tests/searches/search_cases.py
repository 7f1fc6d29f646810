"""Golden cases of the search capabilities: the real plans through the real rooms, compared to the digest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from app.kernel.canonical import sha256_hex
from tests.fixtures.search_sessions import SearchBench

FOLDER = Path(__file__).parent / "cases"


def search_case_files() -> list[Path]:
    """Every case, sorted."""
    return sorted(FOLDER.glob("*.json"))


def play_search(case: dict[str, Any]) -> tuple[SearchBench, dict[str, Any], dict[str, Any]]:
    """Run a case; what is compared, and the output of the capability as a caller gets it."""
    bench = SearchBench(case)
    outcome = bench.run()
    output = json.loads(bench.result(outcome).model_dump_json())
    lines = [json.loads(line) for line in bench.journal.lines(outcome.session_id)]
    got = {
        "stop": outcome.verdict.stop.value,
        "calls": [call.call_id for call in outcome.outcomes],
        "sources": len(outcome.bundle.sources),
        "spent_units": outcome.spent_units,
        "ended": outcome.ended.value,
        "digest": lines[-1]["facts"]["outcome"],
        "output": sha256_hex(json.dumps(output, sort_keys=True, ensure_ascii=False).encode()),
    }
    return bench, got, output
