"""Rules about import statements: floors, the chokepoint, the machine, and code that finds code."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping

from .finding import Finding
from .house import NAMES, PACKAGE, House, Imported, at_home, imports_of
from .lists import (
    ADAPTER,
    ALLOWED_IMPORTS,
    ALLOWED_NAMES,
    ASYNCIO_IN_CORE,
    CORE,
    DUNDERS,
    DYNAMIC,
    DYNAMIC_OUTSIDE,
    FUNCTOOLS_UNCACHED,
    MACHINE,
    PURE_PATHS,
    RESERVED,
    ROOMS_OF,
    TRICKS,
    UNCACHED,
    WAYS_OUT,
)
from .nodes import walked
from .outside import MODULES_OUTSIDE_CORE, PACKAGES
from .resolved import loop_ways

__all__ = ["import_rules"]


def import_rules(path: str, tree: ast.Module, house: House) -> Iterator[Finding]:
    """Every finding about what a file imports, and about what it takes from modules that it may import."""
    inner = path.removeprefix(PACKAGE)
    within = path.startswith(PACKAGE)
    bound: dict[str, str] = {}
    for one in imports_of(tree, path):
        if not within:
            yield from _outside(path, one)
        elif one.inside:
            yield from _inside(path, inner, one, house)
            if house.module(one.target):
                bound[one.alias] = one.target
        else:
            yield from _absolute(path, inner, one)
    yield from _taken(path, tree, bound, house)


def _outside(path: str, one: Imported) -> Iterator[Finding]:
    """A script beside the package may use the gate, never the tools behind it."""
    # `backend` is a folder without `__init__.py`: it is a way to the same files.
    target, module = one.target.removeprefix("backend."), one.module.removeprefix("backend.")
    if any(_is(target, f"{name}.tools") for name in NAMES):
        tool = (module if one.name and module.count(".") > 1 else target).partition(".")[2]
        yield Finding(path, one.line, "tools-import", tool, f"imports `{one.target}`: only the adapter may")
    if one.name in ("ToolOpener", "open_toolbox"):
        yield Finding(path, one.line, "tools-import", one.name, "takes the tools from the adapter")
    if one.name == "*" and any(_is(module, name) for name in NAMES):
        yield Finding(path, one.line, "star-import", one.module, f"takes everything from `{one.module}`")
    if one.module.split(".")[0] in DYNAMIC_OUTSIDE:
        yield Finding(path, one.line, "dynamic-code", one.module.split(".")[0], f"imports `{one.module}`")


def _inside(path: str, inner: str, one: Imported, house: House) -> Iterator[Finding]:
    def found(rule: str, message: str) -> Finding:
        return Finding(path, one.line, rule, one.target, message)

    if one.beyond:
        yield found("relative-beyond", "reaches above the package")
        return
    if one.name == "*":
        yield found("star-import", f"takes everything from `{one.module}`")
    if _is(one.target, "tools") and not inner.startswith("tools/") and inner != ADAPTER:
        yield found("tools-import", f"imports `{one.target}`: only the adapter may")
    elif any(_is(one.target, module) and not _granted(inner, one.name, who) for module, who in RESERVED.items()):
        yield found("reserved-import", f"imports `{one.target}`, which is reserved for others")
    elif one.target in house.packages:
        yield found("package-as-value", f"binds the package `{one.target}`: import a module or a name")
    elif (
        not house.module(one.target) and house.module(one.module) and one.name not in house.public[one.module] | DUNDERS
    ):
        yield found("unlisted-name", f"takes `{one.name}` from `{one.module}`, which does not publish it")
    elif not house.module(one.target) and not house.module(one.module):
        yield found("unlisted-name", f"imports `{one.module}`, which is no module of the house")


def _absolute(path: str, inner: str, one: Imported) -> Iterator[Finding]:
    floor, top = inner.split("/")[0], one.module.split(".")[0]

    def found(rule: str, subject: str, message: str) -> Finding:
        return Finding(path, one.line, rule, subject, message)

    if top in (*NAMES, "backend"):
        yield found("absolute-import", one.module, f"imports `{one.module}`: inside the package imports are relative")
        return
    if one.name == "*":
        yield found("star-import", one.module, f"takes everything from `{one.module}`")
    if floor in CORE and one.module not in ALLOWED_IMPORTS[floor]:
        yield found("core-import", one.module, f"imports `{one.module}`, which is not on the list of {floor}")
    if one.module in ROOMS_OF and floor == "research" and not at_home(inner, ROOMS_OF[one.module]):
        yield found("core-import", one.module, f"imports `{one.module}`, which belongs to other rooms")
    if floor in CORE and one.module == "asyncio" and one.name and one.name not in ASYNCIO_IN_CORE:
        yield found("core-import", f"asyncio.{one.name}", f"takes `{one.name}` from asyncio")
    if floor in CORE and one.module == "pathlib" and one.name not in PURE_PATHS:
        yield found("core-import", one.target, "takes more from pathlib than pure paths")
    if floor in UNCACHED and one.module == "functools" and one.name not in FUNCTOOLS_UNCACHED:
        yield found("core-import", one.target, "takes more from functools than what keeps nothing")
    machine = next((name for name in MACHINE if _is(one.target, name)), "")
    if machine and not (one.name and one.name in ALLOWED_NAMES.get(machine, ())):
        yield found("machine", machine, f"imports `{one.target}`")
    if machine == "" and one.module in ALLOWED_NAMES and one.name not in ALLOWED_NAMES[one.module]:
        yield found("dynamic-code", one.target, f"takes `{one.name or one.module}`: only some names are allowed")
    if top in DYNAMIC:
        yield found("dynamic-code", top, f"imports `{one.module}`, which finds, loads or inspects code")
    if top.startswith("_") and top != "__future__":
        yield found("machine", top, f"imports `{top}`, a module behind the standard library")
    if top not in sys.stdlib_module_names and one.module not in PACKAGES:
        yield found("unlisted-package", one.module, f"imports `{one.module}`, which is not on the list of packages")
    elif (
        floor not in CORE
        and one.module not in MODULES_OUTSIDE_CORE | PACKAGES
        and not (machine or top in DYNAMIC or top.startswith("_"))
    ):
        yield found("unlisted-package", one.module, f"imports `{one.module}`, which is not on the list of modules")
    if one.name in WAYS_OUT | loop_ways():
        yield found("way-out", one.name, f"takes `{one.name}` from `{one.module}`")
    if one.name in TRICKS:
        yield found("dynamic-code", one.name, f"takes `{one.name}` from `{one.module}`")


def _taken(path: str, tree: ast.Module, bound: dict[str, str], house: House) -> Iterator[Finding]:
    """`module.name` must be a published name, as in a from-import."""
    for node in walked(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in bound:
            module = bound[node.value.id]
            if node.attr not in house.public[module]:
                message = f"takes `{node.attr}` from `{module}`, which does not publish it"
                yield Finding(path, node.lineno, "unlisted-name", f"{module}.{node.attr}", message)


def _granted(inner: str, name: str, who: Mapping[str, frozenset[str]]) -> bool:
    return any(name in names and at_home(inner, (home,)) for home, names in who.items())


def _is(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(f"{prefix}.")
