"""Documents made ready: the index of a folder, brought up to date before a session may ask it."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ..kernel.document_index import Collection, FlaggedFile, IndexReport
from ..kernel.errors import RequestInvalid
from ..kernel.models import Identifier
from ..parsing.document import DocumentParser
from ..research.adapter import ToolOpener
from ..research.injection import InjectionScreen, RuleSet
from ..system.contract_files import read_rules
from ..system.data_folder import open_data_folder
from ..system.settings import Settings
from ..system.stores.documents.index import FolderIndex, ReadingProgress, open_index
from .places import COLLECTIONS_FOLDER, rules_digest
from .sandbox import require_sandbox

__all__ = ["documents_ready", "prepare_documents"]

_IDENTIFIER = TypeAdapter[str](Identifier)


def prepare_documents(
    folder: Path | str,
    settings: Settings,
    tenant: str = "local",
    *,
    parse: DocumentParser | None = None,
    name: str = "documents",
    own: bool = False,
    exclude: Sequence[str] = (),
    include: Sequence[str] = (),
    screened: bool = False,
    progress: ReadingProgress | None = None,
) -> tuple[Collection, IndexReport]:
    """Bring the index of a folder up to date; its files are read in a process of their own.

    With `own`, the collection can be read by its tenant alone. `exclude` leaves files out from now on, `include` takes
    such a pattern back. With `screened`, the report lists the files in which the screen finds a directive.
    `progress` is told how many files of how many were looked at, from the thread that reads.

    Raises:
        RequestInvalid: there is no such folder, tenant or collection is not an identifier, or a pattern is wrong.
        StoreUnusable: the index cannot be kept under the data folder, or no process can be started.
        ContractViolation: the machine cannot confine that process as far as the settings require.
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise RequestInvalid("the folder of documents is not a path")
    if not str(folder):
        raise RequestInvalid("the folder of documents has no name")
    folder = Path(folder)
    # One index per tenant and real place, so that two spellings of a path share it and two tenants do not.
    digest = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    named = _identifier(name, "collection")
    state_dir = settings.data_dir / COLLECTIONS_FOLDER / _identifier(tenant, "tenant") / digest
    open_data_folder(settings.data_dir)
    require_sandbox(settings)
    with ToolOpener.document_reader(_required(settings)) as reader:
        index = open_index(folder, state_dir, parse=parse or reader)
        try:
            index.change_exclusions(exclude, include)
            report = index.refresh(progress)
            if screened:
                report = IndexReport.model_validate({**dict(report), "flagged": _flagged(index)})
        finally:
            index.close()
    place = Collection(
        name=named, folder=str(folder.resolve()), state_dir=str(state_dir), tenant=tenant if own else None
    )
    return place, report


async def documents_ready(
    folder: Path | str,
    settings: Settings,
    tenant: str = "local",
    *,
    name: str = "documents",
    own: bool = False,
    progress: ReadingProgress | None = None,
) -> tuple[Collection, IndexReport]:
    """`prepare_documents` beside the event loop; a cancellation ends the reading, whatever file is being read.

    Raises:
        RequestInvalid, ContractViolation: as `prepare_documents` does.
    """
    reader = ToolOpener.document_reader(_required(settings))

    def prepared() -> tuple[Collection, IndexReport]:
        with reader:  # the thread that reads also waits until the process is gone
            return prepare_documents(folder, settings, tenant, parse=reader, name=name, own=own, progress=progress)

    try:
        return await asyncio.to_thread(prepared)
    finally:
        reader.close()


def _flagged(index: FolderIndex) -> tuple[FlaggedFile, ...]:
    """Screened by the same rules and in the same parts as what a session's tool hands over."""
    rules = read_rules()
    screen = InjectionScreen(RuleSet.parse(rules))
    return index.flagged(lambda raw: screen("index", raw).findings, rules_digest(rules))


def _required(settings: Settings) -> str | None:
    return None if settings.sandbox == "any" else settings.sandbox


def _identifier(name: str, what: str) -> str:
    """A tenant's name becomes a folder's name and a collection's part of a locator: neither may lead elsewhere."""
    try:
        return _IDENTIFIER.validate_python(name, strict=True)
    except ValidationError as exc:
        raise RequestInvalid(f"the {what} is not an identifier") from exc
