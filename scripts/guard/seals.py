"""Rules about sealed types: who builds the values that mean "has passed a room", and that nobody derives from them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .finding import Finding
from .house import PACKAGE, House, at_home
from .lists import CONSTRUCTORS
from .nodes import walked
from .words import DOOR_NAMES, DOORS, REPLACE_FLOORS

__all__ = ["seal_rules", "sites"]

_MAKERS = ("construct", "copy", "from_orm", "model_construct", "model_validate", "parse_", "validate")
# What builds values of whatever types it is told, also inside others.
_BUILDERS = ("RootModel", "TypeAdapter", "create_model")


def seal_rules(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Every site that builds, copies, renames or extends a sealed type where it is not at home."""
    inner = path.removeprefix(PACKAGE)
    # `tuple[Source, ...]` says what something is; it hands nothing on.
    slices = (node.slice for node in walked(tree) if isinstance(node, ast.Subscript))
    types = {id(part) for inside in slices for part in ast.walk(inside)}
    if not at_home(inner, DOORS):
        yield from _at_a_door(path, tree)
    if not at_home(inner, REPLACE_FLOORS):
        yield from _replaced(path, tree)
    for node in walked(tree):
        match node:
            case ast.Call():
                yield from _call(path, inner, node)
            case ast.Attribute(attr="model_copy") | ast.Constant(value="model_copy"):
                message = "copies a value, perhaps with changes that nobody validates"
                yield Finding(path, node.lineno, "sealed-type", "model_copy", message)
            case ast.Attribute() if _sealed(node.value) and node.attr.startswith(_MAKERS):
                yield _found(path, node.value, f"takes `{node.attr}` of")
            case ast.ClassDef():
                for base in node.bases:
                    if _sealed(base):
                        yield _found(path, base, "derives from")
                yield from _fields(path, inner, node)
            case ast.ImportFrom():
                for alias in node.names:
                    if alias.name in CONSTRUCTORS and alias.asname not in (None, alias.name):
                        message = f"renames the sealed type `{alias.name}`"
                        yield Finding(path, node.lineno, "sealed-type", alias.name, message)
            case ast.Assign(value=value) | ast.NamedExpr(value=value) | ast.Return(value=value):
                if value is not None and _sealed(value):
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
    if name and not at_home(inner, CONSTRUCTORS[name]):
        yield _found(path, node.func, "builds")
    if isinstance(node.func, ast.Call) and getattr(node.func.func, "id", "") == "type":
        yield Finding(path, node.lineno, "sealed-type", "type", "builds a type that it does not name")
    # `isinstance(x, Grant)` asks a question.
    if getattr(node.func, "id", "") not in ("isinstance", "issubclass"):
        for value in (*node.args, *(word.value for word in node.keywords)):
            if _sealed(value):
                yield _found(path, value, "hands on")

    # `validate_python` of a list of sealed types builds them all.
    builder = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    if (getattr(builder, "id", "") or getattr(builder, "attr", "")) in _BUILDERS:
        for part in ast.walk(node):
            if isinstance(part, ast.Name | ast.Attribute) and _sealed(part):
                yield _found(path, part, "builds, or what it is told to build holds,")
    if any(word.arg == "update" for word in node.keywords) and getattr(node.func, "attr", "") == "copy":
        yield Finding(path, node.lineno, "sealed-type", "copy", "copies a value with changes that nobody validates")


def _fields(path: str, inner: str, node: ast.ClassDef) -> Iterator[Finding]:
    """A model with a field of a sealed type builds it from plain data; the kernel's nouns are read in rooms alone."""
    if inner.startswith("kernel/") or not node.bases:
        return
    for field in node.body:
        for part in ast.walk(field.annotation) if isinstance(field, ast.AnnAssign) else ():
            if isinstance(part, ast.expr) and (name := _sealed(part)) and not at_home(inner, CONSTRUCTORS[name]):
                yield Finding(path, part.lineno, "sealed-type", name, f"has a field of the sealed type `{name}`")


def _at_a_door(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Who asks and what they may see is said at a door, never by a room."""
    for node in walked(tree):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word, ctx=ast.Store()) | ast.keyword(arg=str(word)):
                pass
            case ast.alias(name=word) | ast.Constant(value=str(word)):
                pass
            case ast.Attribute(attr=word) if word != "scopes":
                pass
            case _:
                continue
        if word in DOOR_NAMES:
            yield Finding(path, node.lineno, "forged-context", word, f"says `{word}`, which only a door may")


def _replaced(path: str, tree: ast.Module) -> Iterator[Finding]:
    for node in walked(tree):
        match node:
            case ast.ImportFrom(module="dataclasses", names=names) if any(one.name == "replace" for one in names):
                pass
            case ast.Attribute(value=ast.Name(id="dataclasses"), attr="replace"):
                pass
            case _:
                continue
        yield Finding(path, node.lineno, "sealed-type", "replace", "copies a record with changes")


def _listed(path: str, values: list[ast.expr]) -> Iterator[Finding]:
    for value in values:
        if _sealed(value):
            yield _found(path, value, "hands on")


def _sealed(node: ast.AST | None) -> str:
    name = getattr(node, "id", "") or getattr(node, "attr", "")
    return name if isinstance(node, ast.Name | ast.Attribute) and name in CONSTRUCTORS else ""


def _found(path: str, node: ast.expr, verb: str) -> Finding:
    return Finding(path, node.lineno, "sealed-type", _sealed(node), f"{verb} the sealed type `{_sealed(node)}`")
