"""Rules about patches: nobody writes to what another file owns, and nobody exchanges the methods of an object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .finding import Finding
from .house import House
from .nodes import walked
from .roots import changes, foreign_names, root_of

__all__ = ["patch_rules"]

_LOOKED_UP = ("getattr", "super", "type", "vars")


def patch_rules(path: str, tree: ast.Module, house: House) -> Iterator[Finding]:
    """Every place that changes a module, a class or a table of another file, or the code of an object."""
    foreign, modules = foreign_names(path, tree, house)
    callables = foreign | _functions(tree)
    exchanged = {id(target) for target in _given_code(tree, callables)}
    for target, thing in changes(walked(tree)):
        # `os.remove(path)` is a function of a module; `table.remove(row)` changes a table.
        if isinstance(target.ctx, ast.Load) and isinstance(thing, ast.Name) and thing.id in modules:
            continue
        why = _why(target, root_of(thing), foreign) or ("exchanges code:" if id(target) in exchanged else "")
        if why:
            said = ast.unparse(target)
            yield Finding(path, target.lineno, "foreign-assignment", said, f"{why} `{said}`")


def _why(target: ast.expr, root: ast.expr, foreign: frozenset[str]) -> str:
    if isinstance(root, ast.Name) and root.id in foreign:
        return "changes what another file owns:"
    if isinstance(root, ast.Call) and isinstance(root.func, ast.Name) and root.func.id in _LOOKED_UP:
        return "changes a type or an object that it looked up:"
    if isinstance(target, ast.Attribute) and target.attr.startswith("__") and isinstance(target.ctx, ast.Store):
        return "exchanges a part of the language's own:"
    return ""


def _given_code(tree: ast.Module, callables: frozenset[str]) -> Iterator[ast.expr]:
    """Attributes of other objects that are given a function: a method is exchanged without its class being touched."""
    for node in walked(tree):
        if isinstance(node, ast.Assign) and (
            isinstance(node.value, ast.Lambda) or (isinstance(node.value, ast.Name) and node.value.id in callables)
        ):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and getattr(root_of(target), "id", "") != "self":
                    yield target


def _functions(tree: ast.Module) -> frozenset[str]:
    return frozenset(node.name for node in walked(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
