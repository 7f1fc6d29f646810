"""The catalogue on disk: the tools that may be called, under a lock and a version of their own (R22)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError, model_validator

from ..kernel.canonical import digest_of
from ..kernel.catalog import CATALOG_VERSION, ToolTable
from ..kernel.errors import ContractViolation
from ..kernel.faults import first_fault
from ..kernel.models import Digest, FrozenModel, Text
from .contract_files import shipped
from .lock_files import LOCK_NAME, differences, files_below, hashes_of

__all__ = [
    "PROVIDERS_FILE",
    "Catalog",
    "CatalogLock",
    "catalog_dir",
    "catalog_hashes",
    "own_digest",
    "read_catalog",
    "table_of",
]

TOOLS_FILE: Final = "tools.json"
# The table that grows most often holds its own digest: a new row changes no second file.
PROVIDERS_FILE: Final = "providers.json"


class CatalogLock(FrozenModel):
    """`catalog/LOCK`: what the files were when the catalogue was sealed."""

    catalog_version: Annotated[int, Field(ge=1, le=CATALOG_VERSION)]
    digest: Digest
    files: dict[Text, Digest]

    @model_validator(mode="after")
    def _own_digest(self) -> CatalogLock:
        if self.digest != digest_of(self.files):
            raise ValueError("the digest is not that of the files")
        return self


class Catalog(FrozenModel):
    """The catalogue as it was read, and whether it is the one that was sealed."""

    tools: ToolTable
    sealed: bool
    differing: tuple[str, ...]


def catalog_dir() -> Path:
    """The catalogue's folder, in a checkout, a wheel or a vendored folder."""
    return shipped("catalog")


def read_catalog(folder: Path | None = None) -> Catalog:
    """Read the catalogue and compare it with its lock.

    Raises:
        ContractViolation: a table cannot be read, lists a name twice, has a price of 0, or is of a newer version.
    """
    folder = folder or catalog_dir()
    differing = _differing(folder)
    return Catalog(tools=table_of(folder / TOOLS_FILE), sealed=not differing, differing=differing)


def catalog_hashes(folder: Path) -> dict[str, str]:
    """Name → sha256 of every file that the lock names: all but the lock and the table with a digest of its own."""
    return hashes_of(
        {name: path for name, path in files_below(folder).items() if name not in (LOCK_NAME, PROVIDERS_FILE)}
    )


def own_digest(path: Path) -> tuple[str, dict[str, Any]] | None:
    """The digest of a table over everything but its field `digest`, and the table as it stands; None where it cannot
    be made: whoever reads the rows says why."""
    try:
        table = json.loads(path.read_bytes())
        return digest_of({name: value for name, value in table.items() if name != "digest"}), table
    except (OSError, ValueError, RecursionError, AttributeError, ContractViolation):
        return None


def table_of(path: Path) -> ToolTable:
    """The tools of a table.

    Raises:
        ContractViolation: says what is wrong, and where.
    """
    try:
        return ToolTable.model_validate_json(path.read_bytes())
    except OSError as exc:
        raise ContractViolation(f"{path.name} of the catalogue cannot be read: {exc.strerror}") from exc
    except ValidationError as exc:
        where, said = first_fault(exc)
        raise ContractViolation(f"{path.name} of the catalogue cannot be used: {where or 'the table'}: {said}") from exc


def _differing(folder: Path) -> tuple[str, ...]:
    """What differs from the lock; the lock itself where it is missing, damaged or newer."""
    try:
        lock = CatalogLock.model_validate_json((folder / LOCK_NAME).read_bytes())
    except (OSError, ValidationError):
        return (f"catalog/{LOCK_NAME}",)
    found = set(differences(lock.files, catalog_hashes(folder)))
    own = own_digest(folder / PROVIDERS_FILE)
    if own is None or own[1].get("digest") != own[0]:
        found.add(PROVIDERS_FILE)
    return tuple(f"catalog/{name}" for name in sorted(found))
