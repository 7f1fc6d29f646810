"""CPU per reserve and per settle of both ledgers, with 20 subjects and 30 reservations in each window; prints JSON."""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from pathlib import Path

from app.kernel.ledger import Reservation, Reserved
from app.research.ledger import decide
from app.system.stores.ledger.memory import MemoryLedger
from app.system.stores.ledger.sqlite import SqliteLedger

WISHES = 5_000


class HandClock:
    """Moves only when the benchmark moves it, so that windows slide."""

    at_ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.at_ms


async def measure(ledger: MemoryLedger | SqliteLedger, clock: HandClock) -> dict[str, float]:
    reserve_ns, settle_ns = [], []
    for n in range(WISHES):
        clock.at_ms += 100
        wish = Reservation(
            subject=f"acme/u{n % 20}",
            session_id=f"s{n // 5}",
            key=f"b{n % 5}",
            calls=1,
            units=10,
            max_calls_per_minute=240,
            max_calls_total=40,
            max_units=4_000,
            lease_ms=30_000,
        )
        begin = time.process_time_ns()
        decision = await ledger.reserve(wish)
        middle = time.process_time_ns()
        assert isinstance(decision, Reserved)
        await ledger.settle(decision.reservation_id, 5)
        reserve_ns.append(middle - begin)
        settle_ns.append(time.process_time_ns() - middle)
    ledger.close()
    return {
        "reserve_us": round(statistics.median(reserve_ns) / 1_000, 1),
        "reserve_mean_us": round(statistics.fmean(reserve_ns) / 1_000, 1),
        "settle_us": round(statistics.median(settle_ns) / 1_000, 1),
        "settle_mean_us": round(statistics.fmean(settle_ns) / 1_000, 1),
    }


def main() -> None:
    clock = HandClock()
    found = {"memory": asyncio.run(measure(MemoryLedger(clock, decide), clock))}
    with tempfile.TemporaryDirectory() as folder:
        ledger = SqliteLedger(Path(folder) / "ledger.db", clock, decide)
        found["sqlite"] = asyncio.run(measure(ledger, clock))
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
