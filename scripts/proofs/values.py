"""Values of the symbolic interpreter: records, members, and what the built-in functions do with them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

__all__ = ["Member", "Record", "Unsupported", "bound", "built_in", "compared", "feasible"]


class Unsupported(Exception):
    """The source uses something that the interpreter does not know; nothing is proven then."""


@dataclass(frozen=True)
class Member:
    """A member of an enumeration, by name."""

    kind: str
    name: str


@dataclass(frozen=True)
class Record:
    """A value with fields; its class may have methods in the source."""

    kind: str
    fields: Mapping[str, Any]


_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
}


def built_in(
    name: str, args: Sequence[Any], named: Mapping[str, Any], held: z3.BoolRef
) -> Iterator[tuple[z3.BoolRef, Any]]:
    if name in ("tuple", "list"):
        yield held, tuple(args[0])
    elif name == "sum":
        yield held, z3.Sum([z3.IntVal(0), *args[0]])
    elif name in ("max", "min") and len(args) == 1:
        if not args[0] and "default" not in named:
            raise Unsupported(f"{name} of nothing")
        best = named.get("default")
        for number, value in enumerate(args[0]):
            better = value if number == 0 else z3.If(value > best if name == "max" else value < best, value, best)
            best = better
        yield held, best
    elif name in ("max", "min"):
        first, second = args
        yield held, z3.If(first > second if name == "max" else first < second, first, second)
    elif name == "len":
        yield held, len(args[0])
    elif name[0].isupper():
        if args:
            raise Unsupported(f"{name} with positional fields")
        yield held, Record(name, dict(named))
    else:
        raise Unsupported(name)


def compared(op: ast.cmpop, a: Any, b: Any) -> Any:
    match op:
        case ast.Eq() | ast.Is():
            return _equal(a, b)
        case ast.NotEq() | ast.IsNot():
            return _negated(_equal(a, b))
        case ast.In():
            return _either([_equal(a, item) for item in b])
        case ast.NotIn():
            return _negated(_either([_equal(a, item) for item in b]))
    return _COMPARE[type(op)](a, b)


def _equal(a: Any, b: Any) -> Any:
    if a is None or b is None:
        return a is b
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return False
        parts = [_equal(x, y) for x, y in zip(a, b, strict=True)]
        return z3.And([part if isinstance(part, z3.ExprRef) else z3.BoolVal(part) for part in parts])
    return a == b


def _negated(value: Any) -> Any:
    return z3.Not(value) if isinstance(value, z3.ExprRef) else not value


def _either(values: Sequence[Any]) -> Any:
    return z3.Or([value if isinstance(value, z3.ExprRef) else z3.BoolVal(value) for value in values])


def bound(target: ast.expr, item: Any) -> dict[str, Any]:
    match target:
        case ast.Name(id=name):
            return {name: item}
        case ast.Tuple(elts=parts):
            return {k: v for part, one in zip(parts, item, strict=True) for k, v in bound(part, one).items()}
    raise Unsupported(ast.unparse(target))


def feasible(condition: z3.BoolRef) -> bool:
    simple = z3.simplify(condition)
    if z3.is_true(simple) or z3.is_false(simple):
        return bool(z3.is_true(simple))
    solver = z3.Solver()
    solver.add(simple)
    return bool(solver.check() != z3.unsat)
