"""The stop calculus, shown for all sets of signals: total, unique, in the order of the text, with the text's action."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path as File
from typing import Any

import z3

from .symbolic import Code, Path
from .values import Member, Record

__all__ = ["SOURCES", "counterexample", "numbers_of", "prove_retry", "prove_stops", "read_sources", "uncovered"]

SOURCES = {
    "resolver": "backend/app/research/resolver.py",
    "contract": "backend/app/kernel/contract.py",
    "enums": "backend/app/kernel/stops.py",
    "stops": "contracts/18.0.0/stop_reasons.json",
    "actions": "contracts/18.0.0/actions.json",
    "text": "contracts/18.0.0/CONTRACT.md",
}
Texts = Mapping[str, str]


def read_sources(root: File) -> dict[str, str]:
    """The files that the proof is about, as they are."""
    return {name: (root / path).read_text(encoding="utf-8") for name, path in SOURCES.items()}


def prove_stops(texts: Texts, translator: type[Code] = Code) -> list[str]:
    """What does not hold, each with an example; empty where everything is proven."""
    spec = _Specification(texts["text"])
    numbers = numbers_of(texts["enums"])
    code = translator((texts["resolver"], texts["contract"]), numbers, opaque=frozenset({"_retry_at"}))
    stops = [member.name for member in numbers if member.kind == "StopReason"]
    if sorted(stops) != sorted(spec.order):
        return [f"codes differ from the text: {sorted({*stops} ^ {*spec.order})}"]
    # Eleven slots with any code hold every set of one to eleven codes, in any order and with repetitions.
    for slots in (0, 1, 2, len(stops)):
        found = [f"{slots} signals: {problem}" for problem in _prove(code, texts, spec, numbers, slots)]
        if found:
            return found
    return []


def _prove(code: Code, texts: Texts, spec: _Specification, numbers: Mapping[Member, int], slots: int) -> list[str]:
    counted, clarified = z3.Int("counted"), z3.Bool("clarified")
    reasons = [z3.Int(f"reason{number}") for number in range(slots)]
    signals = tuple(Record("Signal", {"reason": reason}) for reason in reasons)
    given = z3.And(counted >= 0, *[z3.And(reason >= 0, reason < len(spec.order)) for reason in reasons])
    try:
        paths = code.paths("resolve", (signals, counted, clarified, _contract(texts, numbers)), given)
    except IndexError:
        return ["no row of the table fits"]
    found = _total_and_unique(paths, given)
    for path in paths:
        if path.raised or not isinstance(path.value, Record):
            found.append("no verdict")
            continue
        of = {code_: numbers[Member("StopReason", code_)] for code_ in spec.order}
        raised = {name: z3.Or([reason == number for reason in reasons]) for name, number in of.items()}
        stop = spec.stop(raised, counted, of)
        action = spec.action(stop, counted, clarified, of, numbers)
        for name, want in (("stop", stop), ("action", action)):
            broken = counterexample(z3.And(path.condition, path.value.fields[name] != want))
            if broken is not None:
                found.append(f"{name} differs from the text for {broken}")
        # R9 gives the rate limit a moment to try again, and no other stop has one; `prove_retry` shows which it is.
        limited = stop == of["RATE_LIMITED"]
        silent = path.value.fields.get("retry_at_ms") is None
        broken = counterexample(z3.And(path.condition, limited if silent else z3.Not(limited)))
        if broken is not None:
            found.append(f"a retry time {'is missing' if silent else 'too many'} for {broken}")
    return found


def _total_and_unique(paths: list[Path], given: z3.BoolRef) -> list[str]:
    found = uncovered(paths, given)
    for number, path in enumerate(paths):
        others = z3.Or([other.condition for other in paths[:number]])
        if counterexample(z3.And(path.condition, others)) is not None:
            found.append("not unique")
    return found


class _Specification:
    """What the text of the contract says, and nothing else."""

    def __init__(self, text: str) -> None:
        five = text.split("## 5", 1)[1].split("\n## 6", 1)[0]
        listed = re.findall(r"^(\d+)\. \*\*([A-Z_]+)\*\*", five, re.MULTILINE)
        if [int(number) for number, _ in listed] != list(range(1, 12)):
            raise ValueError("the list of §5 has eleven numbered entries")
        self.order = [code for _, code in listed]
        ladder = text.split("### 3.6", 1)[1].split("\n## 4", 1)[0]
        triggers = re.findall(r"`([A-Z_]+)`", ladder.split("**Downgrade**", 1)[0])
        if len(triggers) != 10:
            raise ValueError("§3.6 has ten triggers")
        # §6: without a source the question is asked; a failed validation that left nothing is such a case (R6).
        self.asking = {"NO_SOURCE", "VALIDATION_FAIL"}
        self.baseline = [code for code in triggers if code not in self.asking]

    def stop(self, raised: dict[str, z3.BoolRef], counted: z3.ArithRef, of: dict[str, int]) -> z3.ArithRef:
        """The first of the list that holds; contradictions count as the first entry (R1)."""
        impossible = z3.Or(raised["SUCCESS_COMPLETED"], z3.And(raised["NO_SOURCE"], counted > 0))
        holds = {**raised, "INTERNAL_INCONSISTENCY": z3.Or(raised["INTERNAL_INCONSISTENCY"], impossible)}
        found: Any = z3.If(counted > 0, of["SUCCESS_COMPLETED"], of["NO_SOURCE"])
        for code in reversed(self.order):
            found = z3.If(holds[code], of[code], found)
        return found

    def action(
        self,
        stop: z3.ArithRef,
        counted: z3.ArithRef,
        clarified: z3.BoolRef,
        of: dict[str, int],
        numbers: Mapping[Member, int],
    ) -> z3.ArithRef:
        """§3.2, §3.6 and §6, with R6."""
        grounded, ask, unknown, baseline = (
            z3.IntVal(numbers[Member("Action", name)]) for name in ("GROUNDED", "ASK_CLARIFY", "UNKNOWN", "BASELINE")
        )
        asks = z3.If(clarified, unknown, ask)
        found: Any = z3.If(stop == of["SUCCESS_COMPLETED"], grounded, z3.IntVal(-1))
        found = z3.If(stop == of["NO_SOURCE"], asks, found)
        found = z3.If(stop == of["VALIDATION_FAIL"], z3.If(counted == 0, asks, baseline), found)
        return z3.If(z3.Or([stop == of[code] for code in self.baseline]), baseline, found)


def prove_retry(texts: Texts, most: int = 3, translator: type[Code] = Code) -> list[str]:
    """The retry time: the latest of the rate limit's own signals, none where there is none; up to `most` signals."""
    if most < 1:
        return ["no signal was looked at"]
    numbers = numbers_of(texts["enums"])
    code = translator((texts["resolver"],), numbers)
    rate = numbers[Member("StopReason", "RATE_LIMITED")]
    found = []
    for known in [
        [bool(bits >> place & 1) for place in range(size)] for size in range(most + 1) for bits in range(1 << size)
    ]:
        reasons = [z3.Int(f"reason{place}") for place in range(len(known))]
        times = [z3.Int(f"at{place}") if has else None for place, has in enumerate(known)]
        fields = [{"reason": reason, "retry_at_ms": at} for reason, at in zip(reasons, times, strict=True)]
        paths = code.paths("_retry_at", [tuple(Record("Signal", one) for one in fields)])
        found += [f"retry time: {problem}" for problem in uncovered(paths, z3.BoolVal(True))]
        for path in paths:
            if path.raised:  # an error has no value either, and is not the answer "never"
                found.append(f"retry time: raises {path.raised}")
                continue
            mine = [(r == rate, at) for r, at in zip(reasons, times, strict=True) if at is not None]
            if path.value is None:
                wrong = z3.Or([is_rate for is_rate, _ in mine])
            else:
                reached = z3.Or([z3.And(is_rate, at == path.value) for is_rate, at in mine])
                passed = z3.Or([z3.And(is_rate, at > path.value) for is_rate, at in mine])
                wrong = z3.Or(z3.Not(reached), passed)
            broken = counterexample(z3.And(path.condition, wrong))
            if broken is not None:
                found.append(f"retry time: {broken}")
    return found


