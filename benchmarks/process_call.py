"""The round trip of a call to a tool in a worker process, with a small body and one of 20 kB; prints JSON."""

from __future__ import annotations

import asyncio
import json
import statistics
import time

from app.kernel.calls import CallContext, ToolCall
from app.kernel.results import RawItem, RawResult, SourceKind
from app.tools.sandbox.host.hosted_tool import ProcessTool, WorkerSpec
from app.tools.sandbox.inside.worker import BlockingTool

CALLS = 3_000
TEXT = "the gate falls shut when anything is wrong; " * 500


def build(config: str) -> BlockingTool:
    """The tool inside the worker: as many characters as it is asked for."""

    def tool(call: ToolCall, context: CallContext) -> RawResult:
        size = call.param("size")
        assert isinstance(size, int)
        digest = "0" * 64
        item = RawItem(
            kind=SourceKind.PASSAGE, locator="doc:a", body=TEXT[:size], content_hash=digest, text_hash=digest
        )
        return RawResult(status="ok", items=(item,))

    return tool


async def measure() -> dict[str, float]:
    context = CallContext(tenant="acme", collection="docs", own_deadline_ms=1_000, max_output_bytes=1_000_000)
    tool = ProcessTool(WorkerSpec(factory="benchmarks.process_call:build"))
    found = {}
    for name, size in (("first_call_us", 20), ("small_us", 20), ("body_20kb_us", 20_000)):
        call = ToolCall(call_id="c1", tool="doc_lookup", params=(("size", size),))
        taken = []
        for _ in range(1 if name == "first_call_us" else CALLS):
            begin = time.perf_counter()
            await tool.call(call, context)
            taken.append(time.perf_counter() - begin)
        found[name] = round(statistics.median(taken) * 1e6, 1)
    await tool.aclose()
    return found


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure()), indent=2))
