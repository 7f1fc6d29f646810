"""What the archive does with every pair of stores: real sessions, killed, recovered, carried on, erased and pruned.

class TestMyArchive(ArchiveSuite):
    def open_stores(self, folder):
        return MyJournal(folder), MyStore(folder)

    def last_put(self, store, tenant, digest, at_ms):
        store.set_time(tenant, digest, at_ms)
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from app.archive.erasing import Eraser
from app.archive.lookup import SessionLookup
from app.archive.pruning import Pruner
from app.archive.recovery import recover
from app.kernel.errors import RequestInvalid
from app.kernel.journal_records import Recovered
from app.kernel.ports import ContentStore, Journal, Ledger
from app.kernel.request import read_request
from app.research.record.opening import read_chain, session_of
from app.system.clock import SystemClock
from tests.fixtures.scripted import TOOLS, Bench
from tests.stores.moments import HOUR_MS, later_ms, now_ms

__all__ = ["ArchiveSuite"]

CASE = {
    "plan": [
        {"calls": [{"id": "a", "items": [{"body": "The first page, which says one thing at some length."}]}]},
        {"calls": [{"id": "b", "items": [{"body": "The second page, which says something else entirely."}]}]},
    ]
}
LINES = 6  # Opened, twice a decision and a call, Closed


class Killed(BaseException):
    """The process is gone."""


class Mortal:
    """A port as a process uses it that is killed over a line of its journal: nothing that it does afterwards counts.

    Only `abandon` goes through: a dead process holds nothing.
    """

    def __init__(self, port: Any, life: dict[str, int]) -> None:
        self._port, self._life = port, life

    def __getattr__(self, name: str) -> Any:
        if name == "append":
            self._life["lines"] -= 1
        if self._life["lines"] < 0 and name != "abandon":
            raise Killed
        return getattr(self._port, name)


class NothingBeside:
    """No cached responses and no documents are kept for anybody."""

    def __init__(self) -> None:
        self.forgotten: list[str] = []

    def knows(self, tenant: str) -> bool:
        return False

    def forget_responses(self, tenant: str) -> None:
        self.forgotten.append(f"responses of {tenant}")

    def forget(self, tenant: str) -> None:
        self.forgotten.append(tenant)

    def written(self, tenant: str) -> frozenset[str]:
        return frozenset()

    def forget_written(self, tenant: str, session_id: str) -> str | None:
        return None


class FixedClock:
    """Always the same moment."""

    def __init__(self, at_ms: int) -> None:
        self._at_ms = at_ms

    def now_ms(self) -> int:
        return self._at_ms


class ArchiveSuite(ABC):
    """Subclass it and say how the two stores are opened and how an object is aged."""

    @abstractmethod
    def open_stores(self, folder: Path) -> tuple[Journal, ContentStore]:
        """An empty journal and an empty content store; `folder` is the test's own."""

    @abstractmethod
    def last_put(self, store: Any, tenant: str, digest: str, at_ms: int) -> None:
        """Make it so that an object was last put at this time of day."""

    @pytest.fixture
    def bench(self, tmp_path: Path) -> Iterator[Bench]:
        """The real rooms on these stores; the session's own clock stands still."""
        journal, store = self.open_stores(tmp_path)
        bench = Bench(CASE, journal=journal, store=store)
        yield bench
        bench.loop.close()

    @pytest.mark.ruling("R12")
    @pytest.mark.parametrize("lines", range(LINES + 1))
    async def test_a_killed_session_is_closed_by_the_next_start_and_holds_nothing(self, lines, bench):
        session = await _killed(bench, lines)
        closed = await recover(bench.journal, bench.ledger, SystemClock())
        standing = await bench.ledger.standing(bench.principal.subject, session)
        assert (standing.open_reservations, standing.held_units) == (0, 0)
        assert list(bench.journal.open_sessions()) == []
        if not lines:
            assert (closed, bench.journal.find(session)) == (0, None)  # it was never opened
            return
        chain = SessionLookup(bench.journal).session(session)[1]
        assert chain.broken_at is None
        assert closed == isinstance(chain.lines[-1].record, Recovered) == (lines < LINES)
        assert await recover(bench.journal, bench.ledger, SystemClock()) == 0
        assert (await asyncio.to_thread(_replayed, bench, session)).result == "identical"

    async def test_a_session_whose_writer_lives_is_left_alone_by_a_start(self, bench):
        await bench.journal.begin("acme", "alive")
        assert await recover(bench.journal, bench.ledger, SystemClock()) == 0
        bench.journal.append("alive", b"1")
        await bench.journal.flush("alive")
        bench.journal.abandon("alive")

    @pytest.mark.ruling("R19")
    @pytest.mark.parametrize("lines", range(LINES + 1))
    async def test_a_killed_session_with_a_key_goes_on_behind_its_record(self, lines, bench):
        session = await _killed(bench, lines, key="k")
        before = len(bench.tool.started)
        await recover(bench.journal, bench.ledger, SystemClock())
        outcome = await _ran(bench, key="k")
        assert (outcome.session_id, outcome.verdict.stop) == (session, "SUCCESS_COMPLETED")
        assert [source.call_id for source in outcome.bundle.sources] == ["a", "b"]
        recorded = {"a": lines > 2, "b": lines > 4}  # what is on record is not called again
        assert bench.tool.started[before:] == [call for call, known in recorded.items() if not known]
        assert await _ran(bench, key="k") == outcome
        assert (await asyncio.to_thread(_replayed, bench, session)).result == "identical"

    @pytest.mark.ruling("R20")
    async def test_an_erased_session_keeps_its_chain_and_loses_its_objects_but_the_shared_ones(self, bench):
        outcome, other = await _ran(bench), await _ran(bench, question="and what else?")
        beside = NothingBeside()
        eraser = Eraser(bench.journal, bench.store, SystemClock(), beside)
        before = bench.store.count("acme")
        report = eraser.session(outcome.session_id)
        # The principal and the answers of both calls are the same in both sessions; the requests are not.
        assert (report.sessions, report.objects, report.shared) == (1, 1, 3)
        assert bench.store.count("acme") == before - 1
        assert (await asyncio.to_thread(_replayed, bench, outcome.session_id)).result == "erased"
        assert (await asyncio.to_thread(_replayed, bench, other.session_id)).result == "identical"
        report = eraser.tenant("acme")
        assert (report.sessions, report.objects, bench.store.count("acme")) == (2, before - 1, 0)
        assert beside.forgotten == ["acme"]
        for session in (outcome.session_id, other.session_id):
            chain = read_chain(bench.journal.read(bench.journal.find(session))[1])
            assert (chain.broken_at, [line.step for line in chain.lines].count("Erased")) == (None, 1)

    async def test_an_open_session_is_not_erased(self, bench):
        session = await _killed(bench, 3, key="k")
        with pytest.raises(RequestInvalid, match="is open"):
            Eraser(bench.journal, bench.store, SystemClock(), NothingBeside()).session(session)

    async def test_pruning_takes_old_sessions_and_the_objects_that_nobody_names_any_more(self, bench):
        old = await _ran(bench, question="what was asked long ago?")
        dead = await _killed(bench, 3, key="k")
        then = later_ms()
        young = await _ran(bench)
        self._age(bench.store)
        names = set(bench.store.digests("acme"))
        pruner = Pruner(bench.journal, bench.store, FixedClock(then), NothingBeside())
        # One that nobody came back for is given up: it ends now, so it goes with a later prune.
        report = await pruner.prune(lambda: _opened(bench.ledger), 0, lambda seen: None)
        assert (report.sessions, report.given_up, report.objects) == (1, 1, 1)
        assert [bench.journal.find(one) is None for one in (old.session_id, dead, young.session_id)] == [
            True, False, False,
        ]  # fmt: skip
        left = set(bench.store.digests("acme"))
        assert left < names
        assert (await asyncio.to_thread(_replayed, bench, young.session_id)).result == "identical"
        pruner = Pruner(bench.journal, bench.store, FixedClock(later_ms()), NothingBeside())
        report = await pruner.prune(lambda: _opened(bench.ledger), 0, lambda seen: None)
        assert (report.sessions, report.given_up, report.objects) == (2, 0, len(left))
        assert (bench.journal.count(), list(bench.store.digests("acme"))) == (0, [])

    async def test_pruning_leaves_the_objects_of_the_last_hour_and_a_session_that_runs(self, bench):
        await _ran(bench)
        await bench.journal.begin("acme", "alive")
        pruner = Pruner(bench.journal, bench.store, FixedClock(later_ms()), NothingBeside())
        report = await pruner.prune(lambda: _opened(bench.ledger), 0, lambda seen: None)
        assert (report.sessions, report.given_up, report.objects) == (1, 0, 0)
        assert bench.store.count("acme") == 4
        assert [found.session_id for found in bench.journal.open_sessions()] == ["alive"]
        bench.journal.abandon("alive")

    def _age(self, store: ContentStore) -> None:
        for digest in list(store.digests("acme")):
            self.last_put(store, "acme", digest, now_ms() - 5 * HOUR_MS)


async def _ran(bench: Bench, key: str | None = None, question: str = "what is asked?") -> Any:
    request = read_request(question=question, capability="scripted")
    return await bench.router.run(request, bench.principal, session_key=key)


async def _killed(bench: Bench, lines: int, key: str | None = None) -> str:
    """A session whose process is gone after so many lines; its id."""
    life, journal, router = {"lines": lines}, bench.journal, bench.router
    toolbox = {entry.name: bench.tool for entry in TOOLS.tools}
    bench.journal = Mortal(journal, life)
    bench.router = bench.router_with(toolbox, Mortal(bench.ledger, life))
    with pytest.raises(Killed) if lines < LINES else nullcontext():
        await _ran(bench, key)
    bench.journal, bench.router = journal, router
    return session_of(bench.principal, key) if key else "00000000-0000-4000-8000-000000000001"


def _replayed(bench: Bench, session_id: str) -> Any:
    found = bench.journal.find(session_id)
    assert found is not None
    read = bench.journal.read(found)
    assert read is not None
    return bench.replay(session_id, read[1])


@contextmanager
def _opened(ledger: Ledger) -> Iterator[Ledger]:
    yield ledger
