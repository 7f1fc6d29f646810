"""The manifest: which checks there are, what each executes, and how much it must find."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scripts.inputs.declared import Declared

from .required import REQUIRED

__all__ = [
    "MANIFEST",
    "Check",
    "Command",
    "Function",
    "Manifest",
    "ManifestUnusable",
    "Tests",
    "frame_problems",
    "lock_digest",
    "read_manifest",
    "sealed_files",
    "table",
    "with_table",
]

MANIFEST = "certification/manifest.json"
DOCUMENT = "docs/certification.md"
CI = ".ci/run"
CI_GOAL = "certify-quick"
_CI_LINE = re.compile(rf"make( -j\d+| -O)*( [a-z][a-z-]*)* {CI_GOAL}( [a-z][a-z-]*)*")
Positive = Annotated[int, Field(gt=0)]
Words = Annotated[str, Field(min_length=8)]


class ManifestUnusable(Exception):
    """No manifest, or one that says nothing that could be executed."""


class Row(BaseModel):
    """What is not named here is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Tests(Row):
    """Tests by path; none of them may be skipped or expected to fail."""

    run: Literal["tests"]
    paths: Annotated[list[str], Field(min_length=1)]


class Command(Row):
    """One of the project's tools; numbers are read from what it prints."""

    run: Literal["command"]
    line: Annotated[list[str], Field(min_length=1)]
    counts: dict[str, str]


class Function(Row):
    """A function of the gate, by its name in `functions.py`."""

    run: Literal["function"]
    name: str


class Check(Row):
    """One required check."""

    id: Annotated[str, Field(pattern=r"^[a-z]+(-[a-z]+)*$")]
    title: Words
    claim: Words
    checklist: list[str] = []
    clauses: list[str] = []
    form: Literal["quick", "full"]
    steps: Annotated[list[Annotated[Tests | Command | Function, Field(discriminator="run")]], Field(min_length=1)]
    floors: Annotated[dict[str, Positive], Field(min_length=1)]
    ceilings: dict[str, Annotated[int, Field(ge=0)]] = {}
    needs: list[Literal["corpora", "specification"]] = []
    inputs: Declared = Declared()

    @property
    def paths(self) -> tuple[str, ...]:
        """Every test path of the check."""
        return tuple(path for step in self.steps if isinstance(step, Tests) for path in step.paths)


class Manifest(Row):
    """All checks, in the order in which they are told."""

    contract_version: str
    checks: Annotated[list[Check], Field(min_length=1)]

    def check(self, name: str) -> Check | None:
        """By id."""
        return next((check for check in self.checks if check.id == name), None)


def read_manifest(root: Path) -> Manifest:
    """Read it.

    Raises:
        ManifestUnusable: it is missing, no JSON, or breaks its types.
    """
    try:
        return Manifest.model_validate_json((root / MANIFEST).read_bytes())
    except OSError as exc:
        raise ManifestUnusable(f"{MANIFEST} cannot be read: {exc.strerror}") from exc
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        raise ManifestUnusable(f"{MANIFEST}, {_place(root, first['loc'])}: {first['msg']}") from exc


def _place(root: Path, where: tuple[int | str, ...]) -> str:
    """The id of the check instead of its number, so that the message names it."""
    words = [str(word) for word in where]
    if where[:1] == ("checks",) and len(where) > 1 and isinstance(where[1], int):
        rows: list[dict[str, Any]] = json.loads((root / MANIFEST).read_bytes())["checks"]
        words[1] = f"`{rows[where[1]].get('id', where[1])}`"
    return " ".join(words) or "the whole file"


def _lock(root: Path, version: str) -> dict[str, Any]:
    try:
        lock = json.loads((root / "contracts" / version / "LOCK").read_bytes())
        return dict(lock["full"])
    except (OSError, ValueError, KeyError, TypeError):
        return {"digest": "", "files": {}}


def lock_digest(root: Path, version: str) -> str:
    """The digest over everything that is sealed, as the lock states it; that it is true is the check `lock`."""
    return str(_lock(root, version)["digest"])


def sealed_files(root: Path, version: str) -> frozenset[str]:
    """Names of all sealed files."""
    return frozenset(_lock(root, version)["files"])


def frame_problems(root: Path, manifest: Manifest) -> tuple[str, ...]:
    """What is wrong with the frame that the checks hang in, each with the check it concerns."""
    ids = [check.id for check in manifest.checks]
    problems = [f"`{name}` stands {count} times" for name, count in Counter(ids).items() if count > 1]
    problems += [f"required check `{name}` has no row" for name in REQUIRED if name not in ids]
    problems += [f"`{name}` is not among the required checks" for name in ids if name not in REQUIRED]
    problems += _checklist(root, manifest)
    sealed = sealed_files(root, manifest.contract_version)
    for check in manifest.checks:
        problems += [f"`{check.id}`: `{path}` is not sealed" for path in check.paths if not _covered(path, sealed)]
    if not any(map(_CI_LINE.fullmatch, _read(root, CI).splitlines())):
        problems.append(f"`certificate`: {CI} does not run `make {CI_GOAL}`")
    document = _read(root, DOCUMENT)
    if not document or with_table(document, manifest) != document:
        problems.append(f"`documents`: the table of {DOCUMENT} is not that of the manifest; run `make certificate`")
    return tuple(problems)


def _covered(path: str, sealed: frozenset[str]) -> bool:
    file = path.split("::", 1)[0]
    return file in sealed or any(name.startswith(f"{file}/") for name in sealed)


def _checklist(root: Path, manifest: Manifest) -> list[str]:
    """§8 of the contract, and the clauses that the gate has to show ↔ checks, both ways."""
    text = _read(root, f"contracts/{manifest.contract_version}/CONTRACT.md")
    items = re.findall(r"^- \[ \] \*\*(.+?)\*\*", text, re.MULTILINE)
    shown = {item for check in manifest.checks for item in check.checklist}
    problems = [f"no check shows `{item}` of the contract's checklist" for item in items if item not in shown]
    problems += [f"the contract's checklist has no `{item}`" for item in sorted(shown - set(items))]
    data = json.loads(_read(root, f"contracts/{manifest.contract_version}/clauses.json") or '{"clauses": []}')
    gate = {clause["id"] for clause in data["clauses"] if clause["verified_by"] == "gate"}
    named = {clause for check in manifest.checks for clause in check.clauses}
    problems += [f"no check shows clause {clause}" for clause in sorted(gate - named)]
    problems += [f"clause {clause} is not one that the gate shows" for clause in sorted(named - gate)]
    return problems if items and gate else ["the contract's checklist was not found"]


def _read(root: Path, name: str) -> str:
    try:
        return (root / name).read_text(encoding="utf-8")
    except OSError:
        return ""


def table(manifest: Manifest) -> str:
    """One row per check, for the documents."""
    rows = ["| check | form | what it claims | at least | needs |", "|---|---|---|---|---|"]
    for check in manifest.checks:
        floors = ", ".join(f"{number:,} {_spoken(name)}" for name, number in sorted(check.floors.items()))
        needs = ", ".join(check.needs) or "-"
        rows.append(f"| `{check.id}` | {check.form} | {check.claim} | {floors} | {needs} |")
    return "\n".join(rows)


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def with_table(document: str, manifest: Manifest) -> str:
    """The document with the table as the manifest has it."""
    pattern = r"(<!-- checks -->\n).*?(<!-- /checks -->)"
    return re.sub(pattern, lambda m: f"{m[1]}{table(manifest)}\n{m[2]}", document, flags=re.DOTALL)
