"""What the past costs: a call with 100,000 sessions on disk beside a call with 1,000, in the same run.

Both data folders get copies of one real session under other ids, with objects of its own in the content store. Then
rounds of new sessions alternate between the two gates. Prints one JSON document; `ratio` is the median over rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
import uuid
from pathlib import Path

from app import Settings, open_gate
from app.system.stores.content.files import FileStore
from app.system.stores.journal.files import FileJournal
from app.wiring import open_archive
from benchmarks.core import Gate
from benchmarks.tools import InstantTool

ROUNDS = 40
SETTLED = 5


async def one_session(data_dir: Path) -> None:
    """A real session to copy."""
    async with open_gate(settings=_settings(data_dir), toolbox={"doc_lookup": InstantTool()}) as router:
        await Gate(router, "in_a_row").session()


def fill(data_dir: Path, sessions: int) -> None:
    """Lay out a past of that many sessions: their journals, and three objects each."""
    journal, store = FileJournal(data_dir / "journal"), FileStore(data_dir / "store")
    (first,) = journal.closed_sessions()
    place = Path(first.place)
    text = place.read_bytes()
    for number in range(sessions - 1):
        session_id = str(uuid.uuid4())
        place.with_name(f"{session_id}.jsonl").write_bytes(text.replace(first.session_id.encode(), session_id.encode()))
        for part in range(3):
            store.put(first.tenant, f"{session_id} {part} {'x' * 500}".encode())
        if number % 10_000 == 9_999:
            print(f"{number + 1} sessions laid out", file=sys.stderr)


async def measured(small: Path, large: Path) -> dict[str, float]:
    """Alternating rounds, so that a busy machine slows both."""
    async with (
        open_gate(settings=_settings(small), toolbox={"doc_lookup": InstantTool()}) as few,
        open_gate(settings=_settings(large), toolbox={"doc_lookup": InstantTool()}) as many,
    ):
        gates = Gate(few, "in_a_row"), Gate(many, "in_a_row")
        rounds = []
        for number in range(ROUNDS + SETTLED):
            order = gates if number % 2 else gates[::-1]
            taken = {gate: await gate.round() for gate in order}
            if number >= SETTLED:
                rounds.append((taken[gates[0]], taken[gates[1]]))
    return {
        "per_call_us_with_few": round(statistics.median(row[0] for row in rounds), 1),
        "per_call_us_with_many": round(statistics.median(row[1] for row in rounds), 1),
        "ratio": round(statistics.median(row[1] / row[0] for row in rounds), 3),
        "rounds": ROUNDS,
    }


def _opening_ms(data_dir: Path) -> float:
    async def opened() -> None:
        async with open_gate(settings=_settings(data_dir), toolbox={}):
            pass

    started = time.perf_counter()
    asyncio.run(opened())
    return (time.perf_counter() - started) * 1000


def _settings(data_dir: Path) -> Settings:
    return Settings(data_dir=data_dir, environment="dev")


def main(argv: list[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", type=int, default=1_000)
    parser.add_argument("--many", type=int, default=100_000)
    given = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="portcullis-history-") as scratch:
        small, large = Path(scratch) / "small", Path(scratch) / "large"
        for folder, sessions in ((small, given.few), (large, given.many)):
            asyncio.run(one_session(folder))
            fill(folder, sessions)
        figures = asyncio.run(measured(small, large))
        openings = [(_opening_ms(small), _opening_ms(large)) for _ in range(9)]
        figures["opening_ratio"] = round(statistics.median(many / few for few, many in openings), 3)
        started = time.perf_counter()
        listed = len(list(open_archive(_settings(large)).sessions(20)))
        figures["seconds_to_list_20_of_many"] = round(time.perf_counter() - started, 2)
    print(json.dumps({"sessions": [given.few, given.many], **figures, "listed": listed}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
