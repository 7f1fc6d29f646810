"""Rules about what a name of an outside module really is: the module is imported and asked, whatever the spelling."""

from __future__ import annotations

import ast
import asyncio
import builtins
import importlib
import inspect
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from .finding import Finding
from .house import NAMES, PACKAGE, imports_of
from .lists import ALLOWED_IMPORTS, CORE, DYNAMIC, EXCEPTIONS, MACHINE, NAMES_ANYWHERE, NAMES_IN_CORE, TRICKS, WAYS_OUT
from .nodes import walked
from .outside import (
    CLASS_PATCHERS,
    CORE_ALONE,
    FROM_MEMORY,
    HOMES_IN_CORE,
    LOOP_MAY,
    NAMES_OF,
    NEVER_LOADED,
    OTHER_NAME_OF,
    PACKAGES,
)

__all__ = ["home_of", "loop_ways", "outside_names", "resolved_rules"]

_MISSING = object()
_MADE_OF = {"nt": "os", "posix": "os", "_operator": "operator", "_thread": "_thread"}
# Tables that are no class and no function, and are known by what they are.
_GIVEN_OUT = {
    "environ": os.environ,
    "environb": os.environb,
    "meta_path": sys.meta_path,
    "modules": sys.modules,
    "path_hooks": sys.path_hooks,
}


@dataclass(frozen=True)
class _Taken:
    """A thing that a file took from an outside module: where it stands, its owner, its word there, and itself."""

    line: int
    owner: Any
    word: str
    thing: Any


