"""The source of a plan as one digest: the file that defines it, and what that file imports beside the sealed rooms."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ..kernel.canonical import digest_of, sha256_hex
from ..kernel.capability import AnyCapability
from ..kernel.models import Digest
from .lock_files import SEALED_ROOMS

__all__ = ["PlanSources"]

_IMPORT: Final = re.compile(r"^\s*from\s+(\.+)([\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_NAME: Final = re.compile(r"\b([A-Za-z_]\w*)\b")
_PACKAGE: Final = Path(__file__).resolve().parents[1]


class PlanSources:
    """Digests of plans, each read once for a gate."""

    def __init__(self) -> None:
        self._known: dict[str, Digest | None] = {}

    def __call__(self, capability: AnyCapability) -> Digest | None:
        """The digest of a capability's plan; None where its source is not there to be read."""
        if capability.name not in self._known:
            self._known[capability.name] = _digest_of(capability)
        return self._known[capability.name]


def _digest_of(capability: AnyCapability) -> Digest | None:
    code = getattr(capability.plan, "__code__", None)
    if code is None or not (first := Path(code.co_filename)).is_file():
        return None
    found: dict[Path, str] = {}
    waiting = [first.resolve()]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        text = path.read_bytes()
        found[path] = sha256_hex(text)
        waiting.extend(_imported(path, text.decode("utf-8", "replace")))
    # By name below the first file's folder or the package, so that every machine names them alike.
    return digest_of({_named(path): digest for path, digest in found.items()})


def _imported(path: Path, text: str) -> list[Path]:
    """Files that a module imports by a relative import; the sealed rooms have a digest of their own."""
    files = []
    for dots, module, names in _IMPORT.findall(text):
        base = path.parents[len(dots) - 1] if len(dots) <= len(path.parents) else path.parent
        place = base.joinpath(*module.split(".")) if module else base
        places = [place, *(place / name for name in _NAME.findall(names))]
        files += [one.with_suffix(".py") for one in places if one.with_suffix(".py").is_file()]
    return [one for one in files if not _sealed(one)]


def _sealed(path: Path) -> bool:
    return any(_PACKAGE / room in path.parents for room in SEALED_ROOMS)


def _named(path: Path) -> str:
    return path.relative_to(_PACKAGE).as_posix() if _PACKAGE in path.parents else path.name
