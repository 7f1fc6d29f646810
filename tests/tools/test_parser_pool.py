"""Documents on an event loop, in confined processes: several at once, each cut or refused without harm to others."""

from __future__ import annotations

import asyncio
import os

import pytest
from tests.tools.sandbox_bench import NOT_HUNG_S, alive, children, open_fds, running, until

from app.kernel.errors import ToolFailure, ToolResponseInvalid, ToolTimeout, WorkerKilled
from app.parsing.document import ParsedDocument, Refusal, parse_document
from app.tools.sandbox.host.parsers import DocumentTooLarge, ParserRaised, open_document_pool
from app.tools.sandbox.spec import ParserSpec

ODD = "tests.fixtures.odd_parsers:misbehaving"


def on_a_loop(scenario, **changes):
    """Run a scenario with a pool of its own; nothing may be left of it."""

    async def whole():
        pool = open_document_pool(ParserSpec(**{"parser": ODD, "cpu_limit_s": 2, **changes}))
        try:
            return await scenario(pool)
        finally:
            pids = pool.pids
            await pool.aclose()
            assert not any(alive(pid) for pid in pids)
            with pytest.raises(ToolFailure, match="closed"):
                await pool.parse(b"good", "a.txt")

    before, fds = children(), open_fds()
    found = asyncio.run(whole())
    assert children() == before
    assert open_fds() == fds
    return found


async def text_of(pool, data):
    answer = await asyncio.wait_for(pool.parse(data, "a.txt"), 4 * NOT_HUNG_S)
    assert isinstance(answer, ParsedDocument)
    return answer.text


def test_documents_are_read_as_the_parser_reads_them():
    pages = [(b"# Rye\n\nKeeps.", "a.md"), (b"<h1>Rye</h1><p>Keeps.", "a.html"), (b"a\0b\0", "a.txt"), (b"x", "a.exe")]

    async def scenario(pool):
        return [await pool.parse(*page) for page in pages]

    assert on_a_loop(scenario) == [parse_document(*page) for page in pages]


def test_a_document_as_large_as_allowed_goes_both_ways_and_a_larger_one_nowhere():
    async def scenario(pool):
        data = b"\x01" * 10 + b'"' * 999_990  # each becomes two bytes on the line
        assert await pool.parse(data, "a.txt") == parse_document(data, "a.txt")
        pid = pool.pids
        with pytest.raises(DocumentTooLarge):
            await pool.parse(data + b"x", "a.txt")
        assert pool.pids == pid

    on_a_loop(scenario, largest_document=1_000_000)


@pytest.mark.ruling("R2", "R16")
@pytest.mark.parametrize(
    ("deed", "failure"),
    [
        ("spin", ToolTimeout),
        ("eat", WorkerKilled),
        ("crash", WorkerKilled),
        ("exit", ToolFailure),
        ("raise", ParserRaised),
        ("lie", ToolResponseInvalid),
    ],
)
def test_a_bad_document_gets_its_own_failure_and_the_next_is_read(deed, failure):
    async def scenario(pool):
        for _ in range(2):  # by a fresh process, and by one that has read something
            with pytest.raises(failure) as caught:
                await pool.parse(deed.encode(), "a.txt")
            assert type(caught.value) is failure
            assert "secret" not in str(caught.value)
            assert await text_of(pool, b"good") == "good"

    on_a_loop(scenario, max_processes=1, cpu_limit_s=1)


def test_a_parser_that_raised_stays_and_one_that_lied_goes():
    async def scenario(pool):
        first = await text_of(pool, b"pid")
        with pytest.raises(ParserRaised, match="RuntimeError"):
            await pool.parse(b"raise", "a.txt")
        assert await text_of(pool, b"pid") == first
        with pytest.raises(ToolResponseInvalid):
            await pool.parse(b"lie", "a.txt")
        assert await text_of(pool, b"pid") != first

    on_a_loop(scenario, max_processes=1)


def test_a_process_is_replaced_after_its_share():
    async def scenario(pool):
        pids = [await text_of(pool, b"pid") for _ in range(5)]
        assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]

    on_a_loop(scenario, max_processes=1, documents_per_process=2)


def test_a_process_that_somebody_else_killed_convicts_no_document():
    async def scenario(pool):
        assert await text_of(pool, b"good") == "good"
        os.kill(pool.pids[0], 9)
        assert await text_of(pool, b"good") == "good"
        waiting = asyncio.create_task(pool.parse(b"sleep", "a.txt", deadline_ms=10_000))
        await asyncio.sleep(0.2)
        os.kill(pool.pids[0], 9)  # it has read a document before, so the next process is asked
        with pytest.raises(ToolTimeout):
            await waiting

    on_a_loop(scenario, max_processes=1)


def test_the_deadline_and_a_cancellation_cut_what_waits():
    async def scenario(pool):
        await text_of(pool, b"good")
        with pytest.raises(ToolTimeout, match="deadline"):
            await pool.parse(b"sleep", "a.txt", deadline_ms=300)
        assert await text_of(pool, b"good") == "good"
        (pid,) = pool.pids
        waiting = asyncio.create_task(pool.parse(b"sleep", "a.txt"))
        await asyncio.sleep(0.3)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await until(lambda: not running(pid))
        assert await text_of(pool, b"good") == "good"

    on_a_loop(scenario, max_processes=1)


def test_more_documents_than_processes_wait_in_turn_and_a_bad_one_costs_the_others_nothing():
    async def scenario(pool):
        deeds = [b"good", b"crash", b"raise", b"good", b"exit", b"good", b"good"]
        found = await asyncio.gather(*(pool.parse(deed, "a.txt") for deed in deeds), return_exceptions=True)
        assert len(pool.pids) <= 2
        return [found[place].text for place, deed in enumerate(deeds) if deed == b"good"]

    assert on_a_loop(scenario, max_processes=2) == ["good"] * 4


def test_processes_can_be_started_before_they_are_needed():
    async def scenario(pool):
        pool.prepare(5)
        await until(lambda: len(pool.pids) == 2)
        before = pool.pids
        assert await text_of(pool, b"pid") in map(str, before)

    on_a_loop(scenario, max_processes=2)


def test_a_parser_that_does_not_exist_is_no_fault_of_the_document():
    async def scenario(pool):
        with pytest.raises(ToolFailure) as caught:
            await pool.parse(b"x", "a.txt")
        assert type(caught.value) is ToolFailure

    on_a_loop(scenario, parser="nowhere:nothing")


def test_what_is_preloaded_can_be_imported_later_and_nothing_else():
    async def scenario(pool):
        return await text_of(pool, b"import wave")

    assert on_a_loop(scenario, preload=("wave",)) == "wave"
    with pytest.raises(ParserRaised, match="ModuleNotFoundError"):
        on_a_loop(scenario)


def test_refusals_are_answers():
    async def scenario(pool):
        return await pool.parse(b"", "a.txt")

    assert on_a_loop(scenario) is Refusal.EMPTY
