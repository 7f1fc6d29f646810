"""Words grounded results through the operator's model: once per session, a bounded number at a time, and kept (R33)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.concurrency import run_in_threadpool

from ..answering.answerer import Answerer, WrittenAnswer, worded_from
from ..capabilities.answers.research_models import ResearchResult
from ..kernel.errors import StoreUnusable
from ..kernel.ports import ContentStore
from ..system.stores.conversations.worded import WordedStore, WordedTurn
from .meters import MODEL_COUNTERS, ServerMeters

__all__ = ["AnswerWaiter", "WordedSession", "Wording"]

_LOG: Final = logging.getLogger("portcullis.chat")
_ANSWERS, _LINES = MODEL_COUNTERS
_BUSY: Final = "busy"


class AnswerWaiter:
    """One connection that waits for an answer; a model is asked only as long as somebody waits."""

    def __init__(self) -> None:
        self._end: Callable[[], object] | None = None
        self._gone = False

    def leave(self) -> None:
        """The client has gone."""
        self._gone = True
        if self._end is not None:
            self._end()

    def has_left(self) -> bool:
        """True once the client has gone."""
        return self._gone

    async def waits_for(self, task: asyncio.Task[ResearchResult], otherwise: ResearchResult) -> ResearchResult:
        """What a task gives that others may wait for, too; `otherwise` as soon as the client has gone."""
        if self.has_left():
            return otherwise
        waiting = asyncio.shield(task)
        self._end = waiting.cancel
        try:
            return await waiting
        except asyncio.CancelledError:
            if self.has_left() and not _cancelling():
                return otherwise
            raise
        finally:
            self._end = None


@dataclass(frozen=True, slots=True)
class WordedSession:
    """The grounded session whose result is worded, and the question that it answers."""

    tenant: str
    session_id: str
    question: str
    result: ResearchResult


@dataclass(slots=True)
class _AnswerUnderWay:
    task: asyncio.Task[ResearchResult]
    waiting: int = 0


class Wording:
    """Asks the answerer, keeps what the model wrote under its hash, and says the same again from there."""

    def __init__(
        self,
        answerer: Answerer,
        store: ContentStore,
        worded: WordedStore,
        meters: ServerMeters,
        *,
        running: int,
        waiting: int,
    ) -> None:
        """At most `running` requests to the model are under way, and at most `waiting` wait for their turn."""
        self._answerer = answerer
        self._store = store
        self._worded = worded
        self._meters = meters
        self._places = asyncio.Semaphore(running)
        self._most = running + waiting
        self._under_way: dict[tuple[str, str], _AnswerUnderWay] = {}

    async def worded(self, waiter: AnswerWaiter, session: WordedSession) -> ResearchResult:
        """The result in the words of the model where they hold; when the last who waits has gone, it is ended."""
        key = (session.tenant, session.session_id)
        one = self._under_way.get(key)
        if one is None:
            room = len(self._under_way) < self._most
            one = self._under_way[key] = _AnswerUnderWay(asyncio.create_task(self._once(session, room)))
        one.waiting += 1
        try:
            return await waiter.waits_for(one.task, session.result)
        finally:
            one.waiting -= 1
            if one.waiting == 0 and self._under_way.pop(key, None) is not None:
                one.task.cancel()

    def shown_again(self, tenant: str, session_id: str, result: ResearchResult) -> ResearchResult:
        """The result as it was worded before, judged again; unchanged where it was not. Asks no model."""
        try:
            kept = self._worded.find(tenant, session_id)
            said = None if kept is None or not kept.written else self._store.get(tenant, kept.written)
        except StoreUnusable as exc:
            _LOG.error("%s", exc)
            return result
        if kept is None or said is None:
            return result
        return worded_from(said.decode(), kept.model, result).result

    def close(self) -> None:
        """Close what it keeps."""
        self._worded.close()

    async def _once(self, session: WordedSession, room: bool) -> ResearchResult:
        try:
            kept = await run_in_threadpool(self._worded.find, session.tenant, session.session_id)
        except StoreUnusable as exc:
            _LOG.error("%s", exc)
            kept = None
        if kept is not None:
            return self.shown_again(session.tenant, session.session_id, session.result)
        if not room:
            self._count(WrittenAnswer(result=session.result, by_model=False, code=_BUSY))
            return session.result
        async with self._places:
            answer = await self._answerer.write(session.question, session.result)
        self._count(answer)
        return await self._kept(session, answer)

    async def _kept(self, session: WordedSession, answer: WrittenAnswer) -> ResearchResult:
        """What is kept for the session: this answer, or that of another process that was faster."""
        turn = WordedTurn(written=answer.written, model=self._answerer.client.name)
        try:
            if answer.written:
                self._store.put(session.tenant, answer.said.encode())
                await self._store.flush(session.tenant, (answer.written,))
            first = await run_in_threadpool(self._worded.add, session.tenant, session.session_id, turn)
        except StoreUnusable as exc:  # the user gets the answer; the log says that it is not kept
            _LOG.error("%s", exc)
            return answer.result
        if first == turn:
            return answer.result
        return self.shown_again(session.tenant, session.session_id, session.result)

    def _count(self, answer: WrittenAnswer) -> None:
        outcome = "worded" if answer.by_model else "sentences"
        self._meters.add(_ANSWERS, {"outcome": outcome, "why": answer.code}, 1)
        if answer.kept_lines:
            self._meters.add(_LINES, {"outcome": "kept", "why": ""}, answer.kept_lines)
        for why, count in answer.dropped:
            self._meters.add(_LINES, {"outcome": "dropped", "why": why}, count)


def _cancelling() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
