"""The lock: hashes of the frozen files, written when they are sealed and compared at every start (R15)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import ValidationError, model_validator

from ..kernel.canonical import digest_of, sha256_hex
from ..kernel.models import Digest, FrozenModel, Text
from .contract_files import CONTRACT_VERSION, contract_dir

__all__ = [
    "LOCK_NAME",
    "SEALED_DATA",
    "SEALED_ROOMS",
    "Lock",
    "LockPart",
    "LockState",
    "check_runtime_lock",
    "differences",
    "files_below",
    "hashes_of",
    "lock_part",
    "read_lock",
    "runtime_files",
]

LOCK_NAME: Final = "LOCK"
_CONTRACT: Final = f"contracts/{CONTRACT_VERSION}"
# R23: the rooms that a verdict depends on, whole: the import closure of `research` without `tools`. A test compares.
SEALED_ROOMS: Final = ("evidence/grounding", "kernel", "parsing/text/words", "research", "screen")
# Of the contract's folder, what the gate reads or promises; prose about it and schemas of doors are not in it.
SEALED_DATA: Final = ("CONTRACT.md", "actions.json", "caps.json", "stop_reasons.json")
_PACKAGE: Final = Path(__file__).resolve().parents[1]


class LockPart(FrozenModel):
    """Names and hashes of some files, and one digest over them all."""

    digest: Digest
    files: dict[Text, Digest]

    @model_validator(mode="after")
    def _own_digest(self) -> LockPart:
        if self.digest != digest_of(self.files):
            raise ValueError("the digest is not that of the files")
        return self


class Lock(FrozenModel):
    """`LOCK`: `runtime` is checked at start, `full` by the gate of the project."""

    contract_version: str
    runtime: LockPart
    full: LockPart


class LockState(FrozenModel):
    """How the frozen files compare with the lock; `digest` is over the files as they are."""

    matches: bool
    differing: tuple[str, ...]
    digest: Digest


def check_runtime_lock(package: Path = _PACKAGE, contract: Path | None = None) -> LockState:
    """Compare core and contract data with `LOCK`; a lock that cannot be read is a lock that does not match."""
    contract = contract or contract_dir()
    found = hashes_of(runtime_files(package, contract))
    lock = read_lock(contract / LOCK_NAME)
    # Without a lock nothing is known about any file, so the lock itself is what differs.
    differing = differences(lock.runtime.files, found) if lock else (f"{_CONTRACT}/{LOCK_NAME}",)
    return LockState(matches=not differing, differing=differing, digest=digest_of(found))


def read_lock(path: Path) -> Lock | None:
    """The lock, or None when it is missing, damaged, or that of another contract."""
    try:
        lock = Lock.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    return lock if lock.contract_version == CONTRACT_VERSION else None


def runtime_files(package: Path, contract: Path) -> dict[str, Path]:
    """The frozen files by names that are the same in a checkout, a wheel and a vendored folder."""
    core = {f"app/{room}/{name}": path for room in SEALED_ROOMS for name, path in files_below(package / room).items()}
    return {**core, **{f"{_CONTRACT}/{name}": contract / name for name in SEALED_DATA}}


def files_below(folder: Path, prefix: str = "") -> dict[str, Path]:
    """Every file of a folder by its name inside; only what the interpreter caches is left out."""
    found: dict[str, Path] = {}
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return found  # its files are missing, then, and the lock names them
    for entry in entries:
        # Names that are not UTF-8 still need one that can be hashed and told.
        name = prefix + entry.name.encode("utf-8", "backslashreplace").decode("utf-8")
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                found.update(files_below(Path(entry.path), f"{name}/"))
        else:
            # A link to a folder is not walked, so it counts as a file of its own.
            found[name] = Path(entry.path)
    return found


def hashes_of(files: Mapping[str, Path]) -> dict[str, str]:
    """Name → sha256, sorted; what cannot be read has the empty hash, which no lock holds."""
    found = {}
    for name, path in sorted(files.items()):
        try:
            found[name] = sha256_hex(path.read_bytes())
        except OSError:
            found[name] = ""
    return found


def lock_part(hashes: Mapping[str, str]) -> LockPart:
    """A part of the lock over these hashes."""
    return LockPart(digest=digest_of(hashes), files=dict(sorted(hashes.items())))


def differences(locked: Mapping[str, str], found: Mapping[str, str]) -> tuple[str, ...]:
    """The names that were changed, added or removed, sorted."""
    return tuple(sorted(name for name in {*locked, *found} if locked.get(name) != found.get(name)))
