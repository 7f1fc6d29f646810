"""Which files a file brings in: imports inside this checkout, and modules that it names in a string to start them."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from .tree import Tree, matching

__all__ = ["GROWS", "Graph", "References", "references_in"]

# Where the packages of the checkout lie.
_PACKAGES = {"app": "backend/app", "benchmarks": "benchmarks", "scripts": "scripts", "tests": "tests"}
# What grows without a contract version: a new entry here must not make the evidence of everything else stale.
GROWS = ("backend/app/capabilities", "backend/app/providers", "catalog")
REGISTRY = "backend/app/capabilities/registry.py"
# Core and tools: the adapter imports the openers of the tools only to hand them on, so who takes one brings them in.
_HANDED_ON = ("backend/app/research", "backend/app/tools")
# The modules of these folders start each other as processes, by names put together at run time.
_ONE_PROGRAM = ("backend/app/tools/sandbox",)
_NAMED = re.compile(rf"\b(?:{'|'.join(_PACKAGES)})(?:\.[A-Za-z_]\w*)+")


@dataclass(frozen=True)
class References:
    """What a file says: imports as (level, module, names; none where the module itself is meant), and strings."""

    imports: tuple[tuple[int, str, tuple[str, ...]], ...]
    strings: tuple[str, ...]
    names_its_package: bool
    """True if it puts a module's name together from `__package__`."""


@cache
def references_in(data: bytes) -> References:
    """Imports at any depth, except those for type checkers alone, and string constants that are no docstrings."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return References((), (), False)
    imports: list[tuple[int, str, tuple[str, ...]]] = []
    strings: list[str] = []
    package = False
    for node in _executed(tree):
        match node:
            case ast.Import():
                imports += [(0, alias.name, ()) for alias in node.names]
            case ast.ImportFrom():
                imports.append((node.level, node.module or "", tuple(alias.name for alias in node.names)))
            case ast.Constant(value=str(text)):
                strings.append(text)
            case ast.Name(id="__package__"):
                package = True
    return References(tuple(imports), tuple(strings), package)


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        below = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            below = list(node.orelse)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            below = []
        waiting += below


class Graph:
    """The imports of one tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._modules: dict[str, str] = {}
        self._edges: dict[str, frozenset[str]] = {}
        self._outside: dict[str, frozenset[str]] = {}
        for package, folder in _PACKAGES.items():
            for name in tree.names:
                if name.endswith(".py") and name.startswith(f"{folder}/"):
                    inner = name.removeprefix(f"{folder}/").removesuffix(".py").removesuffix("__init__").rstrip("/")
                    self._modules[".".join([package, *filter(None, inner.split("/"))])] = name
        self._dotted = {file: module for module, file in self._modules.items()}

    def file_of(self, module: str) -> str | None:
        """Of a module by its dotted name; a package that can be started is meant as its `__main__`."""
        return self._modules.get(f"{module}.__main__") or self._modules.get(module)

    def closure(self, starts: Iterable[str], without: Iterable[str] = ()) -> frozenset[str]:
        """The files that are executed when these are: themselves and all that they bring in."""
        cut = set(without)
        found: set[str] = set()
        waiting = list(starts)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.brought_in(name) - cut
        return frozenset(found)

    def brought_in(self, name: str) -> frozenset[str]:
        """The files that this one names."""
        if name not in self._edges:
            found = self._references(name) if name.endswith(".py") else frozenset()
            self._edges[name] = frozenset(one for one in found if not _left_out(name, one))
        return self._edges[name]

    def outside(self, name: str) -> frozenset[str]:
        """Top-level names of modules that are not of this checkout."""
        if name not in self._outside:
            said = references_in(self._tree.data(name)).imports if name.endswith(".py") else ()
            tops = {module.split(".")[0] for level, module, _ in said if level == 0}
            self._outside[name] = frozenset(tops - set(_PACKAGES))
        return self._outside[name]

    def _references(self, name: str) -> frozenset[str]:
        said = references_in(self._tree.data(name))
        package = self._package(name)
        found = self._imported(package, said.imports)
        for text in said.strings:
            found |= {one for one in self._named(text, package) if not _hand_over(name, one)}
            if said.names_its_package:
                found |= self._module(f"{package}.{text.partition(':')[0]}")
        for folder in _ONE_PROGRAM:
            if name.startswith(f"{folder}/"):
                found |= set(matching(self._dotted, (f"{folder}/*.py",)))
        return frozenset(found)

    def _package(self, name: str) -> str:
        dotted = self._dotted.get(name, "")
        return dotted if name.endswith("/__init__.py") else dotted.rpartition(".")[0]

    def _imported(self, package: str, imports: Iterable[tuple[int, str, tuple[str, ...]]]) -> set[str]:
        found: set[str] = set()
        for level, module, names in imports:
            above = package.split(".")[: len(package.split(".")) - level + 1] if level else []
            base = ".".join([*above, *filter(None, [module])])
            if not names:
                found |= self._module(base)
            for name in names:
                found |= self._module(f"{base}.{name}") or self._exported(base, name)
        return found

    def _module(self, dotted: str) -> set[str]:
        return {self._modules[dotted]} if dotted in self._modules else set()

    def _exported(self, module: str, name: str) -> set[str]:
        """Where a name comes from: the module, and the one that it was taken from to be handed on.

        The `__init__.py` of a package only hands on, so of such a file the one name counts and not the rest.
        """
        file = self._modules.get(module)
        if file is None:
            return set()
        package = self._package(file)
        said = references_in(self._tree.data(file)).imports
        origins = [(level, origin, (name,)) for level, origin, names in said if name in names]
        found = self._imported(package, origins)
        if not origins and file.endswith("/__init__.py"):
            # One that loads its names late has them from another that hands on.
            for later in self._imported(package, said):
                if later != file and (later.endswith("/__init__.py") or self._hands_on(later, name)):
                    found |= self._exported(self._dotted[later], name) - {later}
        return found if found and file.endswith("/__init__.py") else {file, *found}

    def _hands_on(self, file: str, name: str) -> bool:
        """Whether a module imports a name, so that others can have it from there."""
        return any(name in names for _, _, names in references_in(self._tree.data(file)).imports)

    def _named(self, text: str, package: str) -> set[str]:
        """Modules in a string: a name for `-m`, `module:function`, or code for `-c`."""
        found: set[str] = set()
        for match in _NAMED.finditer(text):
            words = match[0].split(".")
            dotted = [".".join(words[:size]) for size in range(len(words), 1, -1)]
            first = next((one for one in dotted if one in self._modules), None)
            if first is not None:
                found |= {self._modules[first], self.file_of(first) or self._modules[first]}
        if "import " in text:
            try:
                code = references_in(textwrap.dedent(text).encode())
            except UnicodeEncodeError:
                return found
            found |= self._imported(package, code.imports)
        return found


def _hand_over(name: str, started: str) -> bool:
    """True for the product's commands that give their process to a program of the checkout, such as `certify`."""
    return name.startswith("backend/") and not started.startswith("backend/")


def _left_out(name: str, brought_in: str) -> bool:
    """What grows counts where a test names it, and where it is part of an entry that counts."""
    core, tools = _HANDED_ON
    if name.startswith(f"{core}/") and brought_in.startswith(f"{tools}/"):
        return True
    if not matching([brought_in], GROWS) or name.startswith(("tests/", "benchmarks/")):
        return False
    return brought_in == REGISTRY or not matching([name], GROWS)
