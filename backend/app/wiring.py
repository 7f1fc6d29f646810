"""Wiring: the one place where things are built and connected."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from opentelemetry import metrics, trace
from pydantic import TypeAdapter, ValidationError

from .capabilities.registry import CAPABILITIES
from .kernel.documents import Collection, IndexReport
from .kernel.errors import RequestInvalid, StoreUnusable
from .kernel.noun import Identifier
from .kernel.ports import Toolbox
from .kernel.tripwire import NO_TRIPWIRE, Tripwire
from .parsing.documents import DocumentParser
from .research.adapter import Adapter, open_reader, open_toolbox
from .research.injection import InjectionScreen, RuleSet
from .research.ledger import decide
from .research.policy import Policy
from .research.router import Router
from .research.telemetry import Telemetry
from .system.clock import SystemClock
from .system.contract_files import read_contract, read_rules
from .system.ids import RandomIds
from .system.lock_files import LockState, check_runtime_lock
from .system.settings import Settings, settings_from
from .system.stores.documents import open_index
from .system.stores.journal_memory import MemoryJournal
from .system.stores.ledger_sqlite import SqliteLedger
from .system.tripwire import install

__all__ = ["documents_ready", "open_gate", "prepare_documents"]

_SCOPE = "portcullis"
_IDENTIFIER = TypeAdapter[str](Identifier)
_NAMED = 3


def prepare_documents(
    folder: Path | str, settings: Settings, tenant: str = "local", *, parse: DocumentParser | None = None
) -> tuple[Collection, IndexReport]:
    """Bring the index of a folder up to date; its files are read in a process of their own.

    Raises:
        RequestInvalid: there is no such folder, or the tenant is none.
        StoreUnusable: the index cannot be kept under the data folder, or no process can be started.
    """
    if not str(folder):
        raise RequestInvalid("the folder of documents has no name")
    folder = Path(folder)
    # One index per tenant and real place, so that two spellings of a path share it and two tenants do not.
    place = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    state_dir = settings.data_dir / "collections" / _tenant(tenant) / place
    with open_reader() as reader:
        index = open_index(folder, state_dir, parse=parse or reader)
        try:
            report = index.refresh()
        finally:
            index.close()
    return Collection(name="documents", folder=str(folder.resolve()), state_dir=str(state_dir)), report


async def documents_ready(
    folder: Path | str, settings: Settings, tenant: str = "local"
) -> tuple[Collection, IndexReport]:
    """`prepare_documents` beside the event loop; a cancellation ends the reading, whatever file is being read.

    Raises:
        RequestInvalid, StoreUnusable: as `prepare_documents` does.
    """
    reader = open_reader()
    try:
        return await asyncio.to_thread(prepare_documents, folder, settings, tenant, parse=reader)
    finally:
        reader.close()


@asynccontextmanager
async def open_gate(
    documents: Path | str | Collection | None = None,
    *,
    settings: Settings | None = None,
    toolbox: Toolbox | None = None,
    tripwire: bool = False,
) -> AsyncIterator[Router]:
    """Open the gate on a folder of documents; leaving the block ends its workers and closes its stores.

    A host may pass a toolbox of its own making; it then closes it itself. With `tripwire`, an audit hook is added to
    the process, for good: it refuses sockets, processes, threads and written files to the rooms of a session, and
    leaves the host's own alone.

    Raises:
        RequestInvalid: there is no such folder.
        StoreUnusable: the data folder cannot be used.
        ContractViolation: the frozen files cannot be read.
    """
    settings = settings or settings_from()
    contract = read_contract()
    lock = check_runtime_lock()
    _warn(lock, settings.environment)
    screen = InjectionScreen(RuleSet.parse(read_rules()))
    _make(settings.data_dir)
    collection = documents if isinstance(documents, Collection) else None
    if documents is not None and not isinstance(documents, Collection):
        collection, _ = await documents_ready(documents, settings)
    clock = SystemClock()
    ledger = SqliteLedger(settings.data_dir / "ledger.sqlite3", clock, decide)
    journal = MemoryJournal()
    telemetry = Telemetry(trace.get_tracer(_SCOPE), metrics.get_meter(_SCOPE))
    hosted = open_toolbox(() if collection is None else (collection,))
    policy = Policy(
        environment=settings.environment,
        research_enabled=settings.research_enabled,
        sealed=lock.matches,
        caps=contract.caps,
        tools=contract.tools,
    )
    wire: Tripwire = install() if tripwire else NO_TRIPWIRE
    held = hosted if toolbox is None else toolbox
    adapter = Adapter(held, contract.tools, screen, ledger, clock, journal, telemetry, wire)
    try:
        yield Router(contract, policy, adapter, CAPABILITIES, clock, RandomIds(), journal, telemetry, wire)
    finally:
        await hosted.aclose()
        ledger.close()


def _tenant(tenant: str) -> str:
    """A tenant's name becomes a folder's name, so it must not lead anywhere else."""
    try:
        return _IDENTIFIER.validate_python(tenant, strict=True)
    except ValidationError as exc:
        raise RequestInvalid("the tenant is not an identifier") from exc


def _warn(lock: LockState, environment: str) -> None:
    """R15: tell the operator which frozen files differ; what follows from it is for policy to say."""
    if lock.matches:
        return
    named, more = ", ".join(lock.differing[:_NAMED]), len(lock.differing) - _NAMED
    others = f" and {more} more" if more > 0 else ""
    message = "frozen files do not match the lock, research is disabled outside `dev` (this is `%s`): %s%s"
    logging.getLogger(_SCOPE).warning(message, environment, named, others)


def _make(data_dir: Path) -> None:
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise StoreUnusable(f"data folder `{data_dir}` cannot be made: {exc.strerror}") from exc
