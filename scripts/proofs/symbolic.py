"""A symbolic interpreter of a small part of Python: from a function's syntax tree to every path through it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import z3

from .values import Member, Record, Unsupported, bound, built_in, compared, feasible

__all__ = ["Code", "Member", "Path", "Record", "Unsupported"]


@dataclass(frozen=True)
class Path:
    """One way through a function: under which condition, and what it returns or raises."""

    condition: z3.BoolRef
    value: Any
    raised: str = ""


@dataclass
class _Bound:
    owner: Record
    method: ast.FunctionDef


_State = tuple[z3.BoolRef, dict[str, Any]]
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
}


@dataclass
class Code:
    """The functions and classes of some modules, and how their enumerations are numbered."""

    texts: Sequence[str]
    numbers: Mapping[Member, int] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    opaque: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        self._functions: dict[str, ast.FunctionDef] = {}
        self._classes: dict[str, dict[str, ast.FunctionDef]] = {}
        self._fresh = 0
        for text in self.texts:
            for node in ast.parse(text).body:
                if isinstance(node, ast.FunctionDef):
                    self._functions[node.name] = node
                elif isinstance(node, ast.ClassDef):
                    methods = [part for part in node.body if isinstance(part, ast.FunctionDef)]
                    self._classes[node.name] = {method.name: method for method in methods}

    def paths(self, name: str, arguments: Sequence[Any], given: z3.BoolRef | None = None) -> list[Path]:
        """Every feasible way through a function."""
        start = z3.BoolVal(True) if given is None else given
        return list(self._call(self._functions[name], arguments, {}, start))

    def _call(
        self, function: ast.FunctionDef, args: Sequence[Any], named: Mapping[str, Any], condition: z3.BoolRef
    ) -> Iterator[Path]:
        for path in self._block(function.body, [(condition, _arguments(function, args, named))]):
            if isinstance(path, Path):
                yield path
            else:
                yield Path(path[0], None)

    def _returned(
        self, function: ast.FunctionDef, args: Sequence[Any], named: Mapping[str, Any], held: z3.BoolRef
    ) -> Iterator[tuple[z3.BoolRef, Any]]:
        """What a call within an expression gives; an error is not carried through one, and must not look like None."""
        for path in self._call(function, args, named, held):
            if path.raised:
                raise Unsupported(f"{function.name} raises")
            yield path.condition, path.value

    def _block(self, body: Sequence[ast.stmt], states: list[_State]) -> Iterator[Path | _State]:
        """Ended paths as they are found, and at the end the states that fall through."""
        for statement in body:
            following: list[_State] = []
            for state in states:
                for end in self._statement(statement, state):
                    if isinstance(end, Path):
                        yield end
                    else:
                        following.append(end)
            states = following
        yield from states

    def _statement(self, node: ast.stmt, state: _State) -> Iterator[Path | _State]:
        condition, env = state
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                yield state
            case ast.Return(value=None):
                yield Path(condition, None)
            case ast.Return(value=ast.expr() as value):
                for held, result in self._eval(value, condition, env):
                    yield result if isinstance(result, Path) else Path(held, result)
            case ast.Raise(exc=ast.Call(func=ast.Name(id=name))):
                yield Path(condition, None, raised=name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                for held, result in self._eval(value, condition, env):
                    yield result if isinstance(result, Path) else (held, {**env, name: result})
            case ast.AugAssign(target=ast.Name(id=name), op=op, value=value) if type(op) in _ARITHMETIC:
                for held, result in self._eval(value, condition, env):
                    yield held, {**env, name: _ARITHMETIC[type(op)](env[name], result)}
            case ast.If(test=test, body=body, orelse=orelse):
                for held, truth in self._truths(test, condition, env):
                    yield from self._block(body if truth else orelse, [(held, env)])
            case ast.For(target=target, iter=iterated, body=body, orelse=[]):
                for held, items in self._eval(iterated, condition, env):
                    states = [(held, env)]
                    for item in items:
                        states = [(c, {**e, **bound(target, item)}) for c, e in states]
                        following = []
                        for end in self._block(body, states):
                            if isinstance(end, Path):
                                yield end
                            else:
                                following.append(end)
                        states = following
                    yield from states
            case _:
                raise Unsupported(ast.unparse(node))

    def _truths(self, node: ast.expr, condition: z3.BoolRef, env: dict[str, Any]) -> Iterator[tuple[z3.BoolRef, bool]]:
        """Both ways that an expression can go, where they are feasible."""
        for held, value in self._eval(node, condition, env):
            yield from self._split(held, value)

    def _split(self, held: z3.BoolRef, value: Any) -> Iterator[tuple[z3.BoolRef, bool]]:
        if not isinstance(value, z3.ExprRef):
            yield held, bool(value)
            return
        test = value if z3.is_bool(value) else value != 0
        for truth in (True, False):
            both = z3.And(held, test if truth else z3.Not(test))
            if feasible(both):
                yield both, truth

    def _eval(self, node: ast.expr, held: z3.BoolRef, env: dict[str, Any]) -> Iterator[tuple[z3.BoolRef, Any]]:
        match node:
            case ast.Constant(value=value):
                yield held, value
            case ast.JoinedStr():
                yield held, "text"
            case ast.Name(id=name):
                yield held, self._name(name, env)
            case ast.Attribute(value=ast.Name(id=kind), attr=name) if Member(kind, name) in self.numbers:
                yield held, z3.IntVal(self.numbers[Member(kind, name)])
            case ast.Attribute(value=base, attr=name):
                for condition, owner in self._eval(base, held, env):
                    yield from self._attribute(condition, owner, name)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                yield from self._items(items, held, env)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                for condition, (a, b) in self._all([left, right], held, env):
                    yield condition, _ARITHMETIC[type(op)](a, b)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                for condition, truth in self._truths(operand, held, env):
                    yield condition, not truth
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                for condition, value in self._eval(operand, held, env):
                    yield condition, -value
            case ast.BoolOp(op=op, values=[first, *rest]):
                yield from self._boolean(isinstance(op, ast.And), first, rest, held, env)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                for condition, truth in self._truths(test, held, env):
                    yield from self._eval(body if truth else orelse, condition, env)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                for condition, (a, b) in self._all([left, right], held, env):
                    yield condition, compared(op, a, b)
            case ast.Subscript(value=base, slice=index):
                for condition, (owner, place) in self._all([base, index], held, env):
                    yield condition, owner[place]
            case ast.ListComp(elt=elt, generators=[only]) | ast.GeneratorExp(elt=elt, generators=[only]):
                yield from self._comprehension(elt, only, held, env)
            case ast.Call():
                yield from self._called(node, held, env)
            case _:
                raise Unsupported(ast.unparse(node))

    def _name(self, name: str, env: dict[str, Any]) -> Any:
        if name in env:
            return env[name]
        if name in self.constants:
            return self.constants[name]
        raise Unsupported(f"name {name}")

    def _attribute(self, held: z3.BoolRef, owner: Any, name: str) -> Iterator[tuple[z3.BoolRef, Any]]:
        if not isinstance(owner, Record):
            raise Unsupported(f"attribute {name} of {owner!r}")
        if name in owner.fields:
            yield held, owner.fields[name]
            return
        method = self._classes.get(owner.kind, {}).get(name)
        if method is None:
            raise Unsupported(f"{owner.kind} without {name}")  # a default or a slip: None would hide which
        elif any(isinstance(mark, ast.Name) and mark.id == "property" for mark in method.decorator_list):
            yield from self._returned(method, [owner], {}, held)
        else:
            yield held, _Bound(owner, method)

    def _items(
        self, items: Sequence[ast.expr], held: z3.BoolRef, env: dict[str, Any]
    ) -> Iterator[tuple[z3.BoolRef, tuple[Any, ...]]]:
        plain = [item.value if isinstance(item, ast.Starred) else item for item in items]
        for condition, values in self._all(plain, held, env):
            flat: list[Any] = []
            for item, value in zip(items, values, strict=True):
                flat.extend(value if isinstance(item, ast.Starred) else [value])
            yield condition, tuple(flat)

    def _all(
        self, nodes: Sequence[ast.expr], held: z3.BoolRef, env: dict[str, Any]
    ) -> Iterator[tuple[z3.BoolRef, tuple[Any, ...]]]:
        if not nodes:
            yield held, ()
            return
        for condition, first in self._eval(nodes[0], held, env):
            for after, rest in self._all(nodes[1:], condition, env):
                yield after, (first, *rest)

    def _boolean(
        self, is_and: bool, first: ast.expr, rest: Sequence[ast.expr], held: z3.BoolRef, env: dict[str, Any]
    ) -> Iterator[tuple[z3.BoolRef, bool]]:
        for condition, truth in self._truths(first, held, env):
            if not rest or truth is not is_and:
                yield condition, truth
            else:
                yield from self._boolean(is_and, rest[0], rest[1:], condition, env)

    def _comprehension(
        self, elt: ast.expr, only: ast.comprehension, held: z3.BoolRef, env: dict[str, Any]
    ) -> Iterator[tuple[z3.BoolRef, tuple[Any, ...]]]:
        for condition, items in self._eval(only.iter, held, env):
            states: list[tuple[z3.BoolRef, tuple[Any, ...]]] = [(condition, ())]
            for item in items:
                inner = {**env, **bound(only.target, item)}
                states = [
                    (after, (*done, *taken))
                    for before, done in states
                    for after, taken in self._taken(elt, only.ifs, before, inner)
                ]
            yield from states

    def _taken(
        self, elt: ast.expr, ifs: Sequence[ast.expr], held: z3.BoolRef, env: dict[str, Any]
    ) -> Iterator[tuple[z3.BoolRef, tuple[Any, ...]]]:
        if not ifs:
            for condition, value in self._eval(elt, held, env):
                yield condition, (value,)
            return
        for condition, truth in self._truths(ifs[0], held, env):
            if truth:
                yield from self._taken(elt, ifs[1:], condition, env)
            else:
                yield condition, ()

    def _first(
        self, found: ast.GeneratorExp, default: ast.expr, held: z3.BoolRef, env: dict[str, Any]
    ) -> Iterator[tuple[z3.BoolRef, Any]]:
        """`next` over a generator: as lazy as the real one."""
        only = found.generators[0]
        for condition, items in self._eval(only.iter, held, env):
            waiting = [condition]
            for item in items:
                inner = {**env, **bound(only.target, item)}
                following = []
                for before in waiting:
                    for after, taken in self._taken(found.elt, only.ifs, before, inner):
                        if taken:
                            yield after, taken[0]
                        else:
                            following.append(after)
                waiting = following
            for before in waiting:
                yield from self._eval(default, before, env)

    def _called(self, node: ast.Call, held: z3.BoolRef, env: dict[str, Any]) -> Iterator[tuple[z3.BoolRef, Any]]:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "next" and isinstance(node.args[0], ast.GeneratorExp):
            yield from self._first(node.args[0], node.args[1], held, env)
            return
        keywords = [keyword.value for keyword in node.keywords]
        for condition, values in self._all([*node.args, *keywords], held, env):
            args = values[: len(node.args)]
            named = {word.arg or "": value for word, value in zip(node.keywords, values[len(args) :], strict=True)}
            if name in self.opaque:
                _arguments(self._functions[name], args, named)
                self._fresh += 1
                yield condition, z3.Int(f"{name}{self._fresh}")
            elif name in self._functions:
                yield from self._returned(self._functions[name], args, named, condition)
            elif name:
                yield from built_in(name, args, named, condition)
            else:
                for after, bound in self._eval(node.func, condition, env):
                    if not isinstance(bound, _Bound):
                        raise Unsupported(ast.unparse(node))
                    yield from self._returned(bound.method, [bound.owner, *args], named, after)


def _arguments(function: ast.FunctionDef, args: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters with their values; a call that the function does not take is an error, not a shorter call."""
    names = [argument.arg for argument in function.args.args]
    if len(args) + len(named) != len(names) or sorted((*names[: len(args)], *named)) != sorted(names):
        raise Unsupported(f"arguments of {function.name}")
    return {**dict(zip(names, args, strict=False)), **named}
