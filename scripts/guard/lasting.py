"""Rules about what outlives a session and what was open before it: tasks, callbacks, generators, lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .finding import Finding
from .house import PACKAGE, imports_of
from .lists import CORE
from .nodes import walked
from .roots import own_nodes
from .words import LINES, LINES_OF_OS, PICKLE_HOOKS, STARTERS

__all__ = ["lasting_rules"]

_STREAMS = frozenset({"__stderr__", "__stdout__", "stderr", "stdout"})


def lasting_rules(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Every place that starts work for later, that speaks through an open line, or that a copy would call."""
    floor = path.removeprefix(PACKAGE).split("/")[0]
    machine = {one.alias: one.module for one in imports_of(tree, path) if one.module in ("os", "sys") and not one.name}
    for one in imports_of(tree, path):
        if not one.inside:
            yield from _word(path, one.line, one.name or one.module.split(".")[0])
            yield from _of_module(path, one.line, one.module, one.name, floor)
    for node in walked(tree):
        match node:
            case ast.Attribute(attr=word, value=owner):
                yield from _word(path, node.lineno, word)
                module = machine.get(owner.id, "") if isinstance(owner, ast.Name) else ""
                yield from _of_module(path, node.lineno, module, word, floor)
            case ast.FunctionDef(name=word) | ast.keyword(arg=str(word)):
                yield from _hook(path, node, word)
            case ast.Name(id=word, ctx=ast.Store()):
                yield from _hook(path, node, word)
            case ast.AsyncFunctionDef(name=word) if floor in CORE and _yields(node):
                message = f"`{word}` is an async generator, which goes on for whoever asks it last"
                yield Finding(path, node.lineno, "leaked-task", word, message)
            case ast.Call(func=ast.Name(id="open")) if _by_number(node):
                yield Finding(path, node.lineno, "open-line", "open", "opens the number of a line that is open already")


def _word(path: str, line: int, word: str) -> Iterator[Finding]:
    if word in STARTERS:
        yield Finding(path, line, "leaked-task", word, f"reaches for `{word}`, whose work may outlive the session")
    if word in LINES:
        yield Finding(path, line, "open-line", word, f"reaches for `{word}` of a line that may be open already")


def _of_module(path: str, line: int, module: str, word: str, floor: str) -> Iterator[Finding]:
    if module == "os" and word in LINES_OF_OS:
        yield Finding(path, line, "open-line", f"os.{word}", f"reaches for `os.{word}`, which takes any open line")
    if module == "sys" and word in _STREAMS and floor != "cli":
        yield Finding(path, line, "open-line", f"sys.{word}", f"reaches for `sys.{word}`: only a door prints")


def _hook(path: str, node: ast.FunctionDef | ast.keyword | ast.Name, word: str) -> Iterator[Finding]:
    if word in PICKLE_HOOKS:
        yield Finding(path, node.lineno, "pickle-hook", word, f"`{word}` names code for a copy or a pickle to call")
    if word == "__del__":
        yield Finding(path, node.lineno, "leaked-task", word, "`__del__` runs whenever the collector comes")


def _by_number(call: ast.Call) -> bool:
    first = call.args[0] if call.args else call
    number = isinstance(first, ast.Constant) and isinstance(first.value, int)
    asked = isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute) and first.func.attr == "fileno"
    return number or asked or any(word.arg == "closefd" for word in call.keywords)


def _yields(node: ast.AsyncFunctionDef) -> bool:
    return any(isinstance(one, ast.Yield) for one in own_nodes(node))
