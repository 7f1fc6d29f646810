"""What the caps allowed a crowd, worked out from the ledger's own times, beside what was let through and refused."""

from __future__ import annotations

import json
import sqlite3
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Attempt", "judged", "most_against", "most_in_a_window"]

WINDOW_MS = 60_000
TOOL_CALLS, REQUESTS = 10, 240
_NO_SESSION = "other_requests_of_a_user"


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that was refused, at a moment between two."""

    subject: str
    from_ms: int
    to_ms: int


def most_in_a_window(moments: Sequence[int]) -> int:
    """The most of these (sorted) that lie within 60 seconds; one counts from t until t + 60,000 ms."""
    return max((at + 1 - bisect_right(moments, moment - WINDOW_MS) for at, moment in enumerate(moments)), default=0)


def most_against(moments: Sequence[int], refused: Attempt) -> int:
    """How many (sorted) counted at the moment of its span at which the most did: it was refused at one of them."""
    spans = [moment for moment in moments if refused.from_ms <= moment <= refused.to_ms]
    counted = (
        bisect_right(moments, at) - bisect_right(moments, at - WINDOW_MS)
        for at in (refused.from_ms, *spans, refused.to_ms)
    )
    return max(counted)


def judged(folder: Path, turned_away: Iterable[Attempt]) -> dict[str, dict[str, Any]]:
    """The caps: tool calls of a user, requests of a user that open no session, requests of a key at the door."""
    kinds: dict[str, dict[str, list[int]]] = {"tool_calls_of_a_user": {}, _NO_SESSION: {}, "requests_of_a_key": {}}
    refused: dict[str, list[Attempt]] = defaultdict(list)
    for subject, moments in _ledger(folder).items():
        kinds[_kind(subject)][subject] = moments
    for one in (*_refused_calls(folder), *turned_away):
        refused[_kind(one.subject)].append(one)
    caps = {kind: REQUESTS if kind == "requests_of_a_key" else TOOL_CALLS for kind in kinds}
    return {kind: _row(caps[kind], admitted, refused[kind]) for kind, admitted in kinds.items()}


def _kind(subject: str) -> str:
    if subject.startswith("key/"):
        return "requests_of_a_key"
    return _NO_SESSION if subject.endswith("/requests") else "tool_calls_of_a_user"


def _row(cap: int, admitted: Mapping[str, Sequence[int]], refused: Iterable[Attempt]) -> dict[str, Any]:
    attempts = list(refused)
    return {
        "cap_in_60_s": cap,
        "subjects": len(admitted),
        "let_through": sum(map(len, admitted.values())),
        "most_in_any_60_s": max(map(most_in_a_window, admitted.values()), default=0),
        "above_the_cap": sum(most_in_a_window(moments) > cap for moments in admitted.values()),
        "refused": len(attempts),
        "refused_below_it": sum(most_against(admitted.get(one.subject, ()), one) < cap for one in attempts),
    }


def _ledger(folder: Path) -> dict[str, list[int]]:
    """Subject → the moments of its reservations, one for each call."""
    found: dict[str, list[int]] = defaultdict(list)
    with sqlite3.connect(folder / "ledger.sqlite3") as file:
        for subject, calls, at_ms in file.execute("SELECT subject, calls, at_ms FROM reservations ORDER BY at_ms"):
            found[subject] += [at_ms] * calls
    return found


def _refused_calls(folder: Path) -> list[Attempt]:
    events = [json.loads(line)["event"] for line in (folder / "audit.jsonl").read_bytes().splitlines()]
    return [
        Attempt(
            f"{one['tenant_id']}/{one['user_id']}{'/requests' if one['tool_name'] == 'lint_report' else ''}",
            one["at_ms"] - one["duration_ms"],
            one["at_ms"],
        )
        for one in events
        if one["error_code"] == "rate_limited"
    ]
