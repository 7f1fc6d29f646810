"""From what is declared to what is read: the resolved inputs of a check or proof, and why recorded ones are stale."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from .content import SHORT, Reading
from .imports import Graph
from .packages import REQUIREMENTS, pins_of
from .tree import Tree

__all__ = ["Checkout", "Declared", "Inputs", "stale_because"]

PYTEST = "pyproject.toml"
# Files that a module reads beside its imports, wherever it is executed.
READ_BY_MODULES: Mapping[str, tuple[str, ...]] = {
    "backend/app/screen/rulebook.py": ("backend/app/screen/rules",),
    "backend/app/system/contract_files.py": ("contracts/18.0.0/*.json",),
    "tests/architecture/corpus.py": ("tests/architecture/bypasses",),
    "tests/golden/cases.py": ("tests/golden/cases",),
    "tests/reference/session_model.py": ("contracts/18.0.0/CONTRACT.md",),
    "tests/simulation/matrix.py": ("tests/simulation/matrix.json",),
    "tests/simulation/oracle/judge.py": ("contracts/18.0.0/CONTRACT.md",),
}


class Declared(BaseModel):
    """What a check or proof names itself; names are paths or patterns from the root of the checkout."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    executes: tuple[str, ...] = ()
    """Modules by their dotted names, or patterns of files: they count with all that they import, by their code."""
    parses: tuple[str, ...] = ()
    """Python files that are read as syntax: by their code, without what they import."""
    reads: tuple[str, ...] = ()
    """Files that are read as they are: by their bytes."""
    rows: tuple[Annotated[str, Field(pattern=r"^[^ ]+\.json \[\w+\]$")], ...] = ()
    """Entries of a table by name, as `catalog/tools.json [doc_lookup]`: a new entry beside them changes nothing."""
    without: tuple[str, ...] = ()
    """Patterns of files that are named on the way and not executed here; what only they bring in does not count."""
    packages: tuple[str, ...] = ()
    """Installed packages that nothing imports, such as a linter."""


class Inputs(BaseModel):
    """Every input by name, with the digest of what counts of it, and one digest over them all."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    files: dict[str, str]

    @classmethod
    def of(cls, files: Mapping[str, str]) -> Inputs:
        """With the digest that belongs to them."""
        return cls(digest=_over(files), files=dict(sorted(files.items())))

    @property
    def consistent(self) -> bool:
        """True if the digest is that of the files."""
        return self.digest == _over(self.files)


def _over(files: Mapping[str, str]) -> str:
    lines = "".join(f"{name}\0{digest}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


class Checkout:
    """A tree with its imports; resolves declarations."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.graph = Graph(tree)

    def unknown(self, declared: Declared) -> tuple[str, ...]:
        """What a declaration names and the checkout does not have: an input that nobody would miss."""
        patterns = [*declared.parses, *declared.reads, *declared.without]
        lost = [name for name in declared.executes if not self._files(name)]
        lost += [row for row in declared.rows if not self._row(row)]
        return (*lost, *(one for one in patterns if not self.tree.matching([one.removeprefix("!")])))

    def _files(self, executed: str) -> set[str]:
        if "/" in executed:
            return set(self.tree.matching([executed]))
        file = self.graph.file_of(executed)
        return {file} if file else set()

    def inputs(self, declared: Declared, tests: Iterable[str] = ()) -> Inputs:
        """Everything that is executed or read; `tests` are paths for pytest."""
        starts = {file for name in declared.executes for file in self._files(name)}
        tested = self._tests(tests)
        executed = self.graph.closure(starts | tested, self.tree.matching(declared.without))
        read = {*self.tree.matching(declared.reads)}
        for module in executed:
            read |= set(self.tree.matching(READ_BY_MODULES.get(module, ())))
        parsed = {*executed, *self.tree.matching(declared.parses)} - read
        files = {name: self.tree.digest(name, Reading.BYTES) for name in read}
        files |= {name: self.tree.digest(name, Reading.CODE) for name in parsed}
        files |= {row: self._row(row) for row in declared.rows}
        files |= self._packages(executed, declared.packages)
        if tested:
            files[f"{PYTEST} [tool.pytest]"] = self._pytest_settings()
        return Inputs.of(files)

    def test_files(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The files in which pytest looks for tests below these paths."""
        wanted = [path.split("::", 1)[0] for path in paths]
        below = self.tree.matching(wanted)
        return tuple(name for name in below if PurePosixPath(name).match("test_*.py"))

    def _tests(self, paths: Iterable[str]) -> set[str]:
        """Test files, and every conftest.py on the way to them."""
        files = set(self.test_files(paths))
        folders = {folder.as_posix() for name in files for folder in PurePosixPath(name).parents}
        return files | {name for folder in folders if (name := f"{folder}/conftest.py") in self.tree}

    def _row(self, row: str) -> str:
        """The digest of one entry; empty where the table has no such entry."""
        file, _, name = row.removesuffix("]").partition(" [")
        try:
            table = json.loads(self.tree.data(file) or b"{}")
        except ValueError:
            return ""
        lists = [value for value in table.values() if isinstance(value, list)]
        found = [one for entries in lists for one in entries if isinstance(one, dict) and one.get("name") == name]
        return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:SHORT] if found else ""

    def _packages(self, executed: Iterable[str], named: Iterable[str]) -> dict[str, str]:
        modules = {*named, *(module for name in executed for module in self.graph.outside(name))}
        pins = pins_of(self.tree.data(REQUIREMENTS), modules)
        return {f"{REQUIREMENTS} [{package}]": version for package, version in pins.items()}

    def _pytest_settings(self) -> str:
        try:
            tool = tomllib.loads(self.tree.data(PYTEST).decode()).get("tool", {})
        except (UnicodeDecodeError, tomllib.TOMLDecodeError):
            return self.tree.digest(PYTEST, Reading.BYTES)
        settings = json.dumps(tool.get("pytest", {}), sort_keys=True)
        return hashlib.sha256(settings.encode()).hexdigest()[:SHORT]


def stale_because(recorded: Inputs, present: Inputs) -> tuple[str, ...]:
    """What differs, by name; empty where the evidence is of the present inputs."""
    if recorded.digest == present.digest:
        return ()
    if not recorded.files:
        return ("its inputs were not recorded",)
    old, new = recorded.files, present.files
    changed = [f"{name} changed" for name in sorted(old.keys() & new.keys()) if old[name] != new[name]]
    added = [f"{name} is a new input" for name in sorted(new.keys() - old.keys())]
    gone = [f"{name} is no longer an input" for name in sorted(old.keys() - new.keys())]
    return tuple(changed + added + gone) or ("its recorded inputs contradict their digest",)
