"""Many first requests at once on a gate that was just opened, each time in a fresh process; prints JSON.

`python -m benchmarks.burst [--times 10] [--requests 40] [--busy 0]`: with `--busy`, so many processes spin beside it.
The exit code is 1 where a request was not answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from app import Settings, open_gate, read_principal, read_request

ROOT = Path(__file__).parents[1]
DOCUMENTS = ROOT / "samples"
QUESTION = "How long should sourdough proof in the fridge?"
TIMES = 10
REQUESTS = 40


async def burst(data_dir: Path, requests: int = REQUESTS) -> dict[str, Any]:
    """Open a gate with the caps of PRO in prod and ask everything at once, as a user each: no rate limit counts."""
    settings = Settings(data_dir=data_dir, environment="prod")
    begin = time.perf_counter()
    async with open_gate(DOCUMENTS, settings=settings) as router:
        opened = time.perf_counter()

        async def ask(number: int) -> tuple[str, float]:
            who = read_principal(tenant="local", user=f"user-{number}", tier="PRO", collections=("documents",))
            outcome = await router.run(read_request(question=QUESTION), who)
            return outcome.verdict.stop.name, time.perf_counter() - opened

        ended = await asyncio.gather(*(ask(number) for number in range(requests)))
    return {
        "stops": dict(sorted(Counter(stop for stop, _ in ended).items())),
        "open_ms": round(1000 * (opened - begin)),
        "slowest_ms": round(1000 * max(took for _, took in ended)),
    }


def fresh_burst(requests: int = REQUESTS) -> dict[str, Any]:
    """One burst in a process of its own, with a data folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        line = (sys.executable, "-m", "benchmarks.burst", "--requests", str(requests), "--inside", folder)
        done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside is not None:
        print(json.dumps(asyncio.run(burst(given.inside, given.requests))))
        return 0
    with ExitStack() as busy:
        for _ in range(given.busy):
            spinning = busy.enter_context(subprocess.Popen((sys.executable, "-c", "while True: pass")))
            busy.callback(spinning.kill)
        bursts = [fresh_burst(given.requests) for _ in range(given.times)]
    answered = sum(one["stops"].get("SUCCESS_COMPLETED", 0) for one in bursts)
    asked = given.times * given.requests
    told = {"requests": given.requests, "busy": given.busy, "answered": answered, "asked": asked, "bursts": bursts}
    print(json.dumps(told, indent=2))
    return 0 if answered == asked else 1


if __name__ == "__main__":
    sys.exit(main())
