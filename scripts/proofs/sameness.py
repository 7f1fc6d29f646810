"""Two sources of one function, shown to answer alike wherever the assumptions hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from .stop_rules import counterexample, uncovered
from .symbolic import Code
from .values import Record

__all__ = ["differences"]


def differences(one: Code, other: Code, name: str, arguments: Sequence[Any], given: z3.BoolRef) -> list[str]:
    """Examples of arguments for which the two differ, or why nothing is shown; empty where neither is found."""
    ours, theirs = (code.paths(name, arguments, given) for code in (one, other))
    found = [problem for paths in (ours, theirs) for problem in uncovered(paths, given)]
    for mine in ours:
        for yours in theirs:
            both = z3.And(mine.condition, yours.condition)
            same = z3.And(_alike(mine.value, yours.value), z3.BoolVal(mine.raised == yours.raised))
            example = counterexample(z3.And(both, z3.Not(same)))
            if example is not None:
                found.append(example)
    return found


def _alike(a: Any, b: Any) -> z3.BoolRef:
    if isinstance(a, Record) and isinstance(b, Record):
        if a.kind != b.kind or sorted(a.fields) != sorted(b.fields):
            return z3.BoolVal(False)
        return z3.And([_alike(a.fields[name], b.fields[name]) for name in sorted(a.fields)])
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return z3.BoolVal(False)
        return z3.And([_alike(x, y) for x, y in zip(a, b, strict=True)])
    if isinstance(a, z3.ExprRef) or isinstance(b, z3.ExprRef):
        return z3.BoolVal(False) if a is None or b is None else a == b
    return z3.BoolVal(a == b)
