"""What the sandbox tests share: calls, contexts, and a look at the system's processes."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import asynccontextmanager

from app.kernel.calls import CallContext, ToolCall
from app.tools.sandbox.host.hosted_tool import ProcessTool, WorkerSpec

FACTORY = "tests.fixtures.worker_tools:build"
NOT_HUNG_S = 30


def call(do, text="", call_id="c1"):
    return ToolCall(call_id=call_id, tool="doc_lookup", params=(("do", do), ("text", text)))


def context(max_output_bytes=1_000_000):
    return CallContext(tenant="acme", collection="docs", own_deadline_ms=1_000, max_output_bytes=max_output_bytes)


@asynccontextmanager
async def pool(**changes):
    """A pool that is closed again; its workers must be gone afterwards."""
    keywords = {name: changes.pop(name) for name in ("calls_per_worker",) if name in changes}
    tool = ProcessTool(WorkerSpec(**{"factory": FACTORY, **changes}), **keywords)
    try:
        yield tool
    finally:
        pids = tool.worker_pids
        await tool.aclose()
        assert not any(alive(pid) for pid in pids)


async def ask(tool, do, text="", **limits):
    """One call that must end in reasonable time."""
    return await asyncio.wait_for(tool.call(call(do, text), context(**limits)), NOT_HUNG_S)


async def body(tool, do, text=""):
    return (await ask(tool, do, text)).items[0].body


async def cut(tool, do, text="", after_s=0.3):
    """Start a call and cut it as the adapter does; returns how long the cutting took."""
    running = asyncio.create_task(tool.call(call(do, text), context()))
    await asyncio.sleep(after_s)
    assert not running.done()
    begin = time.monotonic()
    running.cancel()
    try:
        await running
    except asyncio.CancelledError:
        return time.monotonic() - begin
    raise AssertionError("the call was not cut")


def alive(pid):
    """Whether a process runs; a zombie does not count as gone, because somebody forgot it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def running(pid):
    """Whether a process of which we are not the parent still does something."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


async def until(condition):
    """Wait for something that must come about."""
    for _ in range(NOT_HUNG_S * 100):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came about")


def open_fds():
    return len(os.listdir("/proc/self/fd"))


def parent_of(pid):
    """Whose child a process is; None where it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return int(stat.read().rpartition(")")[2].split()[1])
    except OSError:
        return None


def children(parent=None):
    """Processes whose parent is this one, or another; zombies included."""
    parent = os.getpid() if parent is None else parent
    return sorted(int(name) for name in os.listdir("/proc") if name.isdigit() and parent_of(name) == parent)
