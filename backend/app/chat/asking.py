"""The course of one question: a reply from research or, without it, from a fixed text; the same for every dialect."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from starlette.concurrency import run_in_threadpool

from ..capabilities.answers.research_input import Depth, limits_of
from ..capabilities.answers.research_models import ResearchConstraints
from ..kernel.canonical import digest_of
from ..kernel.errors import RequestInvalid, StoreBusy, StoreUnusable
from ..kernel.request import QUESTION_CHARS_MAX
from ..kernel.stops import Action
from .access import Caller
from .door import ChatDoor
from .recorded import kept_view, without_content
from .refusals import RequestRefused
from .reply import ChatMode, Reply, ReplySource, sources_of
from .request_audit import note_request
from .running import KeyReused, Overloaded, ResearchOrder, RunView, UnknownResearch
from .wording import AnswerWaiter, WordedSession

__all__ = ["BEAT_S", "NO_MODEL", "TOO_LONG", "Conversation", "PlacedQuestion", "constraints_for"]

NO_MODEL: Final = (
    "No language model for general answers is connected to this server. "
    "Ask in research mode to get an answer from sources."
)
TOO_LONG: Final = (
    f"No research was started, because the question is longer than {QUESTION_CHARS_MAX} characters. "
    "Ask a shorter question; what you know already fits into the context."
)
_LOG: Final = logging.getLogger("portcullis.chat")
_RETRY_AFTER_S: Final = 2
BEAT_S: Final = 5.0
"""A stream is never silent for longer."""


def constraints_for(depth: Depth, source_filter: str | None) -> ResearchConstraints | None:
    """A depth with a filter: given constraints rule instead of the depth, so they repeat its limits."""
    return None if source_filter is None else ResearchConstraints(**limits_of(depth), source_filter=source_filter)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where a question belongs; `name` is known within the tenant and user of a key alone."""

    name: str | None = None
    key: str | None = None
    """The idempotency key of the request, where it has one."""
    told_clarify: bool = False
    """What the messages of a request say: the last answer asked to clarify. A stored conversation is believed first."""
    auxiliary: bool = False
    """The question is a prompt that a user interface sends of its own accord: it is not researched, and its turn is
    not kept."""
    asked_in: str = "message"
    """The field of the body that holds the question."""


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question that was accepted; `request_id` is that of the research, or of the request itself."""

    door: ChatDoor
    caller: Caller
    mode: ChatMode
    question: str
    conversation: Conversation
    request_id: str
    created_ms: int
    research: bool
    waiter: AnswerWaiter = field(default_factory=AnswerWaiter)

    @classmethod
    def begin(
        cls, door: ChatDoor, caller: Caller, mode: ChatMode, order: ResearchOrder, conversation: Conversation
    ) -> PlacedQuestion:
        """Start research where it is wanted and possible.

        Raises:
            RequestRefused: an argument is wrong, or there is no place for it now.
        """
        wanted = mode == "research" and len(order.question) <= QUESTION_CHARS_MAX and not conversation.auxiliary
        now_ms = door.clock.now_ms()
        request_id, session_key = _named(door, caller, mode, order, conversation, now_ms)
        if wanted:
            clarified = _clarified(door, caller, conversation)
            placed = ResearchOrder(
                order.question,
                order.context,
                order.depth,
                order.constraints,
                clarified=clarified,
                session_key=session_key,
                conversation=conversation.name,
            )
            request_id = _started(door, caller, placed, request_id, conversation)
        return cls(door, caller, mode, order.question, conversation, request_id, now_ms, wanted)

    async def reply(self) -> Reply:
        """The reply, once there is one; the conversation then remembers it.

        Raises:
            RequestRefused: the idempotency key of the request belongs to another one, or to one that still runs.
        """
        view = await self._ended() if self.research else None
        if view is not None and self.conversation.key is not None:  # the same request again, perhaps long afterwards
            view = await run_in_threadpool(_still_kept, self.door, view)
        reply = self._baseline() if view is None else await self._grounded(view)
        if self._is_read():
            self._remember(reply)
        return reply

    def _is_read(self) -> bool:
        """False where nobody was there any more to read the reply: it is no turn of the conversation."""
        try:
            return not self.research or self.door.running.look(self.request_id, self.caller.principal).wanted
        except UnknownResearch:  # so much has ended since that this process does not keep it
            return True

    def left(self) -> None:
        """The client has gone: what it alone asked for is cancelled."""
        self.waiter.leave()
        who, key = self.caller.principal, self.conversation.key
        if self.research and self.door.running.leave(self.request_id, who) and key is not None:
            try:
                self.door.requests.abandon(who.tenant, who.user, key, self.request_id)
            except StoreUnusable as exc:
                _LOG.error("%s", exc)

    async def begun(self) -> None:
        """Wait until it is sure that there will be a reply: a key may belong to another request. Raises as `reply`."""
        if self.research and self.conversation.key is not None:
            with self._conflicts_told():
                await self.door.running.begun(self.request_id, self.caller.principal)

    async def progress(self) -> AsyncIterator[int | None]:
        """The round of each step while there is no verdict, and None whenever nothing has happened for a while; names
        and limits stay inside."""
        if self.research:
            async for event in self.door.running.watch(self.request_id, self.caller.principal, BEAT_S):
                if event is None:
                    yield None
                elif event.kind != "result":
                    yield event.iteration

    def note(self, route: str, asked: bytes, error: str = "") -> None:
        """Write the line of the audit log."""
        note_request(self.door, self.caller, route, self.request_id, self.created_ms, asked, error)

    async def _ended(self) -> RunView:
        with self._conflicts_told():
            return await self.door.running.ended(self.request_id, self.caller.principal)

    @contextmanager
    def _conflicts_told(self) -> Iterator[None]:
        """After the arguments were read, only an idempotency key can be wrong."""
        try:
            yield
        except RequestInvalid as exc:
            if self.conversation.key is None:
                raise RequestRefused(400, "invalid_request_error", str(exc)) from exc
            raise _key_reused() from exc
        except (StoreBusy, UnknownResearch) as exc:
            message = "a request with this idempotency key is still running"
            raise RequestRefused(409, "request_in_progress", message, retry_after_s=_RETRY_AFTER_S) from exc

    async def _grounded(self, view: RunView) -> Reply:
        result, action = view.result, view.action or Action.BASELINE
        if result is None:
            return self._said(action, self.door.texts.of(action), view.session_id)
        sources = sources_of(result) if action is Action.GROUNDED else ()
        if sources and self.door.wording is not None:
            # After the verdict: the model sees what left the gate grounded, and nothing of it leaves unchecked (R33).
            tenant = self.caller.principal.tenant
            session = WordedSession(tenant, view.session_id, self.question, result)
            result = await self.door.wording.worded(self.waiter, session)
        return self._said(action, result.answer, view.session_id, sources)

    def _baseline(self) -> Reply:
        too_long = self.mode == "research" and not self.conversation.auxiliary
        return self._said(Action.BASELINE, TOO_LONG if too_long else NO_MODEL, "")

    def _said(self, action: Action, text: str, session_id: str, sources: tuple[ReplySource, ...] = ()) -> Reply:
        return Reply(
            request_id=self.request_id,
            mode=self.mode,
            action=action,
            text=text,
            sources=sources,
            created_s=self.created_ms // 1000,
            session_id=session_id,
            asked_chars=len(self.question),
        )

    def _remember(self, reply: Reply) -> None:
        place = self.conversation
        if place.name is None or place.auxiliary:
            return
        who = self.caller.principal
        try:
            self.door.conversations.add(
                who.tenant,
                who.user,
                place.name,
                request=place.key or self.request_id,
                action=reply.action,
                session_id=reply.session_id or None,
                at_ms=self.door.clock.now_ms(),
            )
        except StoreUnusable as exc:  # the user gets the reply; the conversation lacks this turn, and the log says so
            _LOG.error("%s", exc)


def _still_kept(door: ChatDoor, view: RunView) -> RunView:
    try:
        return kept_view(door, view)
    except UnknownResearch:
        return without_content(view)


def _clarified(door: ChatDoor, caller: Caller, place: Conversation) -> bool:
    """R6: the last assistant turn had the action ASK_CLARIFY, and this question follows it."""
    who = caller.principal
    if place.name is not None:
        last = door.conversations.last_action(who.tenant, who.user, place.name, before=place.key)
        if last is not None:
            return last is Action.ASK_CLARIFY
    return place.told_clarify


def _named(
    door: ChatDoor, caller: Caller, mode: ChatMode, order: ResearchOrder, place: Conversation, now_ms: int
) -> tuple[str, str | None]:
    """The id of the request and the key of its session: the same ones whenever the same request comes with its key."""
    key = place.key
    if key is None:
        return caller.request_id, None
    who, limits = caller.principal, order.constraints
    said = limits.model_dump(mode="json") if isinstance(limits, ResearchConstraints) else limits
    asked = digest_of(
        [mode, place.name, place.told_clarify, order.question, order.context, order.depth, said and dict(said)]
    )
    found = door.requests.keyed(who.tenant, who.user, key, asked, caller.request_id, now_ms)
    if found is None:
        raise _key_reused()
    return found.request, found.session_key


def _started(door: ChatDoor, caller: Caller, order: ResearchOrder, request_id: str, conversation: Conversation) -> str:
    who, key = caller.principal, conversation.key
    try:
        return door.running.start(who, order, request_id=request_id)
    except RequestInvalid as exc:
        if key is not None:
            door.requests.release(who.tenant, who.user, key)
        raise _wrong_argument(exc, conversation.asked_in) from exc
    except KeyReused as exc:
        raise _key_reused() from exc
    except Overloaded as exc:
        message = "the server has as much research under way as it takes on"
        raise RequestRefused(503, "overloaded", message, retry_after_s=exc.retry_after_s) from exc


def _wrong_argument(exc: RequestInvalid, asked_in: str) -> RequestRefused:
    """The refusal of a question names the field of the body; behind the door it has another name."""
    field, _, rule = str(exc).partition(": ")
    if field not in ("question", "argument `question` is wrong"):
        return RequestRefused(400, "invalid_request_error", str(exc))
    return RequestRefused(400, "invalid_request_error", f"`{asked_in}` is wrong: {rule}", param=asked_in)


def _key_reused() -> RequestRefused:
    message = "the idempotency key was used for another request"
    return RequestRefused(409, "idempotency_conflict", message, param="Idempotency-Key")
