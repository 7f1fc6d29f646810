"""Builds the HTTP door over an open gate: its routes, its border, and the stores that it keeps."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from ..kernel.failure import Failure
from ..kernel.ports import ContentStore
from ..research.router import Router
from ..system.clock import SystemClock
from ..system.contract_files import read_contract
from ..system.data_folder import AUDIT_FILE, CONVERSATIONS_FILE, METERS_FOLDER, WORKERS_FOLDER
from ..system.ids import RandomIds
from ..system.settings import Settings
from ..system.stores.audit.chained_log import ChainedLog
from ..system.stores.conversations.browser_logins import LoginStore
from ..system.stores.conversations.live_workers import LiveWorker, worker_is_gone
from ..system.stores.conversations.requests import RequestStore
from ..system.stores.conversations.sqlite import ConversationStore
from ..system.stores.conversations.worded import WordedStore
from ..system.version import VERSION
from ..wiring.answering_setup import open_answerer
from ..wiring.archive_setup import open_archive
from ..wiring.key_guard import KeyGuard
from .access import ChatAccess
from .border import Border
from .capability_routes import capability_router
from .chat_routes import ChatMessage, chat_router
from .console.routes import Console
from .dialects.openai_requests import CompletionRequest, ResponseRequest
from .dialects.plain_chat import ChatReply
from .door import ChatDoor, Reach
from .meters import ServerMeters
from .metrics_routes import metrics_router
from .openai_routes import openai_router
from .openapi import DescribedApp
from .probes import probe_router
from .refusals import ErrorObject, RequestRefused, malformed_response, refused_response, unmatched_response
from .research_routes import research_router
from .running import QueueLimits, RunningSessions
from .shared_meters import SharedMeters
from .wording import Wording

__all__ = ["chat_app", "open_chat_door"]


@asynccontextmanager
async def open_chat_door(
    router: Router, settings: Settings, reach: Reach, meters: ServerMeters | None = None
) -> AsyncIterator[ChatDoor]:
    """The door over a gate; leaving the block ends what runs and closes its stores.

    Raises:
        StoreUnusable: the data folder cannot be used.
    """
    clock, ids, data = SystemClock(), RandomIds(), settings.data_dir
    limits = QueueLimits(running=settings.serve.max_running, waiting=settings.serve.max_waiting)
    workers = data / WORKERS_FOLDER
    alive = LiveWorker(workers, ids.session_id())
    requests = RequestStore(data / CONVERSATIONS_FILE, alive.name, partial(worker_is_gone, workers))
    running = RunningSessions(router, clock, ids, limits, requests)
    conversations = ConversationStore(data / CONVERSATIONS_FILE)
    logins = LoginStore(data / CONVERSATIONS_FILE)
    guard = KeyGuard(settings)
    own_meters = meters or ServerMeters()
    archive = open_archive(settings)
    wording = _wording(settings, archive.store, own_meters)
    door = ChatDoor(
        router=router,
        archive=archive,
        settings=settings,
        guard=guard,
        running=running,
        conversations=conversations,
        requests=requests,
        logins=logins,
        clock=clock,
        ids=ids,
        audit=ChainedLog(data / AUDIT_FILE),
        texts=read_contract().actions.texts,
        meters=own_meters,
        shared_meters=SharedMeters(data / METERS_FOLDER, own_meters),
        reach=reach,
        wording=wording,
    )
    try:
        yield door
    finally:
        await running.close(settings.serve.shutdown_grace_s)
        if wording is not None:
            wording.close()
        logins.close()
        requests.close()
        conversations.close()
        guard.close()
        alive.close()


def _wording(settings: Settings, store: ContentStore, meters: ServerMeters) -> Wording | None:
    answerer = open_answerer(settings)
    if answerer is None:
        return None
    limits, worded = settings.serve, WordedStore(settings.data_dir / CONVERSATIONS_FILE)
    return Wording(answerer, store, worded, meters, running=limits.max_running, waiting=limits.max_waiting)


def chat_app(door: ChatDoor) -> DescribedApp:
    """The routes behind the border."""
    console = Console(door)
    app = DescribedApp(title="Portcullis", version=VERSION, docs_url=None, redoc_url=None)
    for router in (
        chat_router(door),
        research_router(door),
        capability_router(door),
        openai_router(door),
        probe_router(door),
        metrics_router(door),
        *console.routers(),
    ):
        app.include_router(router)
    app.add_exception_handler(RequestRefused, refused_response)
    app.add_exception_handler(HTTPException, unmatched_response)
    app.add_exception_handler(RequestValidationError, malformed_response)
    capabilities = door.router.capabilities.values()
    inputs = [model for one in capabilities for model in (one.input, one.output)]
    app.models = (ChatMessage, ChatReply, CompletionRequest, ResponseRequest, ErrorObject, Failure, *inputs)
    app.add_middleware(ChatAccess, guard=door.guard, reach=door.reach, browsers=console.access)
    app.add_middleware(Border, clock=door.clock, ids=door.ids, meters=door.meters)
    return app
