"""Run the proofs that z3 decides; prints one JSON document."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from scripts.options import above_zero

from . import ledger_rules, stop_rules
from .ledger_rules import WINDOW_MAX

ROOT = Path(__file__).parents[2]


def main() -> int:
    """0 where everything is proven, 1 where anything is not."""
    parser = argparse.ArgumentParser(prog="python -m scripts.proofs", description=__doc__)
    parser.add_argument("--window", type=above_zero, default=WINDOW_MAX, help="most reservations in the window")
    most = parser.parse_args().window
    started = time.perf_counter()
    stops, ledger = stop_rules.read_sources(ROOT), ledger_rules.read_sources(ROOT)
    found = {
        "stops": stop_rules.prove_stops(stops),
        "retry": stop_rules.prove_retry(stops),
        "ledger": ledger_rules.prove_ledger(ledger, most),
    }
    proven = [name for name, problems in found.items() if not problems]
    print(
        json.dumps(
            {"proven": proven, "window": most, "problems": found, "seconds": round(time.perf_counter() - started, 1)},
            indent=2,
        )
    )
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
