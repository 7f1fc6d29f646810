"""How a checkout is sabotaged: small edits, each of which fails when it would change nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripts.long_proofs import FOLDER as PROOFS
from scripts.seal import seal

from .evidence import CERTIFICATE, EVIDENCE, write_rendered
from .manifest import DOCUMENT, MANIFEST, read_manifest, with_table

__all__ = [
    "Edit",
    "append",
    "both",
    "delete",
    "document",
    "drop_row",
    "everywhere",
    "evidence",
    "insert_before",
    "proof",
    "replace",
    "row",
    "sealed",
    "twice",
]

Edit = Callable[[Path], None]


def both(*edits: Edit) -> Edit:
    """One after the other."""

    def act(root: Path) -> None:
        for edit in edits:
            edit(root)

    return act


def replace(name: str, old: str, new: str) -> Edit:
    """Every occurrence."""

    def act(root: Path) -> None:
        text = (root / name).read_text(encoding="utf-8")
        if old not in text:
            raise LookupError(f"{name} has no `{old}`")
        (root / name).write_text(text.replace(old, new), encoding="utf-8")

    return act


def everywhere(pattern: str, old: str, new: str) -> Edit:
    """Every occurrence in every file that has one."""

    def act(root: Path) -> None:
        found = [path for path in sorted(root.glob(pattern)) if old in path.read_text(encoding="utf-8")]
        if not found:
            raise LookupError(f"no file of {pattern} has `{old}`")
        for path in found:
            path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    return act


def insert_before(name: str, line: str, new: str) -> Edit:
    """A line before a line, with the same indentation."""

    def act(root: Path) -> None:
        lines = (root / name).read_text(encoding="utf-8").splitlines()
        places = [number for number, text in enumerate(lines) if text.strip().startswith(line)]
        if not places:
            raise LookupError(f"{name} has no line `{line}`")
        found = lines[places[0]]
        lines.insert(places[0], found[: len(found) - len(found.lstrip())] + new)
        (root / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    return act


def append(name: str, text: str) -> Edit:
    """At the end."""

    def act(root: Path) -> None:
        with (root / name).open("a", encoding="utf-8") as file:
            file.write(text)

    return act


def delete(pattern: str) -> Edit:
    """Files or folders."""

    def act(root: Path) -> None:
        found = sorted(root.glob(pattern))
        if not found:
            raise LookupError(f"nothing is called {pattern}")
        for path in found:
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    return act


def _json(root: Path, name: str, change: Callable[[Any], None]) -> None:
    data = json.loads((root / name).read_bytes())
    before = json.dumps(data)
    change(data)
    if json.dumps(data) == before:
        raise LookupError(f"{name} is as it was")
    (root / name).write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def drop_row(check: str) -> Edit:
    """A check that the manifest does not know any more; the document's table follows."""

    def change(data: Any) -> None:
        data["checks"] = [entry for entry in data["checks"] if entry["id"] != check]

    def act(root: Path) -> None:
        _json(root, MANIFEST, change)
        document(root)

    return act


def row(check: str, **fields: object) -> Edit:
    """A row of the manifest with other values."""

    def change(data: Any) -> None:
        for entry in data["checks"]:
            if entry["id"] == check:
                entry.update(fields)

    return lambda root: _json(root, MANIFEST, change)


def twice(check: str) -> Edit:
    """The same row again."""

    def change(data: Any) -> None:
        data["checks"] += [entry for entry in data["checks"] if entry["id"] == check]

    return lambda root: _json(root, MANIFEST, change)


def sealed(root: Path) -> None:
    """Sealed again, and no new certificate."""
    seal(root, "a change without a certificate")


def document(root: Path) -> None:
    """The table of the document as the manifest has it now."""
    path = root / DOCUMENT
    path.write_text(with_table(path.read_text(encoding="utf-8"), read_manifest(root)), encoding="utf-8")


def proof(name: str, **fields: object) -> Edit:
    """The result of a long proof with other values, still called a pass."""
    return lambda root: _json(root, f"{PROOFS}/{name}.json", lambda data: data["result"].update(fields))


def evidence(check: str, part: str | None = None, **fields: object) -> Edit:
    """Evidence with other values, and a certificate that follows where it can."""

    def change(data: Any) -> None:
        (data[part] if part else data).update(fields)

    def act(root: Path) -> None:
        _json(root, f"{EVIDENCE}/{check}.json", change)
        before = (root / CERTIFICATE).read_text(encoding="utf-8")
        try:
            write_rendered(root, read_manifest(root))
        except ValueError:
            (root / CERTIFICATE).write_text(before, encoding="utf-8")

    return act
