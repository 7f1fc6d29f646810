"""The house as the guard sees it: which modules exist, what they publish, and how imports resolve."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .nodes import walked

__all__ = ["NAMES", "PACKAGE", "House", "Imported", "at_home", "imports_of", "read_house"]

PACKAGE = "backend/app/"
# By what the package can be imported: the folder, and the link that has the name of an installation.
NAMES = ("app", "portcullis")
_READ = (".py", ".toml")
# Tests look into rooms one by one and ship with nothing; the others are made by tools.
SKIPPED = {"__pycache__", "build", "dist", "node_modules", "tests"}


@dataclass(frozen=True)
class House:
    """Dotted module inside the package → the names in its `__all__`; folders with code, and those that are packages."""

    public: Mapping[str, frozenset[str]]
    packages: frozenset[str]
    files: Mapping[str, str]
    links: Mapping[str, str]
    """Path of a link → where it leads. Nobody walks through it, so what lies behind has been read by nobody."""

    def module(self, name: str) -> bool:
        return name in self.public


@dataclass(frozen=True)
class Imported:
    """One imported thing: from outside (`module` absolute) or from inside the package (`inside`)."""

    line: int
    module: str
    name: str
    inside: bool
    alias: str
    beyond: bool = False

    @property
    def target(self) -> str:
        return f"{self.module}.{self.name}".strip(".") if self.name else self.module


def at_home(inner: str, homes: Iterable[str]) -> bool:
    """True if a file of the package is one of `homes`, or stands in one that is a room: `wiring/`."""
    return any(inner.startswith(home) if home.endswith("/") else inner == home for home in homes)


def read_house(root: Path) -> House:
    """Every Python file under the root, except tests and what tools leave behind."""
    files, links = {}, {}
    for path in sorted(_walk(root)):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            links[name] = path.readlink().as_posix()
            continue
        files[name] = path.read_text(encoding="utf-8") if path.suffix in _READ else ""
    public, packages = {}, set()
    for name, source in files.items():
        if name.startswith(PACKAGE) and name.endswith(".py"):
            inner = PurePosixPath(name.removeprefix(PACKAGE))
            dotted = inner.parent if inner.name == "__init__.py" else inner.with_suffix("")
            module = ".".join(dotted.parts)
            public[module] = _public(ast.parse(source))
            if inner.name == "__init__.py":
                packages.add(module)
    return House(public, frozenset(packages), files, links)


def _walk(root: Path) -> Iterator[Path]:
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if name not in SKIPPED and not name.startswith(".")]
        yield from (Path(folder) / name for name in names)
        yield from (path for name in below if (path := Path(folder) / name).is_symlink())


def _public(tree: ast.Module) -> frozenset[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return frozenset(ast.literal_eval(node.value))
    return frozenset()


def imports_of(tree: ast.Module, path: str) -> Iterator[Imported]:
    """Every import statement, wherever in the file, with relative ones resolved."""
    folders = PurePosixPath(path.removeprefix(PACKAGE)).parent.parts if path.startswith(PACKAGE) else ()
    for node in walked(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.split(".")[0]
                yield Imported(node.lineno, alias.name, "", inside=False, alias=bound)
        elif isinstance(node, ast.ImportFrom):
            up = node.level - 1
            inside = node.level > 0 and path.startswith(PACKAGE)
            base = folders[: len(folders) - up] if inside else ()
            module = ".".join((*base, node.module or "")).strip(".")
            for alias in node.names:
                beyond = inside and up > len(folders)
                yield Imported(node.lineno, module, alias.name, inside, alias.asname or alias.name, beyond)
