"""Caps tables on disk: an operator's own table (R24), and every table that a session of this data folder ran under."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from ..kernel.canonical import canonical_bytes, digest_of
from ..kernel.caps import CapsTable, CapsUnusable, PolicyCaps
from ..kernel.errors import RequestInvalid, StoreUnusable
from ..kernel.faults import first_fault
from ..kernel.models import Digest
from .private_files import private_file, private_folder

__all__ = ["keep_caps", "kept_caps", "raises_defaults", "read_caps"]

_FREE: Final = "FREE"


def read_caps(path: Path, default: CapsTable | CapsUnusable) -> CapsTable:
    """An operator's caps table; it is complete and validated like the contract's own.

    Raises:
        RequestInvalid: says what is wrong, and where: not readable, incomplete, out of range, of another contract,
            or research is granted to the tier FREE.
    """
    try:
        table = CapsTable.model_validate_json(path.read_bytes())
    except OSError as exc:
        raise RequestInvalid(f"caps table `{path}` cannot be read: {exc.strerror}") from exc
    except ValidationError as exc:
        where, said = first_fault(exc)
        raise RequestInvalid(f"caps table `{path}` cannot be used: {where or 'the table'}: {said}") from exc
    granted = [entry.tier for entry in table.entries if entry.granted and _is_free(entry.tier)]
    if granted:
        raise RequestInvalid(f"caps table `{path}` grants research to {granted[0]}, which the contract rules out")
    if isinstance(default, CapsTable):
        if table.contract_version != default.contract_version:
            raise RequestInvalid(f"caps table `{path}` is of another contract than {default.contract_version}")
        missing = [name for name in default.tiers if name not in table.tiers]
        missing += [name for name in default.environments if name not in table.environments]
        if missing:
            raise RequestInvalid(f"caps table `{path}` is incomplete: there is no `{missing[0]}`")
    return table


def raises_defaults(table: CapsTable, default: CapsTable | CapsUnusable) -> bool:
    """Whether a table allows more anywhere than the contract's own does."""
    if isinstance(default, CapsUnusable):
        return True
    for entry in table.entries:
        known = default.entry(entry.tier, entry.environment)
        if entry.caps is not None and (known is None or known.caps is None or _more(entry.caps, known.caps)):
            return True
    return False


def keep_caps(folder: Path, caps: CapsTable | CapsUnusable) -> None:
    """Keep a table by its digest, so that sessions which ran under it can be replayed under it.

    Raises:
        StoreUnusable: it cannot be written.
    """
    path = _place(folder, digest_of(caps))
    if isinstance(caps, CapsUnusable) or path.is_file():
        return
    try:
        private_folder(folder)
        beside = path.with_suffix(".new")
        private_file(beside)
        beside.write_bytes(canonical_bytes(caps))
        beside.replace(path)
    except OSError as exc:
        raise StoreUnusable(f"data folder `{folder}` cannot be written: {exc.strerror}") from exc


def kept_caps(folder: Path, digest: Digest) -> CapsTable | None:
    """The table under a digest; None where it was not kept, or is not what it was."""
    try:
        table = CapsTable.model_validate_json(_place(folder, digest).read_bytes())
    except (OSError, ValidationError):
        return None
    return table if digest_of(table) == digest else None


def _place(folder: Path, digest: Digest) -> Path:
    return folder / f"{digest}.json"


def _is_free(tier: str) -> bool:
    """However it is spelled: a tier that reads as FREE is FREE."""
    return "".join(filter(str.isalnum, tier)).upper() == _FREE


def _more(caps: PolicyCaps, default: PolicyCaps) -> bool:
    other = dict(default)
    return any(value > other[name] for name, value in caps)
