"""How workers come to be: forked by a nursery, kept for the next call, few of them, for every thread and loop."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

import pytest
from tests.tools.sandbox_bench import (
    FACTORY,
    NOT_HUNG_S,
    alive,
    ask,
    body,
    call,
    children,
    context,
    cut,
    parent_of,
    pool,
    running,
    until,
)

from app.kernel.errors import ToolFailure, WorkerKilled
from app.tools.sandbox.host.hosted_tool import ProcessTool, WorkerSpec
from app.tools.sandbox.host.parsers import open_document_pool
from app.tools.sandbox.spec import ParserSpec

ODD = "tests.fixtures.odd_parsers:misbehaving"


def _variables(pid):
    given = Path(f"/proc/{pid}/environ").read_bytes().decode().rstrip("\0")
    return tuple(sorted(one.partition("=")[0] for one in given.split("\0")))


async def test_a_start_is_not_thrown_away_with_the_call_that_asked_for_it():
    async with pool() as tool:
        await cut(tool, "sleep", after_s=0.01)
        await until(lambda: tool.worker_pids)
        assert int(await body(tool, "pid")) == tool.worker_pids[0]


async def test_the_start_of_a_parser_is_not_thrown_away_either():
    parsers = open_document_pool(ParserSpec(parser=ODD, max_processes=1))
    reading = asyncio.create_task(parsers.parse(b"good", "a.txt"))
    await asyncio.sleep(0.01)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await until(lambda: parsers.pids)
    (pid,) = parsers.pids
    assert (await parsers.parse(b"pid", "a.txt")).text == str(pid)
    await parsers.aclose()


async def test_calls_that_are_cut_while_workers_start_never_starve_the_next_ones():
    async with pool(max_workers=20, at_once=2) as tool:
        for _ in range(5):
            calls = [asyncio.create_task(tool.call(call("echo"), context())) for _ in range(20)]
            await asyncio.sleep(0.02)
            for one in calls:
                one.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
        assert await body(tool, "echo", "at last") == "at last"


async def test_blocked_calls_give_their_turns_on():
    async with pool(max_workers=4, at_once=1) as tool:
        blocked = [asyncio.create_task(tool.call(call(do), context())) for do in ("sleep", "spin", "sleep")]
        assert [await body(tool, "echo", str(n)) for n in range(20)] == [str(n) for n in range(20)]
        assert not any(one.done() for one in blocked)
        for one in blocked:
            one.cancel()
        await asyncio.gather(*blocked, return_exceptions=True)


async def test_short_calls_share_as_many_workers_as_may_run_at_once():
    async with pool(max_workers=20, at_once=2) as tool:
        await asyncio.gather(*(body(tool, "echo", str(n)) for n in range(200)))
        assert len(tool.worker_pids) <= 2


async def test_workers_beyond_those_are_ended_when_they_are_idle():
    async with pool(max_workers=6, at_once=2) as tool:
        napping = [asyncio.create_task(tool.call(call("nap", "3"), context())) for _ in range(6)]
        await until(lambda: len(tool.worker_pids) > 2)
        await asyncio.gather(*napping)
        await until(lambda: len(tool.worker_pids) <= 2)
        assert await body(tool, "echo", "still") == "still"


async def test_a_worker_holds_its_line_and_nothing_of_its_siblings():
    async with pool(max_workers=3) as tool:
        tool.prepare(3)
        await until(lambda: len(tool.worker_pids) == 3)
        for pid in tool.worker_pids:
            held = {int(fd): os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")}
            assert all(held.pop(fd) == os.devnull for fd in (0, 1, 2))
            assert [line.startswith("socket:") for line in held.values()] == [True]
            assert os.getsid(pid) == os.getpgid(pid) == pid
        assert {_variables(pid) for pid in tool.worker_pids} == {
            ("LANG", "MALLOC_ARENA_MAX", "PATH", "PYDANTIC_DISABLE_PLUGINS", "PYTHONHASHSEED")
        }


async def test_a_nursery_that_was_killed_is_replaced():
    async with pool() as tool:
        first = int(await body(tool, "pid"))
        nursery = parent_of(first)
        os.kill(nursery, signal.SIGKILL)
        await until(lambda: not running(first))
        second = int(await body(tool, "pid"))
        assert parent_of(second) not in (None, nursery)


async def test_a_nursery_that_is_killed_takes_its_calls_with_it():
    async with pool() as tool:
        await body(tool, "echo")
        blocked = asyncio.create_task(tool.call(call("sleep"), context()))
        await asyncio.sleep(0.2)
        os.kill(parent_of(tool.worker_pids[0]), signal.SIGKILL)
        with pytest.raises(WorkerKilled):
            await asyncio.wait_for(blocked, NOT_HUNG_S)
        assert await body(tool, "echo", "next") == "next"


async def test_closing_while_the_nursery_loads():
    for pause_s in (0, 0.01, 0.1):
        before = set(children())
        tool = ProcessTool(WorkerSpec(factory=FACTORY))
        tool.prepare(2)
        await asyncio.sleep(pause_s)
        await asyncio.wait_for(tool.aclose(), NOT_HUNG_S)
        assert set(children()) <= before


async def test_a_worker_that_cannot_be_started_ahead_is_told_to_the_operator(caplog):
    async with pool(config="raise") as tool:
        tool.prepare(2)
        await until(lambda: caplog.records)
        assert caplog.records[0].name == "portcullis"
        with pytest.raises(ToolFailure, match="could not be built: LookupError"):
            await ask(tool, "echo")


def test_workers_outlive_the_thread_that_asked_first():
    tool = ProcessTool(WorkerSpec(factory=FACTORY, max_workers=1))
    pids = []
    for _ in range(5):
        thread = Thread(target=lambda: pids.append(asyncio.run(body(tool, "pid"))))
        thread.start()
        thread.join(NOT_HUNG_S)
    assert len(pids) == 5
    assert len(set(pids)) == 1
    asyncio.run(tool.aclose())


def test_parsers_outlive_the_thread_that_asked_first():
    parsers = open_document_pool(ParserSpec(parser=ODD, max_processes=1))
    pids = []
    for _ in range(3):
        thread = Thread(target=lambda: pids.append(asyncio.run(parsers.parse(b"pid", "a.txt")).text))
        thread.start()
        thread.join(NOT_HUNG_S)
    assert len(pids) == 3
    assert len(set(pids)) == 1
    asyncio.run(parsers.aclose())


def test_many_loops_wait_for_one_worker():
    tool = ProcessTool(WorkerSpec(factory=FACTORY, max_workers=1))
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda n: asyncio.run(body(tool, "echo", str(n))), range(80)))
    assert answers == [str(n) for n in range(80)]
    asyncio.run(tool.aclose())


def test_closing_on_another_loop_tells_those_who_wait():
    tool = ProcessTool(WorkerSpec(factory=FACTORY, max_workers=1))
    with ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(asyncio.run, tool.call(call("sleep"), context())) for _ in range(2)]
        asyncio.run(until(lambda: tool.worker_pids))
        (pid,) = tool.worker_pids
        asyncio.run(asyncio.wait_for(tool.aclose(), NOT_HUNG_S))
        assert [type(one.exception(NOT_HUNG_S)) for one in calls] == [ToolFailure] * 2
    assert not alive(pid)


def test_a_fork_of_a_killed_host_keeps_no_worker_alive():
    code = f"""
        import asyncio, os, time
        from tests.tools.sandbox_bench import body, call, context, parent_of
        from app.tools.sandbox.host.hosted_tool import ProcessTool, WorkerSpec
        async def main():
            tool = ProcessTool(WorkerSpec(factory="{FACTORY}"))
            pid = int(await body(tool, "pid"))
            child = os.fork()
            if not child:
                time.sleep(3_600)  # it holds every line of its parent
            print(child, pid, parent_of(pid), flush=True)
            await tool.call(call("sleep"), context())
        asyncio.run(main())
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True) as host:
        child, *pids = map(int, host.stdout.readline().split())
        host.kill()
    asyncio.run(until(lambda: not any(running(pid) for pid in pids)))
    assert running(child)
    os.kill(child, signal.SIGKILL)


async def test_a_start_is_made_although_its_caller_is_gone_before_it_begins():
    async with pool() as tool:
        asked = asyncio.create_task(tool.call(call("echo"), context()))
        await asyncio.sleep(0)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        await until(lambda: tool.worker_pids)
        assert len(tool.worker_pids) == 1


async def test_what_no_process_can_be_started_with_is_told_to_whoever_waits():
    async with pool(environment=(("A", "b\0c"),)) as tool:
        for _ in range(2):
            with pytest.raises(ToolFailure, match="could not be started: ValueError"):
                await ask(tool, "echo")
