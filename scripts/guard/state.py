"""Rules about kept state: what the core remembers is in values that it is given, never beside them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .finding import Finding
from .house import PACKAGE
from .lists import CORE
from .nodes import walked
from .roots import changes, module_names, own_nodes, root_of
from .words import ENDLESS, FILLED_LATER

__all__ = ["state_rules"]

_MOVES = ("anext", "next", "send")
_CONTAINERS = (ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Set, ast.SetComp)


def state_rules(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Every place where a module, a class, a default or a closure of the core keeps something for the next call."""
    floor = path.removeprefix(PACKAGE).split("/")[0]
    if floor not in CORE:
        return
    lasting = module_names(tree)
    generators = {node.name for node in walked(tree) if isinstance(node, ast.FunctionDef) and _yields(node)}
    yield from _bound(path, tree, generators)
    for node in walked(tree):
        match node:
            case ast.Global(names=names):
                yield _found(path, node, names[0], "rebinds a name of its module:")
            case ast.Nonlocal(names=names) if floor == "capabilities":
                yield _found(path, node, names[0], "rebinds a name of the function round it:")
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                yield from _function(path, node, lasting, floor == "capabilities")


def _bound(path: str, tree: ast.Module, generators: set[str]) -> Iterator[Finding]:
    """At module and class level: an empty container is there to be filled, an iterator remembers its place."""
    for node in own_nodes(tree):
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) else None
        match value:
            case ast.Dict(keys=[]) | ast.List(elts=[]):
                yield _found(path, value, ast.unparse(value), "keeps a container that is there to be filled:")
            case ast.GeneratorExp():
                yield _found(path, value, "generator", "keeps a generator alive:")
            case ast.Call(func=func) if (name := _called(func)) in ENDLESS or name in generators:
                yield _found(path, value, name, "keeps an iterator alive:")
            case ast.Call(func=func) if (name := _called(func)) in FILLED_LATER and not _filled(name, value):
                yield _found(path, value, name, "keeps a container that is there to be filled:")


def _function(
    path: str, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, lasting: frozenset[str], plan: bool
) -> Iterator[Finding]:
    for default in (*node.args.defaults, *node.args.kw_defaults):
        called = _called(default.func) if isinstance(default, ast.Call) else ""
        if default is not None and (isinstance(default, _CONTAINERS) or called in FILLED_LATER):
            yield _found(path, default, ast.unparse(default), "has a default that the next call gets as well:")
    nodes = [*own_nodes(node)]
    local = _arguments(node) | {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    for target, thing in changes(nodes):
        root, said = root_of(thing), ast.unparse(target)
        name = root.id if isinstance(root, ast.Name) else ""
        if name == "cls" or (name in lasting and name not in local):
            yield _found(path, target, said, "changes what outlives the call:")
        elif plan and (name == "self" or (name and name not in local)):
            yield _found(path, target, said, "a plan changes what it has not made itself:")
    for one in nodes:
        if isinstance(one, ast.Call) and _called(one.func) in _MOVES and _outlives(one, lasting - local):
            yield _found(path, one, ast.unparse(one), "moves an iterator that outlives the call:")


def _outlives(call: ast.Call, lasting: frozenset[str]) -> bool:
    asked = call.func.value if isinstance(call.func, ast.Attribute) else call.args[0] if call.args else call
    root = root_of(asked)
    return isinstance(root, ast.Name) and root.id in lasting


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> frozenset[str]:
    every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
    return frozenset(arg.arg for arg in every if arg is not None and arg.arg not in ("cls", "self"))


def _filled(name: str, value: ast.Call) -> bool:
    """`dict(pairs)` is a table; `defaultdict(list)` and `deque(maxlen=5)` are empty."""
    return bool(value.args) and name not in ("defaultdict", "deque")


def _yields(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom) for one in own_nodes(node))


def _called(func: ast.expr) -> str:
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _found(path: str, node: ast.expr | ast.stmt, subject: str, message: str) -> Finding:
    return Finding(path, node.lineno, "kept-state", subject, f"{message} `{subject}`")
