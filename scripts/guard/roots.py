"""Where an expression begins, and which names of a file stand for what another file owns."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .house import House, imports_of
from .nodes import walked
from .words import MUTATORS

__all__ = ["changes", "foreign_names", "module_names", "own_nodes", "root_of", "second_names"]

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def root_of(node: ast.expr) -> ast.expr:
    """`a` of `a.b[c].d`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    return node


def changes(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Attribute | ast.Subscript, ast.expr]]:
    """Every place that changes a thing: what is written as its target, and the thing itself."""
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield node, node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            yield node.func, node.func.value


def own_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions inside it; a class body belongs to its scope."""
    waiting = list(ast.iter_child_nodes(tree))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function):
            waiting.extend(ast.iter_child_nodes(node))


def module_names(tree: ast.Module) -> frozenset[str]:
    """Names that the module binds itself, outside functions: they live as long as the process."""
    found = set()
    for node in own_nodes(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
    return frozenset(found)


def foreign_names(path: str, tree: ast.Module, house: House) -> tuple[frozenset[str], frozenset[str]]:
    """Names that stand for what another file owns, also under a second name; and those of them that are modules."""
    imported = list(imports_of(tree, path))
    modules = {one.alias for one in imported if not one.name or (one.inside and house.module(one.target))}
    found = {one.alias for one in imported} | {arg.arg for arg in _types_as_arguments(tree)}
    pairs = list(second_names(tree))
    while more := {name for name, value in pairs if _leads_to(value, found)} - found:
        found |= more
    return frozenset(found), frozenset(modules)


def _types_as_arguments(tree: ast.Module) -> Iterator[ast.arg]:
    for node in walked(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            note = node.annotation.value if isinstance(node.annotation, ast.Subscript) else node.annotation
            if isinstance(note, ast.Name) and note.id in ("type", "ModuleType"):
                yield node


def second_names(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Every name that the file binds to an expression, with it."""
    # A field of a class is no name of the file.
    fields = {id(one) for node in walked(tree) if isinstance(node, ast.ClassDef) for one in node.body}
    for node in walked(tree):
        match node:
            case _ if id(node) in fields:
                continue
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    if isinstance(target, ast.Name):
                        yield target.id, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                yield name, value
            case ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=values) | ast.List(elts=values)):
                for value in values:
                    yield name, value


def _leads_to(value: ast.expr, names: set[str]) -> bool:
    """A name or a chain of attributes; what a call makes is the file's own, except a type or a looked-up thing."""
    root = root_of(value)
    if isinstance(root, ast.Call) and isinstance(root.func, ast.Name) and root.func.id in ("getattr", "type"):
        return True
    return isinstance(value, ast.Name | ast.Attribute) and isinstance(root, ast.Name) and root.id in names
