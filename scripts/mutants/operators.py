"""The operators: every small fault that can be planted at one place of a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator

__all__ = ["Change", "changes_of"]

Change = tuple[str, ast.AST, str, object]
"""Operator, the node to change, the name of its field, and the field's new value."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_SIBLINGS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_TRANSPARENT = ("casefold", "lower", "lstrip", "rstrip", "strip", "upper")
_REMOVABLE = (ast.Expr, ast.AugAssign, ast.Raise, ast.Delete, ast.Assert)


def changes_of(node: ast.AST) -> Iterator[Change]:
    """All changes at this very node; its children have their own."""
    match node:
        case ast.Compare():
            yield from _compare(node)
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in _ARITHMETIC:
            yield "arithmetic", node, "op", _ARITHMETIC[type(op)]()
        case ast.Constant():
            yield from _constant(node)
        case ast.Call():
            yield from _call(node)
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield "return", node, "value", ast.Constant(None)
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Constant):
            yield "always", node, "test", ast.Constant(True)
            yield "never", node, "test", ast.Constant(False)
        case ast.While(test=test) if not isinstance(test, ast.Constant):
            yield "never", node, "test", ast.Constant(False)
        case ast.comprehension(ifs=[_, *_] as ifs):
            for place in range(len(ifs)):
                yield "unfiltered", node, "ifs", ifs[:place] + ifs[place + 1 :]
        case ast.Slice(lower=lower, upper=upper):
            if lower is not None:
                yield "slice", node, "lower", None
            if upper is not None:
                yield "slice", node, "upper", None
        case ast.Tuple(elts=items, ctx=ast.Load()) | ast.List(elts=items, ctx=ast.Load()) | ast.Set(elts=items):
            if len(items) > 1:
                for place in range(len(items)):
                    yield "element", node, "elts", items[:place] + items[place + 1 :]
    yield from _parts(node)


def _parts(node: ast.AST) -> Iterator[Change]:
    """Changes that put something else in the place of a child, or take the child away."""
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            for operator, other in _instead(value):
                yield operator, node, name, other
        elif isinstance(value, list):
            for place, child in enumerate(value):
                for operator, other in _instead(child):
                    yield operator, node, name, [*value[:place], other, *value[place + 1 :]]


def _instead(child: object) -> Iterator[tuple[str, ast.AST]]:
    match child:
        case ast.BoolOp(op=op, values=values):
            swapped: ast.boolop = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield "boolean", ast.BoolOp(swapped, values)
            for place in range(len(values)):
                rest = values[:place] + values[place + 1 :]
                yield "operand", rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "unary", operand
        case ast.Call(func=ast.Attribute(value=base, attr=name), args=[], keywords=[]) if name in _TRANSPARENT:
            yield "unwrapped", base
        case ast.Call(func=ast.Name(id="sorted" | "reversed"), args=[inner, *_]):
            yield "unwrapped", ast.Call(ast.Name("list", ast.Load()), [inner], [])
        case ast.Break():
            yield "break", ast.Continue()
            yield "break", ast.Pass()
        case ast.Continue():
            yield "continue", ast.Break()
            yield "continue", ast.Pass()
        case ast.stmt() if isinstance(child, _REMOVABLE) or _is_store(child):
            yield "removed", ast.Pass()


def _is_store(statement: ast.stmt) -> bool:
    """An assignment to an attribute or an element; that of a name would only leave the name unknown."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(target, ast.Attribute | ast.Subscript) for target in targets)


def _compare(node: ast.Compare) -> Iterator[Change]:
    for place, op in enumerate(node.ops):
        for other in _COMPARISONS[type(op)]:
            yield "comparison", node, "ops", [*node.ops[:place], other(), *node.ops[place + 1 :]]


def _constant(node: ast.Constant) -> Iterator[Change]:
    match node.value:
        case bool() as truth:
            yield "constant", node, "value", not truth
        case int() | float() as number:
            yield "constant", node, "value", number + 1
            yield "constant", node, "value", number - 1
        case str() as text:
            yield "constant", node, "value", f"{text}~"
        case bytes() as data:
            yield "constant", node, "value", data + b"~"


def _call(node: ast.Call) -> Iterator[Change]:
    called = node.func.id if isinstance(node.func, ast.Name) else ""
    if called in _SIBLINGS:
        yield "sibling", node, "func", ast.Name(_SIBLINGS[called], ast.Load())
    args = node.args
    if called not in _SIBLINGS and not any(isinstance(arg, ast.Starred) for arg in args):
        for place in range(len(args) - 1):
            if ast.dump(args[place]) != ast.dump(args[place + 1]):
                swapped = [*args[:place], args[place + 1], args[place], *args[place + 2 :]]
                yield "swapped", node, "args", swapped
    for place, keyword in enumerate(node.keywords):
        if keyword.arg == "strict":
            continue  # a guard over our own lists, which are equally long
        yield "keyword", node, "keywords", node.keywords[:place] + node.keywords[place + 1 :]


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
