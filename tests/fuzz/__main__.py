"""Fuzz for so many seconds from a seed, round after round; prints one JSON document, keeps what it finds."""

from __future__ import annotations

import argparse
import json
import sys
import time

from tests.fuzz.searching import keep, names, search, target
from tests.fuzz.targets import FORMATS, with_pool

EXAMPLES = {"documents": 20, "pages": 40}


def main() -> int:
    """0 where nothing broke, 1 where something did."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    pool, started, rounds = with_pool(), time.monotonic(), 0
    inputs, findings = dict.fromkeys(names(), 0), []
    try:
        while rounds == 0 or time.monotonic() - started < options.seconds:
            for name in names():
                looked, found = search(target(name, pool), options.seed + rounds, EXAMPLES.get(name, 100))
                inputs[name] += looked
                if found is not None:
                    findings.append(keep(name, found).name)
            rounds += 1
    finally:
        pool.close()
    told = {"seed": options.seed, "rounds": rounds, "inputs": inputs, "formats": len(FORMATS), "findings": findings}
    print(json.dumps(told, indent=2))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
