"""Rules about sealed types: who builds the values that mean "has passed a room", and that nobody derives from them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .finding import Finding
from .house import PACKAGE, House
from .lists import CONSTRUCTORS, CORE

__all__ = ["seal_rules", "sites"]

_MAKERS = ("construct", "from_orm", "model_construct", "model_validate", "parse_")


def seal_rules(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Every site that builds, copies, renames or extends a sealed type where it is not at home."""
    inner = path.removeprefix(PACKAGE)
    # `tuple[Source, ...]` says what something is; it hands nothing on.
    types = {id(node.slice) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                yield from _call(path, inner, node)
            case ast.Attribute(attr="model_copy") if inner.split("/")[0] in CORE:
                message = "copies a value, perhaps with changes that nobody validates"
                yield Finding(path, node.lineno, "sealed-type", "model_copy", message)
            case ast.Attribute() if _sealed(node.value) and node.attr.startswith(_MAKERS):
                yield _found(path, node.value, f"takes `{node.attr}` of")
            case ast.ClassDef():
                for base in node.bases:
                    if _sealed(base):
                        yield _found(path, base, "derives from")
            case ast.ImportFrom():
                for alias in node.names:
                    if alias.name in CONSTRUCTORS and alias.asname not in (None, alias.name):
                        message = f"renames the sealed type `{alias.name}`"
                        yield Finding(path, node.lineno, "sealed-type", alias.name, message)
            case ast.Assign(value=value) | ast.NamedExpr(value=value) | ast.Return(value=value) if _sealed(value):
                yield _found(path, value, "hands on")
            case ast.Tuple(elts=values, ctx=ast.Load()) | ast.List(elts=values) | ast.Dict(values=values):
                if id(node) not in types:
                    yield from _listed(path, values)


def sites(house: House) -> dict[str, set[str]]:
    """Sealed type → the files that build it."""
    found: dict[str, set[str]] = {name: set() for name in CONSTRUCTORS}
    for path, source in house.files.items():
        for node in ast.walk(ast.parse(source)) if path.startswith(PACKAGE) and path.endswith(".py") else ():
            if isinstance(node, ast.Call) and _sealed(node.func):
                found[_sealed(node.func)].add(path.removeprefix(PACKAGE))
    return found


def _call(path: str, inner: str, node: ast.Call) -> Iterator[Finding]:
    name = _sealed(node.func)
    if name and inner not in CONSTRUCTORS[name]:
        yield _found(path, node.func, "builds")
    if isinstance(node.func, ast.Call) and getattr(node.func.func, "id", "") == "type":
        yield Finding(path, node.lineno, "sealed-type", "type", "builds a type that it does not name")
    # `isinstance(x, Grant)` asks a question.
    if getattr(node.func, "id", "") not in ("isinstance", "issubclass"):
        for value in (*node.args, *(word.value for word in node.keywords)):
            if _sealed(value):
                yield _found(path, value, "hands on")


def _listed(path: str, values: list[ast.expr]) -> Iterator[Finding]:
    for value in values:
        if _sealed(value):
            yield _found(path, value, "hands on")


def _sealed(node: ast.AST | None) -> str:
    name = getattr(node, "id", "") or getattr(node, "attr", "")
    return name if isinstance(node, ast.Name | ast.Attribute) and name in CONSTRUCTORS else ""


def _found(path: str, node: ast.expr, verb: str) -> Finding:
    return Finding(path, node.lineno, "sealed-type", _sealed(node), f"{verb} the sealed type `{_sealed(node)}`")
