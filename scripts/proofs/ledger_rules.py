"""The rule of the ledger, shown for all integers: no cap is ever passed, and nothing that fits is refused."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path as File

import z3

from .stop_rules import counterexample, numbers_of, uncovered
from .symbolic import Code, Path
from .values import Member, Record, Unsupported

__all__ = ["SOURCES", "WINDOW_MAX", "prove_ledger"]

SOURCES = {
    "ledger": "backend/app/research/ledger.py",
    "nouns": "backend/app/kernel/ledger.py",
    "enums": "backend/app/kernel/stops.py",
}
WINDOW_MAX = 3
"""Reservations in the window; the rule treats each of them alike."""
_MINUTE_MS = 60_000  # R9, from its text
# §3.3: over the minute's calls is the rate limit, over the session's calls or units is the budget.
_NAMES = {
    "rate": ("RATE_LIMITED", "RATE_WINDOW"),
    "calls": ("BUDGET_EXHAUSTED", "TOTAL_CALLS"),
    "units": ("BUDGET_EXHAUSTED", "TOTAL_UNITS"),
}


def read_sources(root: File) -> dict[str, str]:
    """The files that the proof is about, as they are."""
    return {name: (root / path).read_text(encoding="utf-8") for name, path in SOURCES.items()}


def prove_ledger(texts: Mapping[str, str], most: int = WINDOW_MAX, translator: type[Code] = Code) -> list[str]:
    """What does not hold, each with an example; empty where everything is proven."""
    if most < 1:
        return ["no window was looked at"]
    numbers = numbers_of(texts["enums"])
    code = translator((texts["ledger"],), numbers, {"WINDOW_MS": z3.IntVal(_window_ms(texts["nouns"]))})
    found = []
    for size in range(most + 1):
        problems = _first_time(code, numbers, size) + _again(code, size)
        found += [f"{size} in the window: {problem}" for problem in problems]
    return found


def _window_ms(text: str) -> int:
    """The window as the product has it."""
    for node in ast.parse(text).body:
        match node:
            case ast.Assign(targets=[ast.Name(id="WINDOW_MS")], value=ast.Constant(value=int() as number)):
                return number
    raise Unsupported("WINDOW_MS")


def _wish() -> tuple[dict[str, z3.ArithRef], z3.BoolRef]:
    names = ("calls", "units", "max_calls_per_minute", "max_calls_total", "max_units", "lease_ms", "reservation_id")
    wish = {name: z3.Int(name) for name in names}
    at_least = {"calls": 1, "units": 0, "max_calls_per_minute": 1, "max_calls_total": 1, "max_units": 0, "lease_ms": 1}
    return wish, z3.And([wish[name] >= bound for name, bound in at_least.items()])


def _state(size: int, earlier: Record | None) -> tuple[Record, z3.ArithRef, z3.BoolRef]:
    """What a store may know, now, and what holds of it: oldest first, at least one call each, none from the future."""
    now, calls, units = z3.Ints("now session_calls session_units")
    window = tuple((z3.Int(f"at{number}"), z3.Int(f"calls{number}")) for number in range(size))
    given = z3.And(calls >= 0, units >= 0, *[z3.And(at <= now, n >= 1) for at, n in window])
    given = z3.And(given, *[a[0] <= b[0] for a, b in pairwise(window)])
    fields = {"window": window, "session_calls": calls, "session_units": units, "earlier": earlier}
    return Record("LedgerState", fields), now, given


def _first_time(code: Code, numbers: Mapping[Member, int], size: int) -> list[str]:
    wish, sane = _wish()
    state, now, given = _state(size, None)
    given = z3.And(given, sane)
    window, calls, units = (state.fields[name] for name in ("window", "session_calls", "session_units"))
    paths = code.paths("decide", (state, Record("Reservation", wish), now), given)
    live = z3.Sum([z3.IntVal(0), *[z3.If(at + _MINUTE_MS > now, n, 0) for at, n in window]])
    over = {
        "rate": live + wish["calls"] > wish["max_calls_per_minute"],
        "calls": calls + wish["calls"] > wish["max_calls_total"],
        "units": units + wish["units"] > wish["max_units"],
    }
    found = uncovered(paths, given)
    for path in paths:
        found += _judged(path, numbers, wish, now, over, window)
    return found


def _judged(
    path: Path,
    numbers: Mapping[Member, int],
    wish: dict[str, z3.ArithRef],
    now: z3.ArithRef,
    over: dict[str, z3.BoolRef],
    window: tuple[tuple[z3.ArithRef, z3.ArithRef], ...],
) -> list[str]:
    value = path.value
    if path.raised or not isinstance(value, Record) or value.kind not in ("Reserved", "Refused"):
        return ["no decision"]
    claims: dict[str, z3.BoolRef] = {}
    if value.kind == "Reserved":
        claims["a cap is passed"] = z3.Or(list(over.values()))
        claims["other numbers are reserved"] = z3.Or(
            value.fields["calls"] != wish["calls"],
            value.fields["units"] != wish["units"],
            value.fields["at_ms"] != now,
            value.fields["lease_until_ms"] != now + wish["lease_ms"],
            value.fields["reservation_id"] != wish["reservation_id"],
        )
    else:
        signals = [signal.fields for signal in value.fields["signals"]]
        known = []
        for name, (reason, cause) in _NAMES.items():
            pair = numbers[Member("StopReason", reason)], numbers[Member("Cause", cause)]
            known.append([z3.And(one["reason"] == pair[0], one["cause"] == pair[1]) for one in signals])
            # INVARIANT of a refusal: it names every limit that stands against it, and no other.
            claims[f"{name} is named wrongly"] = z3.Or(known[-1]) != over[name]
        claims["something else is named"] = z3.Or([z3.Not(z3.Or(names)) for names in zip(*known, strict=True)])
        # A refusal that names nothing agrees with every limit that is kept.
        claims["what fits is refused"] = z3.Not(z3.Or(list(over.values())))
        retry = value.fields["retry_at_ms"]
        claims["the retry time is wrong"] = _wrong_retry(retry, wish, over["rate"], window, now)
    return [
        f"{what}: {example}"
        for what, claim in claims.items()
        if (example := counterexample(z3.And(path.condition, claim)))
    ]


def _wrong_retry(
    retry: z3.ArithRef | None,
    wish: dict[str, z3.ArithRef],
    over_rate: z3.BoolRef,
    window: tuple[tuple[z3.ArithRef, z3.ArithRef], ...],
    now: z3.ArithRef,
) -> z3.BoolRef:
    """At the retry time the batch fits, and a millisecond before it does not; none where it never fits."""

    def fits(moment: z3.ArithRef) -> z3.BoolRef:
        live = z3.Sum([z3.IntVal(0), *[z3.If(at + _MINUTE_MS > moment, n, 0) for at, n in window]])
        return live + wish["calls"] <= wish["max_calls_per_minute"]

    if retry is None:
        return z3.And(over_rate, wish["calls"] <= wish["max_calls_per_minute"])
    return z3.Not(z3.And(over_rate, fits(retry), z3.Not(fits(retry - 1)), retry > now))


def _again(code: Code, size: int) -> list[str]:
    """A key that was used before gives the same decision, or is refused as our own mistake; whatever the window."""
    wish, sane = _wish()
    earlier = {name: z3.Int(f"earlier_{name}") for name in ("calls", "units", "at_ms")}
    record = Record("Reserved", earlier)
    state, now, given = _state(size, record)
    given = z3.And(given, sane)
    same = z3.And(earlier["calls"] == wish["calls"], earlier["units"] == wish["units"])
    paths = code.paths("decide", (state, Record("Reservation", wish), now), given)
    found = [f"a key used before: {problem}" for problem in uncovered(paths, given)]
    for path in paths:
        wrong = same if path.raised else z3.Not(same)
        if path.raised not in ("", "ContractViolation") or (not path.raised and path.value is not record):
            wrong = z3.BoolVal(True)
        if (example := counterexample(z3.And(path.condition, wrong))) is not None:
            found.append(f"a key used before: {example}")
    return found
