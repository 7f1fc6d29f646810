"""Rules about plans: pure and registered, without a clock, chance or a model, with data for fields (§3.5)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .finding import Finding
from .house import PACKAGE, at_home, imports_of
from .nodes import walked
from .words import CLOCK_AND_CHANCE, HANDED_IN, MODEL_CLIENTS, PLAN_HOMES, PLAN_MAY_IMPORT

__all__ = ["plan_rules"]

_WAITS = (ast.AsyncFor, ast.AsyncFunctionDef, ast.AsyncWith, ast.Await)


def plan_rules(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Every place where a plan is more than a function of what it is given, or is no registered plan at all."""
    inner = path.removeprefix(PACKAGE)
    plans = [node for node in walked(tree) if isinstance(node, ast.ClassDef) and "next_step" in _methods(node)]
    if not at_home(inner, PLAN_HOMES):
        for plan in plans:
            yield Finding(path, plan.lineno, "plan-place", plan.name, f"`{plan.name}` is a plan outside capabilities")
    if not inner.startswith("capabilities/"):
        return
    for one in imports_of(tree, path):
        if one.inside and not any(f"{one.target}.".startswith(f"{home}.") for home in PLAN_MAY_IMPORT):
            yield _found(path, one.line, one.target, "a plan takes values and pure functions, not")
    for node in walked(tree):
        if isinstance(node, _WAITS):
            yield _found(path, node.lineno, "await", "a plan waits for nothing:")
        word = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        # A plan's own variable may be called `time`; what it reaches for in another object may not.
        if isinstance(node, ast.Attribute) and word in CLOCK_AND_CHANCE:
            yield _found(path, node.lineno, word, "a plan reads no clock and throws no dice:")
        if word in MODEL_CLIENTS and isinstance(node, ast.Attribute | ast.Name):
            yield _found(path, node.lineno, word, "a plan asks no model:")
    for plan in plans:
        yield from _plan(path, plan)


def _plan(path: str, plan: ast.ClassDef) -> Iterator[Finding]:
    for node in plan.body:
        if isinstance(node, ast.AnnAssign):
            for part in ast.walk(node):
                word = getattr(part, "id", "") or getattr(part, "attr", "")
                if word in HANDED_IN:
                    yield _found(path, node.lineno, word, "a plan's field is a value that cannot change or act, not")
        elif isinstance(node, ast.Assign):
            for part in ast.walk(node.value):
                if isinstance(part, ast.keyword) and part.arg in (*HANDED_IN, "frozen"):
                    yield _found(path, node.lineno, str(part.arg), "a plan's model is as frozen as every noun:")
        elif getattr(node, "name", "") == "next_step" and _yields(node):
            yield _found(path, node.lineno, "yield", "a step is a value, not a generator:")
    methods = _methods(plan)
    for part in ast.walk(plan):
        match part:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=word)) if word not in methods:
                yield _found(path, part.lineno, word, "a plan calls nothing that it was handed:")


def _yields(node: ast.stmt) -> bool:
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in ast.walk(node))


def _methods(node: ast.ClassDef) -> frozenset[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(one.name for one in node.body if isinstance(one, kinds))


def _found(path: str, line: int, subject: str, message: str) -> Finding:
    return Finding(path, line, "plan-impure", subject, f"{message} `{subject}`")