def _contract(texts: Texts, numbers: Mapping[Member, int]) -> Record:
    stops = json.loads(texts["stops"])["stop_reasons"]
    rows = json.loads(texts["actions"])["rows"]
    entries = [Record("StopEntry", {"code": z3.IntVal(numbers[Member("StopReason", row["code"])])}) for row in stops]
    actions = [
        Record(
            "ActionRow",
            {
                "stop": z3.IntVal(numbers[Member("StopReason", row["stop"])]),
                "bundle_empty": row["bundle_empty"],
                "clarified": row["clarified"],
                "action": z3.IntVal(numbers[Member("Action", row["action"])]),
            },
        )
        for row in rows
    ]
    parts = {
        "stops": Record("StopTable", {"stop_reasons": tuple(entries)}),
        "actions": Record("ActionTable", {"rows": tuple(actions)}),
    }
    return Record("ContractData", parts)


def numbers_of(text: str) -> dict[Member, int]:
    """The members of the enumerations, numbered as they stand."""
    found: dict[Member, int] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "StrEnum" for base in node.bases):
            names = [part.targets[0].id for part in node.body if isinstance(part, ast.Assign)]
            found |= {Member(node.name, name): number for number, name in enumerate(names)}
    return found


def uncovered(paths: Sequence[Path], given: z3.BoolRef) -> list[str]:
    """Why what holds on every path shows nothing: no input meets the assumptions, or some input takes no path."""
    if counterexample(given) is None:
        return ["the assumptions exclude each other"]
    left = counterexample(z3.And(given, z3.Not(z3.Or([path.condition for path in paths]))))
    return [] if left is None else [f"not total: {left}"]


def counterexample(claim: z3.BoolRef) -> str | None:
    """An assignment for which the claim holds, as text; None where there is none."""
    solver = z3.Solver()
    solver.add(claim)
    verdict = solver.check()
    if verdict == z3.unknown:
        return "not decided"
    return str(solver.model()) if verdict == z3.sat else None
