"""The pool: a blocked neighbour delays nobody, cut calls leave nothing behind, cancellation is safe in every state."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time

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
    open_fds,
    parent_of,
    pool,
    running,
    until,
)

from app.kernel.errors import ToolFailure, WorkerKilled
from app.tools.sandbox.host.hosted_tool import ProcessTool, WorkerSpec


def run(scenario, **changes):
    """Run a scenario with a pool of its own."""

    async def whole():
        async with pool(**changes) as tool:
            return await scenario(tool)

    return asyncio.run(whole())


def test_a_blocked_call_does_not_delay_the_others():
    async def scenario(tool):
        blocked = [asyncio.create_task(tool.call(call(do), context())) for do in ("sleep", "spin")]
        await asyncio.sleep(0)
        answers = [await body(tool, "echo", str(n)) for n in range(50)]
        assert answers == [str(n) for n in range(50)]
        assert not any(task.done() for task in blocked)
        for task in blocked:
            task.cancel()
        await asyncio.gather(*blocked, return_exceptions=True)

    run(scenario, max_workers=3)


def test_many_calls_share_few_workers():
    async def scenario(tool):
        answers = await asyncio.gather(*(body(tool, "echo", str(n)) for n in range(300)))
        assert answers == [str(n) for n in range(300)]
        assert len(tool.worker_pids) == 3

    run(scenario, max_workers=3)


def test_who_came_first_is_served_first():
    order = []

    async def scenario(tool):
        async def one(n):
            await body(tool, "echo")
            order.append(n)

        await asyncio.gather(*(one(n) for n in range(40)))

    run(scenario, max_workers=1)
    assert order == list(range(40))


def test_cancelled_while_waiting_for_a_worker():
    async def scenario(tool):
        blocker = asyncio.create_task(tool.call(call("sleep"), context()))
        await asyncio.sleep(0.2)
        waiting = [asyncio.create_task(tool.call(call("echo", str(n)), context())) for n in range(5)]
        await asyncio.sleep(0.05)
        for n in (0, 2, 4):
            waiting[n].cancel()
        blocker.cancel()
        ended = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), NOT_HUNG_S)
        assert [isinstance(end, asyncio.CancelledError) for end in ended] == [True, False, True, False, True]
        assert [ended[n].items[0].body for n in (1, 3)] == ["1", "3"]
        with pytest.raises(asyncio.CancelledError):
            await blocker

    run(scenario, max_workers=1)


def test_cancelled_in_the_moment_of_its_turn():
    async def scenario(tool):
        first = asyncio.create_task(tool.call(call("nap", "0.1"), context()))
        await asyncio.sleep(0)
        second = asyncio.create_task(tool.call(call("nap", "30"), context()))  # it cannot end before it is cancelled
        third = asyncio.create_task(tool.call(call("echo", "third"), context()))
        first.add_done_callback(lambda _: second.cancel())
        assert (await first).items[0].body == "rested"
        with pytest.raises(asyncio.CancelledError):
            await second
        assert (await asyncio.wait_for(third, NOT_HUNG_S)).items[0].body == "third"

    run(scenario, max_workers=1)


@pytest.mark.parametrize("after_s", [0, 0.001, 0.01, 0.03, 0.06, 0.1])
def test_cancelled_while_starting(after_s):
    async def scenario(tool):
        await cut(tool, "sleep", after_s=after_s)
        assert await body(tool, "echo", "next") == "next"

    run(scenario)


def test_cancelled_while_its_tool_is_built():
    async def scenario(tool):
        await cut(tool, "echo", after_s=0.5)

    run(scenario, config="sleep")


def test_cancelled_while_a_large_answer_arrives():
    async def scenario(tool):
        await body(tool, "echo")
        for pause_s in (0.001, 0.01, 0.02, 0.04):
            task = asyncio.create_task(tool.call(call("huge"), context(max_output_bytes=100_000_000)))
            await asyncio.sleep(pause_s)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert await body(tool, "echo", "next") == "next"

    run(scenario)


def test_two_hundred_cut_calls_leave_nothing_behind():
    async def scenario(tool):
        await body(tool, "echo")
        fds, before = open_fds(), set(children())
        (nursery,) = {parent_of(pid) for pid in tool.worker_pids}
        for _ in range(20):
            tasks = [asyncio.create_task(tool.call(call("sleep"), context())) for _ in range(10)]
            await asyncio.sleep(0.02)
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            assert all(isinstance(end, asyncio.CancelledError) for end in ended)
        await body(tool, "echo")
        # What was started for a call that was cut waits for the next one: two lines each, and nothing else is left.
        await until(lambda: children(nursery) == list(tool.worker_pids))
        await until(lambda: open_fds() <= fds + 2 * (len(tool.worker_pids) - 1))
        assert set(children()) <= before

    run(scenario, max_workers=10)


def test_an_idle_worker_that_died_is_replaced_silently():
    async def scenario(tool):
        for number in (signal.SIGKILL, signal.SIGSEGV):
            pid = int(await body(tool, "pid"))
            os.kill(pid, number)
            await until(lambda pid=pid: not running(pid))
            assert int(await body(tool, "pid")) != pid

    run(scenario)


def test_a_busy_worker_killed_by_someone_else():
    async def scenario(tool):
        await body(tool, "echo")
        task = asyncio.create_task(tool.call(call("sleep"), context()))
        await asyncio.sleep(0.3)
        os.kill(tool.worker_pids[0], signal.SIGKILL)
        with pytest.raises(WorkerKilled):
            await asyncio.wait_for(task, NOT_HUNG_S)

    run(scenario)


def test_workers_are_replaced_after_their_share_of_calls():
    async def scenario(tool):
        return [await body(tool, "pid") for _ in range(9)]

    pids = run(scenario, calls_per_worker=3)
    assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [3, 3, 3]


def test_prepared_workers_are_used():
    async def scenario(tool):
        tool.prepare(2)
        tool.prepare(1)
        await until(lambda: len(tool.worker_pids) == 2)
        pids = tool.worker_pids
        assert int(await body(tool, "pid")) in pids

    run(scenario, max_workers=2)


def test_closing_ends_what_runs_and_what_waits():
    async def scenario():
        tool = ProcessTool(WorkerSpec(factory=FACTORY, max_workers=1))
        tasks = [asyncio.create_task(tool.call(call("sleep"), context())) for _ in range(3)]
        await until(lambda: tool.worker_pids)
        pids = tool.worker_pids
        await asyncio.wait_for(tool.aclose(), NOT_HUNG_S)
        ended = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), NOT_HUNG_S)
        assert [type(end) for end in ended] == [ToolFailure] * 3
        assert pids
        assert not any(alive(pid) for pid in pids)
        with pytest.raises(ToolFailure, match="closed"):
            await ask(tool, "echo")
        await tool.aclose()

    asyncio.run(scenario())


def test_a_pool_outlives_an_event_loop():
    tool = ProcessTool(WorkerSpec(factory=FACTORY))
    first = asyncio.run(body(tool, "pid"))
    assert asyncio.run(body(tool, "pid")) == first
    asyncio.run(tool.aclose())


@pytest.mark.parametrize("session", ["", "session "])
def test_forked_children_go_with_their_worker(session, tmp_path):
    note = tmp_path / "pids"

    async def scenario(tool):
        task = asyncio.create_task(tool.call(call("fork", f"{session}sleep={note}"), context()))
        await until(lambda: note.exists() and len(note.read_text().split()) == 2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        child = int(note.read_text().split()[1])
        await until(lambda: not running(child))

    run(scenario)


def test_a_child_does_not_hide_the_death_of_its_worker():
    async def scenario(tool):
        with pytest.raises(ToolFailure, match="ended with code 5"):
            await ask(tool, "fork", "die")

    run(scenario)


def test_programs_that_a_tool_starts_go_with_the_pool():
    async def scenario(tool):
        child = int(await body(tool, "subprocess"))
        assert running(child)
        await tool.aclose()
        await until(lambda: not running(child))

    run(scenario)


def test_a_host_killed_without_warning_leaves_no_worker(tmp_path):
    code = f"""
        import asyncio
        from tests.tools.sandbox_bench import call, context
        from app.tools.sandbox.host.hosted_tool import ProcessTool, WorkerSpec
        async def main():
            tool = ProcessTool(WorkerSpec(factory="{FACTORY}"))
            await tool.call(call("echo"), context())
            calls = [asyncio.create_task(tool.call(call(do), context())) for do in ("sleep", "spin")]
            calls.append(asyncio.create_task(tool.call(call("fork", "sleep={tmp_path / "pids"}"), context())))
            tool.prepare(4)
            await asyncio.sleep(0.5)
            print(*tool.worker_pids, flush=True)
            await asyncio.gather(*calls)
        asyncio.run(main())
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True) as host:
        pids = [int(word) for word in host.stdout.readline().split()]
        note = tmp_path / "pids"
        asyncio.run(until(lambda: note.exists() and len(note.read_text().split()) == 2))
        pids.append(int(note.read_text().split()[1]))
        assert len(pids) == 5
        pids.append(parent_of(pids[0]))
        host.kill()
    asyncio.run(until(lambda: not any(running(pid) for pid in pids)))


def test_a_machine_without_room_for_a_process(monkeypatch):
    async def scenario():
        tool = ProcessTool(WorkerSpec(factory=FACTORY, max_workers=1))
        monkeypatch.setattr(sys, "executable", "/no/such/python")
        fds = open_fds()
        for _ in range(3):
            with pytest.raises(ToolFailure, match="could not be started"):
                await ask(tool, "echo")
        assert open_fds() == fds
        monkeypatch.undo()
        assert await body(tool, "echo", "now") == "now"
        await tool.aclose()

    asyncio.run(scenario())


def test_the_event_loop_stays_awake_while_tools_misbehave():
    async def scenario(tool):
        beats = 0

        async def beat():
            nonlocal beats
            while True:
                await asyncio.sleep(0.001)
                beats += 1

        heart = asyncio.create_task(beat())
        begin = time.monotonic()
        for do in ("spin", "sleep", "deaf"):
            await cut(tool, do, after_s=0.2)
        heart.cancel()
        assert beats > (time.monotonic() - begin) * 50

    run(scenario)
