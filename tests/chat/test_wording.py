"""Wording by a model: a bounded number at a time, once per session, and only as long as somebody waits."""

from __future__ import annotations

import asyncio

import pytest

from app import Principal, Settings, open_gate
from app.answering.answerer import Answerer
from app.chat.meters import ServerMeters
from app.chat.wording import AnswerWaiter, WordedSession, Wording
from app.system.contract_files import samples_dir
from app.system.ids import RandomIds
from app.system.stores.content.memory import MemoryStore
from app.system.stores.conversations.worded import WordedStore

ASKED = "How long should sourdough proof in the fridge?"
GOOD = "e1 | In the fridge, sourdough should proof for about 8 to 16 hours.\n"
WHO = Principal(tenant="acme", user="ada", tier="MAX", collections=("documents",))


@pytest.fixture(scope="module")
def grounded(tmp_path_factory):
    """A grounded result over the sample documents."""

    async def run():
        settings = Settings(data_dir=tmp_path_factory.mktemp("wording"))
        async with open_gate(samples_dir(), settings=settings) as gate:
            return await gate.call("research", {"question": ASKED, "constraints": {"source_filter": "documents"}}, WHO)

    return asyncio.run(run()).result


class HeldModel:
    """Answers when it is let go."""

    name = "tiny-1"

    def __init__(self):
        self.under_way = self.most = self.asked = self.ended = 0
        self.go = asyncio.Event()

    async def complete(self, messages):
        self.asked += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.ended += 1
            raise
        finally:
            self.under_way -= 1
        return GOOD


def wording_over(model, folder, running=2, waiting=1):
    meters = ServerMeters()
    store = WordedStore(folder / "conversations.sqlite")
    bounds = {"running": running, "waiting": waiting}
    return Wording(Answerer(model, RandomIds()), MemoryStore(), store, meters, **bounds), meters


def session(name, result):
    return WordedSession("acme", name, ASKED, result)


async def settled():
    for _ in range(50):
        await asyncio.sleep(0.005)


def test_requests_to_the_model_count_within_a_bound(grounded, tmp_path):
    async def run():
        model = HeldModel()
        wording, meters = wording_over(model, tmp_path)
        asked = [asyncio.create_task(wording.worded(AnswerWaiter(), session(f"s{at}", grounded))) for at in range(5)]
        await settled()
        assert (model.under_way, model.asked) == (2, 2)
        assert [task.done() for task in asked] == [False, False, False, True, True]
        model.go.set()
        results = [await task for task in asked]
        assert (model.most, model.asked) == (2, 3)
        assert [result.cost_metadata.model_id == "tiny-1" for result in results] == [True, True, True, False, False]
        counts = meters.state().counts["portcullis_model_answers_total"]
        assert counts[(("outcome", "sentences"), ("why", "busy"))] == 2
        wording.close()

    asyncio.run(run())


def test_who_waits_for_the_same_session_shares_one_request_and_the_last_to_leave_ends_it(grounded, tmp_path):
    async def run():
        model = HeldModel()
        wording, _ = wording_over(model, tmp_path)
        waiters = [AnswerWaiter(), AnswerWaiter()]
        asked = [asyncio.create_task(wording.worded(one, session("s1", grounded))) for one in waiters]
        await settled()
        assert model.asked == 1
        waiters[0].leave()
        await settled()
        assert asked[0].done()
        assert (asked[1].done(), model.ended) == (False, 0)
        waiters[1].leave()
        await settled()
        assert model.ended == 1
        assert [(await task).answer for task in asked] == [grounded.answer] * 2
        # Nothing is kept of what was ended: who asks again gets the model's words.
        model.go.set()
        assert (await wording.worded(AnswerWaiter(), session("s1", grounded))).cost_metadata.model_id == "tiny-1"
        gone = AnswerWaiter()
        gone.leave()
        assert await wording.worded(gone, session("s2", grounded)) == grounded
        wording.close()

    asyncio.run(run())


def test_what_was_shown_stays_also_where_the_model_was_not_available(grounded, tmp_path):
    async def run():
        model = HeldModel()
        model.go.set()
        wording, _ = wording_over(model, tmp_path)
        first = await wording.worded(AnswerWaiter(), session("s1", grounded))
        assert await wording.worded(AnswerWaiter(), session("s1", grounded)) == first
        assert wording.shown_again("acme", "s1", grounded) == first
        assert wording.shown_again("other", "s1", grounded) == grounded
        assert wording.shown_again("acme", "s2", grounded) == grounded
        assert model.asked == 1
        wording.close()

    asyncio.run(run())
