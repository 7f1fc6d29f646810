"""Run the proofs that z3 decides; prints one JSON document."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from . import ledger_rules, stop_rules

ROOT = Path(__file__).parents[2]


def main() -> int:
    """0 where everything is proven, 1 where anything is not."""
    started = time.perf_counter()
    stops, ledger = stop_rules.read_sources(ROOT), ledger_rules.read_sources(ROOT)
    found = {
        "stops": stop_rules.prove_stops(stops),
        "retry": stop_rules.prove_retry(stops),
        "ledger": ledger_rules.prove_ledger(ledger),
    }
    print(json.dumps({"problems": found, "seconds": round(time.perf_counter() - started, 1)}, indent=2))
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