def resolved_rules(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Every finding about outside things, judged by what they are."""
    within = path.startswith(PACKAGE)
    core = within and path.removeprefix(PACKAGE).split("/")[0] in CORE
    known = outside_names(path, tree)
    taken = [*_imported(path, tree), *_reached(tree, known)]
    for one in taken:
        yield from _module(path, one) if isinstance(one.thing, ModuleType) else _thing(path, one, core)
        if within and isinstance(one.owner, ModuleType):
            yield from _listed(path, one, core)
    if within:
        yield from _absent(path, tree)
        yield from _uses(path, tree, known, core)


def outside_names(path: str, tree: ast.Module) -> dict[str, Any]:
    """Names of a file that an import from outside binds → what they are."""
    found = {}
    for one in imports_of(tree, path):
        if not one.inside:
            # `import a.b` binds `a`; `import a.b as c` binds `a.b`.
            whole = one.name or one.alias != one.module.split(".")[0]
            module = _loaded(one.module if whole else one.alias)
            thing = _part(module, one.name) if one.name and module is not None else module
            if thing is not None and thing is not _MISSING:
                found[one.alias] = thing
    return found


def home_of(thing: Any) -> str:
    """Where a class or a function was defined, with its name: `zipfile.ZipFile`; empty for other things."""
    if not (isinstance(thing, type) or inspect.isroutine(thing)):
        return ""
    module = getattr(thing, "__module__", None) or ""
    # `posix` is what `os` is made of, and a module in C often has its name with an underscore.
    return f"{_MADE_OF.get(module, module.removeprefix('_'))}.{thing.__qualname__}" if module else ""


@cache
def loop_ways() -> frozenset[str]:
    """Methods of every event loop that do more than count and plan, in the Python that runs this."""
    return frozenset(name for name in dir(asyncio.SelectorEventLoop) if not name.startswith("_")) - LOOP_MAY


@cache
def _loaded(name: str) -> ModuleType | None:
    """The module, imported for real; None where it is not to be loaded or not there."""
    top = name.split(".")[0]
    foreign = {subject for _, rule, subject in EXCEPTIONS if rule == "unlisted-package"}
    listed = top in sys.stdlib_module_names or any(top == one.split(".")[0] for one in PACKAGES) or top in foreign
    if top in NEVER_LOADED or top in NAMES or not listed:
        return None
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _part(owner: Any, word: str) -> Any:
    """An attribute of a module or a class, without running code of a class."""
    if isinstance(owner, ModuleType):
        submodule = f"{owner.__name__}.{word}"
        if (found := getattr(owner, word, _MISSING)) is not _MISSING or not hasattr(owner, "__path__"):
            return found
        return _loaded(submodule) or _MISSING
    return inspect.getattr_static(owner, word, _MISSING) if isinstance(owner, type) else _MISSING


def _imported(path: str, tree: ast.Module) -> Iterator[_Taken]:
    for one in imports_of(tree, path):
        owner = _loaded(one.module) if one.name and not one.inside else None
        if owner is not None and (thing := _part(owner, one.name)) is not _MISSING:
            yield _Taken(one.line, owner, one.name, thing)


def _absent(path: str, tree: ast.Module) -> Iterator[Finding]:
    """What is not there cannot be judged; where it is there, it is unknown what it is."""
    for one in imports_of(tree, path):
        owner = _loaded(one.module) if one.name not in ("", "*") and not one.inside else None
        if owner is not None and _part(owner, one.name) is _MISSING:
            yield Finding(path, one.line, "unlisted-name", one.target, f"`{one.module}` has no `{one.name}` here")


def _reached(tree: ast.Module, known: dict[str, Any]) -> Iterator[_Taken]:
    for node in walked(tree):
        owner, word = _step(node)
        if owner is not None and (thing := _resolve(owner, known)) is not _MISSING:
            part = _part(thing, word)
            if part is not _MISSING:
                yield _Taken(owner.lineno, thing, word, part)


def _step(node: ast.AST) -> tuple[ast.expr | None, str]:
    """`a.b`, and `getattr(a, "b")`, which is the same."""
    match node:
        case ast.Attribute(value=owner, attr=word):
            return owner, word
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[owner, ast.Constant(value=str(word)), *_]):
            return owner, word
    return None, ""


def _resolve(node: ast.expr, known: dict[str, Any]) -> Any:
    if isinstance(node, ast.Name):
        return known.get(node.id, _MISSING)
    owner, word = _step(node)
    return _MISSING if owner is None else _part(_resolve(owner, known), word)


def _module(path: str, one: _Taken) -> Iterator[Finding]:
    """A module inside another is its part or a neighbour that it imported; only a part may be taken."""
    name = one.thing.__name__
    owner = getattr(one.owner, "__name__", "")
    if name == f"{owner}.{one.word}" or OTHER_NAME_OF.get((owner, one.word)) == name:
        yield from _kind(path, one, name)
    else:
        message = f"takes the module `{name}` from `{owner}`, which only uses it"
        yield Finding(path, one.line, "module-as-attribute", one.word, message)


def _thing(path: str, one: _Taken, core: bool) -> Iterator[Finding]:
    """A class, a function or a table that another module owns is judged as if it were taken there."""
    home = home_of(one.thing)
    module, _, name = home.rpartition(".")
    owner = getattr(one.owner, "__name__", "")
    # What a builtin is, its name says below.
    if home and module.split(".")[0] not in (owner.split(".")[0], "builtins"):
        yield from _kind(path, one, module)
    known = next((word for word, table in _GIVEN_OUT.items() if one.thing is table), name)
    if known != one.word and known in WAYS_OUT | loop_ways():
        yield Finding(path, one.line, "way-out", known, f"takes `{known}` under the name `{one.word}`")
    if known != one.word and known in TRICKS:
        yield Finding(path, one.line, "dynamic-code", known, f"takes `{known}` under the name `{one.word}`")
    for word in NAMES_ANYWHERE | NAMES_IN_CORE if core else NAMES_ANYWHERE:
        if inspect.isroutine(one.thing) and getattr(builtins, word, _MISSING) is one.thing:
            yield Finding(path, one.line, "forbidden-name", word, f"takes `{word}` under the name `{one.word}`")


def _kind(path: str, one: _Taken, module: str) -> Iterator[Finding]:
    if not path.startswith(PACKAGE):
        return
    machine = next((name for name in MACHINE if f"{module}.".startswith(f"{name}.")), "")
    if machine:
        yield Finding(path, one.line, "machine", machine, f"takes `{one.word}`, which is part of `{module}`")
    if (top := module.split(".")[0]) in DYNAMIC:
        yield Finding(path, one.line, "dynamic-code", top, f"takes `{one.word}`, which is part of `{module}`")
    foreign = isinstance(one.thing, ModuleType) and top not in sys.stdlib_module_names
    if foreign and module not in PACKAGES:
        yield Finding(path, one.line, "unlisted-package", module, f"takes the module `{module}`")


def _listed(path: str, one: _Taken, core: bool) -> Iterator[Finding]:
    """A name that the lists of its module do not have; in the core also a part of a package, or what it borrowed."""
    owner, home = one.owner.__name__, home_of(one.thing).rpartition(".")[0]
    subject = f"{owner}.{one.word}"
    floor = ALLOWED_IMPORTS.get(path.removeprefix(PACKAGE).split("/")[0], frozenset())
    if isinstance(one.thing, ModuleType):
        refused = core and subject not in floor
    elif owner in NAMES_OF and (core or owner not in CORE_ALONE):
        refused = one.word not in NAMES_OF[owner]
    else:
        tops = {name.split(".")[0] for name in floor} | HOMES_IN_CORE | {owner.split(".")[0]}
        refused = core and home != "" and home.split(".")[0] not in tops
    if refused:
        rule = "core-import" if core else "unlisted-name"
        yield Finding(path, one.line, rule, subject, f"takes `{subject}`, which is not on the list")


def _uses(path: str, tree: ast.Module, known: dict[str, Any], core: bool) -> Iterator[Finding]:
    """A module is no value; what opens files or patches classes is called or decorates, and is not handed on."""
    called = {id(node.func): node for node in walked(tree) if isinstance(node, ast.Call)}
    plain = {id(owner) for node in walked(tree) if (owner := _step(node)[0]) is not None} | _asked(tree)
    decorators = set(_decorators(tree))
    for statement in tree.body:
        for word in _published(statement):
            if isinstance(known.get(word), ModuleType):
                yield Finding(path, statement.lineno, "module-as-value", word, f"publishes the module `{word}`")
    for node in walked(tree):
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load) or id(node) in plain:
            continue
        thing = _resolve(node, known)
        home, said = home_of(thing), ast.unparse(node)
        if isinstance(thing, ModuleType):
            yield Finding(path, node.lineno, "module-as-value", said, f"hands on the module `{said}`")
        elif home in CLASS_PATCHERS and id(node) not in decorators:
            yield Finding(path, node.lineno, "foreign-assignment", said, f"`{said}` changes what it is given")
        elif core and home in FROM_MEMORY and not _in_memory(called.get(id(node)), FROM_MEMORY[home]):
            yield Finding(path, node.lineno, "file-access", said, f"`{said}` may open a file by its name")


def _published(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
        parts = (part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant))
        return [part for part in parts if isinstance(part, str)]
    return []


def _in_memory(call: ast.Call | None, maker: str) -> bool:
    """`ZipFile(BytesIO(data))`: one argument, made on the spot of bytes, and no mode."""
    match call:
        case ast.Call(args=[ast.Call(func=ast.Name(id=name))], keywords=[]):
            return name == maker
    return False


def _asked(tree: ast.Module) -> set[int]:
    """Nodes of annotations, which say what something is."""
    notes: list[ast.AST | None] = []
    for node in walked(tree):
        match node:
            case ast.arg(annotation=note) | ast.AnnAssign(annotation=note):
                notes.append(note)
            case ast.FunctionDef(returns=note) | ast.AsyncFunctionDef(returns=note):
                notes.append(note)
    return {id(part) for note in notes if note is not None for part in ast.walk(note)}


def _decorators(tree: ast.Module) -> Iterator[int]:
    for node in walked(tree):
        for one in getattr(node, "decorator_list", ()):
            # `@dataclass(frozen=True)` gets its class afterwards; with one in the brackets it is another's.
            yield id(one.func) if isinstance(one, ast.Call) and not one.args else id(one)
