"""Rules about names, attributes and texts: the ways round an import that no import statement shows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .finding import Finding
from .house import NAMES, PACKAGE, at_home
from .lists import (
    ASYNCIO_IN_CORE,
    CORE,
    DUNDERS,
    FILES_IN_CORE,
    MODULES_AS_ATTRIBUTES,
    NAMES_ANYWHERE,
    NAMES_IN_CORE,
    OWNED,
    SPELLED_IN_TEXT,
    TRICKS,
    WAYS_OUT,
)
from .nodes import walked
from .resolved import loop_ways

__all__ = ["reach_rules"]

_SELF = ("cls", "self")


def reach_rules(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Every finding about what a file reaches for."""
    if not path.startswith(PACKAGE):
        yield from _outside(path, tree)
        return
    inner = path.removeprefix(PACKAGE)
    called = {id(node.func) for node in walked(tree) if isinstance(node, ast.Call)}
    docstrings = {id(text) for text in _docstrings(tree)}
    core = inner.split("/")[0] in CORE
    for node in walked(tree):
        match node:
            case ast.Name():
                yield from _name(path, node, core)
                if node.id == "getattr" and id(node) not in called:
                    yield Finding(path, node.lineno, "dynamic-attribute", "passed on", "hands `getattr` on")
            case ast.Attribute():
                yield from _attribute(path, inner, node, core)
            case ast.MatchClass():
                for word in node.kwd_attrs:
                    if _private(word) or word in TRICKS:
                        yield Finding(path, node.lineno, "private-reach", word, f"matches `{word}` of another object")
            case ast.Call():
                yield from _dynamic(path, node)
            case ast.Constant(value=str()) if id(node) not in docstrings:
                yield from _text(path, node)
            case ast.arg(annotation=note) | ast.AnnAssign(annotation=note) if isinstance(note, ast.Constant):
                yield from _quoted(path, note)
            case ast.FunctionDef(returns=note) | ast.AsyncFunctionDef(returns=note) if isinstance(note, ast.Constant):
                yield from _quoted(path, note)


def _name(path: str, node: ast.Name, core: bool) -> Iterator[Finding]:
    if (isinstance(node.ctx, ast.Load) or node.id == "__path__") and (
        node.id in NAMES_ANYWHERE or (core and node.id in NAMES_IN_CORE)
    ):
        yield Finding(path, node.lineno, "forbidden-name", node.id, f"uses `{node.id}`")
    if node.id in _SELF and not isinstance(node.ctx, ast.Load):
        yield Finding(path, node.lineno, "private-reach", node.id, f"binds `{node.id}` to another object")


def _attribute(path: str, inner: str, node: ast.Attribute, core: bool) -> Iterator[Finding]:
    word = node.attr
    owner = node.value.id if isinstance(node.value, ast.Name) else ""

    def found(rule: str, message: str) -> Finding:
        return Finding(path, node.lineno, rule, word, message)

    if word in WAYS_OUT | loop_ways():
        yield found("way-out", f"reaches for `{word}`")
    if word in TRICKS or (owner == "sys" and word == "path" and core):
        yield found("dynamic-code", f"reaches for `{word}`")
    if core and word in FILES_IN_CORE:
        yield found("file-access", f"reaches for `{word}` in the core")
    if core and owner == "asyncio" and word not in ASYNCIO_IN_CORE:
        yield found("core-import", f"takes `{word}` from asyncio")
    if word in MODULES_AS_ATTRIBUTES and owner != word:  # `socket.socket` is a class
        yield found("module-as-attribute", f"takes the module `{word}` from another module")
    if word.startswith("__") and word not in DUNDERS:
        yield found("private-reach", f"reaches for `{word}`")
    elif _private(word) and owner not in _SELF:
        yield found("private-reach", f"reaches for `{word}` of another object")
    if word in OWNED and not at_home(inner, OWNED[word]):
        yield found("private-reach", f"spells `{word}`, which belongs to {', '.join(sorted(OWNED[word]))}")


def _dynamic(path: str, node: ast.Call) -> Iterator[Finding]:
    if not (isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr")):
        return
    word = node.args[1] if len(node.args) > 1 else None
    if not (isinstance(word, ast.Constant) and isinstance(word.value, str)):
        yield Finding(path, node.lineno, "dynamic-attribute", node.func.id, "reads an attribute by a computed name")
    elif _private(word.value) or word.value in WAYS_OUT | TRICKS | loop_ways():
        yield Finding(path, node.lineno, "private-reach", word.value, f"reaches for `{word.value}`")


def _text(path: str, node: ast.Constant) -> Iterator[Finding]:
    for spelled in SPELLED_IN_TEXT:
        if isinstance(node.value, str) and spelled in node.value:
            yield Finding(path, node.lineno, "hidden-code", spelled, f"spells `{spelled}` in a text")


def _quoted(path: str, note: ast.Constant) -> Iterator[Finding]:
    """A quoted annotation is code: pydantic and dataclasses may evaluate it."""
    if isinstance(note.value, str):
        yield Finding(path, note.lineno, "hidden-code", note.value, "quotes an annotation, which may be evaluated")


def _outside(path: str, tree: ast.Module) -> Iterator[Finding]:
    for node in walked(tree):
        if isinstance(node, ast.Attribute) and (
            node.attr in OWNED or node.attr in {"ToolOpener", "open_toolbox", "__globals__"}
        ):
            yield Finding(path, node.lineno, "private-reach", node.attr, f"reaches for `{node.attr}`")
        if isinstance(node, ast.Attribute) and node.attr == "modules":
            yield Finding(path, node.lineno, "dynamic-code", node.attr, "reaches for `modules`")
        if isinstance(node, ast.Name) and node.id in {"__import__", "exec", "eval", "__builtins__"}:
            yield Finding(path, node.lineno, "forbidden-name", node.id, f"uses `{node.id}`")
        for spelled in (f"{name}.tools" for name in NAMES):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and spelled in node.value:
                yield Finding(path, node.lineno, "hidden-code", spelled, f"spells `{spelled}` in a text")
        if isinstance(node, ast.Constant) and node.value in OWNED:
            yield Finding(path, node.lineno, "private-reach", str(node.value), f"spells `{node.value}` in a text")


def _docstrings(tree: ast.Module) -> Iterator[ast.AST]:
    """Prose may name what code may not."""
    for node in walked(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr):
                yield first.value


def _private(word: str) -> bool:
    return word.startswith("_") and word not in DUNDERS
