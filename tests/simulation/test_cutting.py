"""Real processes, real time: tools that never come back are cut, and delay nobody."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from app import Principal, Settings, open_gate, read_request
from app.kernel.calls import Batch, Done, ToolCall
from app.kernel.results import RawResult, SourceKind
from app.tools.sandbox.host.hosted_tool import ProcessTool, WorkerSpec
from tests.fixtures.scripted import TOOLS, scripted_capability

ROOT = Path(__file__).parents[2]
PRINCIPAL = Principal(tenant="local", user="local", tier="MAX", collections=("documents",))


@pytest.mark.clause("2.8")
@pytest.mark.clause("3.3")
@pytest.mark.parametrize("tool", ["open_sleeping", "open_spinning", "open_blocking", "open_deaf"])
def test_the_process_of_ask_ends_soon_after_its_limit(tool, tmp_path):
    command = [sys.executable, "-m", "tests.fixtures.ask_with", tool, "ask", "why is the crust pale?"]
    options = ["--json", "--view", "operator", "--timeout-ms", "1500", "--data-dir", str(tmp_path)]
    started = time.monotonic()
    done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=60)
    took = time.monotonic() - started
    outcome = json.loads(done.stdout)
    assert outcome["verdict"]["stop"] == "TIMEOUT"
    assert {signal["cause"] for signal in outcome["verdict"]["signals"]} == {"total_timeout"}
    assert done.returncode == 4
    assert 1.5 <= took < 30  # it was waited for, and it did not hang
    assert outcome["spent_units"] == 1


class Mixed:
    """Sends odd calls to a tool that blocks and answers the others itself."""

    def __init__(self, blocking):
        self.blocking = blocking
        self.answered = []

    async def call(self, call, context):
        if call.param("blocks"):
            return await self.blocking.call(call, context)
        self.answered.append(call.call_id)
        return RawResult(status="empty", spent_units=1)


class OneBatch:
    """Two calls that block between two that do not."""

    counts = (SourceKind.PASSAGE,)

    def next_step(self, grant, so_far):
        if so_far.outcomes:
            return Done(why="complete")
        calls = tuple(
            ToolCall(call_id=f"c{number}", tool="doc_lookup", params=(("blocks", number % 2 == 1),))
            for number in range(4)
        )
        return Batch(calls=calls)


@pytest.mark.clause("3.3")
def test_a_tool_that_blocks_does_not_delay_the_others_of_its_batch(tmp_path):
    async def run():
        blocking = ProcessTool(WorkerSpec(factory="tests.fixtures.slow_tools:open_spinning"))
        mixed = Mixed(blocking)
        try:
            async with open_gate(settings=Settings(data_dir=tmp_path), toolbox={"doc_lookup": mixed}) as router:
                capability = replace(
                    scripted_capability(lambda *_: OneBatch(), TOOLS), name="mixed", tools=("doc_lookup",)
                )
                router._capabilities = {"mixed": capability}
                narrow = {"total_research_timeout_ms": 1_500}
                request = read_request(question="who waits?", capability="mixed", narrow=narrow)
                return mixed, await router.run(request, PRINCIPAL)
        finally:
            await blocking.aclose()

    mixed, outcome = asyncio.run(run())
    by_call = {call.call_id: call for call in outcome.outcomes}
    assert [by_call[f"c{number}"].status.value for number in range(4)] == ["empty", "timed_out"] * 2
    assert mixed.answered == ["c0", "c2"]
    assert max(by_call["c0"].elapsed_ms, by_call["c2"].elapsed_ms) < min(
        by_call["c1"].elapsed_ms, by_call["c3"].elapsed_ms
    )
    assert outcome.verdict.stop == "TIMEOUT"


@pytest.mark.clause("3.3")
@pytest.mark.parametrize("how", ["late", "cancelled"])
def test_a_ledger_that_another_process_holds_ends_with_the_session(how, tmp_path):
    """A real lock on the real file: the session's own limit, or its cancellation, is what counts."""

    async def run():
        async with open_gate(settings=Settings(data_dir=tmp_path), toolbox={"doc_lookup": Mixed(None)}) as router:
            await router.run(read_request(question="is anybody there?"), PRINCIPAL)  # the file is there now
            holder = sqlite3.connect(tmp_path / "ledger.sqlite3", isolation_level=None)
            holder.execute("BEGIN EXCLUSIVE")
            try:
                request = read_request(question="who holds it?", narrow={"total_research_timeout_ms": 400})
                asked = asyncio.ensure_future(router.run(request, PRINCIPAL))
                if how == "cancelled":
                    await asyncio.sleep(0.1)
                    asked.cancel()
                return await asked
            finally:
                holder.execute("ROLLBACK")
                holder.close()

    if how == "late":
        outcome = asyncio.run(run())
        assert outcome.verdict.stop == "TIMEOUT"
        assert outcome.elapsed_ms < 4_000, "the session did not wait for the ledger's own patience"
        assert outcome.outcomes == ()
    else:
        with pytest.raises(asyncio.CancelledError):
            asyncio.run(run())
