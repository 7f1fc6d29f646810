"""The golden sessions with their calls ending in other orders: what is shuffled, and what must stay the same.

Run as a program it plays every case in every order and prints the digests as one JSON document.
"""

from __future__ import annotations

import copy
import hashlib
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from app.kernel.canonical import digest_of, sha256_hex
from app.kernel.caps import CapsTable
from tests.fixtures.scripted import CONTRACT
from tests.golden.cases import SESSION, case_files, play, read_case

SHIFT_MS = 0.4
STEP_MS = 7


@dataclass(frozen=True)
class Order:
    """In which order the calls of one batch end, and whether that takes time.

    Without `stretch` the calls are set apart by fractions of a millisecond, less than half of one in the whole session.
    The clock port counts whole milliseconds, so no room can see the difference and the journal must be the same to
    the byte. With `stretch` every call of a batch ends whole milliseconds after the one before it, whatever the script
    says; times then differ rightly, and everything but times must be the same.
    """

    name: str
    by: Literal["plan", "reversed", "shuffled"]
    stretch: bool = False


ORDERS = (
    Order("as_written", "plan"),
    Order("reversed", "reversed"),
    Order("shuffled", "shuffled"),
    Order("stretched_reversed", "reversed", stretch=True),
    Order("stretched_shuffled", "shuffled", stretch=True),
)


@dataclass(frozen=True)
class Trace:
    """What one session left: digests over its journal, and the order in which its calls ended."""

    exact: str
    timeless: str
    finished: tuple[str, ...]


def trace(case: dict[str, Any], order: Order) -> Trace:
    """Play a case in an order."""
    bench, _ = play(reordered(case, order))
    lines = bench.journal.lines(SESSION)
    timeless = [_without_times(json.loads(line)) for line in lines]
    return Trace(sha256_hex(b"\n".join(lines)), digest_of(timeless), tuple(bench.tool.finished))


def reordered(case: dict[str, Any], order: Order) -> dict[str, Any]:
    """The case with durations that make its calls end in this order; as it is where that could change its end."""
    if order.by == "plan" or (order.stretch and not may_stretch(case)):
        return case
    changed = copy.deepcopy(case)
    batches = changed.get("plan", [])
    for number, batch in enumerate(batches):
        calls = batch["calls"]
        longest = _longest(batch)
        for rank, call in enumerate(_ranked(calls, f"{case['note']}/{number}", order), 1):
            if order.stretch:
                call["takes_ms"] = longest + rank * STEP_MS
            else:
                call["takes_ms"] = call.get("takes_ms", 0) + SHIFT_MS / len(batches) * rank / len(calls)
    return changed


def may_stretch(case: dict[str, Any]) -> bool:
    """Whether some milliseconds more leave every limit where it was: of a call, of the session, of the rate window."""
    batches = case.get("plan", [])
    # Cut and cancelled calls end by the clock, and a later batch may meet another window: there time is the subject.
    timed = any(reason == "TIMEOUT" for reason, _ in case["want"]["signals"]) or "cancel_after_ms" in case
    if timed or ("ledger" in case and len(batches) > 1):
        return False
    limits = _limits(case)
    slowest = [_longest(batch) + len(batch["calls"]) * STEP_MS for batch in batches]
    pauses = sum(batch.get("wait_ms", 0) for batch in batches)
    return limits is None or (max(slowest, default=0) <= limits[0] and sum(slowest) + pauses <= limits[1])


def _limits(case: dict[str, Any]) -> tuple[int, int] | None:
    """Limits of a call and of the session; none where nothing is granted and so nothing called."""
    assert isinstance(CONTRACT.caps, CapsTable)
    tier = case.get("principal", {}).get("tier", "PRO")
    entry = CONTRACT.caps.entry(tier, case.get("environment", "prod"))
    if entry is None or entry.caps is None:
        return None
    narrow = case.get("request", {}).get("narrow", {})
    total = min(entry.caps.total_research_timeout_ms, narrow.get("total_research_timeout_ms", sys.maxsize))
    return min(entry.caps.per_call_timeout_ms, narrow.get("per_call_timeout_ms", sys.maxsize), total), total


def _longest(batch: dict[str, Any]) -> int:
    return max((call.get("takes_ms", 0) for call in batch["calls"]), default=0)


def _ranked(calls: list[dict[str, Any]], place: str, order: Order) -> list[dict[str, Any]]:
    if order.by == "reversed":
        return calls[::-1]
    # Chance from a hash of the place, so that every interpreter shuffles alike.
    return sorted(calls, key=lambda call: hashlib.sha256(f"{place}/{call['id']}".encode()).hexdigest())


def _without_times(line: dict[str, Any]) -> Any:
    # Hashes over times are times, too, and so are the line's readings and its place in the chain.
    facts = {name: value for name, value in line["facts"].items() if (line["step"], name) != ("Closed", "outcome")}
    return _timeless({"step": line["step"], "facts": facts})


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _timeless(item) for name, item in value.items() if not name.endswith("_ms")}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


def all_traces(orders: Iterable[Order] = ORDERS) -> dict[str, dict[str, Trace]]:
    """Order → case → trace, over all cases."""
    cases = {path.stem: read_case(path) for path in case_files()}
    return {order.name: {name: trace(case, order) for name, case in cases.items()} for order in orders}


if __name__ == "__main__":
    played = {
        order: {name: [found.exact, found.timeless, *found.finished] for name, found in sessions.items()}
        for order, sessions in all_traces().items()
    }
    json.dump({"python": "{}.{}".format(*sys.version_info), "sessions": played}, sys.stdout)
