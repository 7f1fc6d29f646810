"""What the gate costs per call, beside a bare HTTP call of the same size in the same run.

Prints one JSON document: medians over interleaved rounds. Sessions have five calls in a row, each with a text of
20 kB of its own; the gate runs with its embedded defaults, and the time spent in the injection screen is measured and
left out. `per_call_overhead_us` is what the gate adds round a tool that answers at once: reserve, cut, validate,
journal, settle, and a fifth of everything that a session costs once. `worker_hop_us` is what it costs on top to have
the tool in a process that can be killed. `one_batch_with_worker_hop_us` is the same per call when the five run side by
side in one batch, as a plan with several branches does.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from app import Principal, Router, Settings, open_gate, read_request
from app.kernel.calls import Batch, Done, ToolCall
from app.kernel.capability import Capability
from app.kernel.models import FrozenModel
from app.kernel.outcome import SoFar
from app.kernel.request import Grant
from app.kernel.results import RawResult, ScreenedResult, SourceKind
from app.research.adapter import Screen
from app.tools.sandbox.host.hosted_tool import ProcessTool, WorkerSpec
from benchmarks.tools import BODY_BYTES, InstantTool, WaitingTool, body

ROUNDS = 15
CALLS_PER_ROUND = 40
CALLS_PER_SESSION = 5


class BenchInput(FrozenModel):
    """Nothing is asked."""


class BenchPlan(FrozenModel):
    """Five calls, one after the other or side by side; every one brings a source of its own."""

    side_by_side: bool
    counts: tuple[SourceKind, ...] = (SourceKind.PASSAGE,)

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        """The next call, or all of them."""
        done = len(so_far.outcomes)
        if done == CALLS_PER_SESSION:
            return Done(why="complete")
        last = CALLS_PER_SESSION if self.side_by_side else done + 1
        numbers = range(done, last)
        return Batch(calls=tuple(ToolCall(call_id=f"call-{number}", tool="doc_lookup") for number in numbers))


PLANS = {
    name: Capability(
        name=name,
        family="bench",
        title=name,
        description="",
        kind="retrieve",
        input=BenchInput,
        output=BenchInput,
        tools=("doc_lookup",),
        plan=lambda given, request, side_by_side=side_by_side: BenchPlan(side_by_side=side_by_side),
        result=lambda given, outcome: given,
    )
    for name, side_by_side in (("in_a_row", False), ("side_by_side", True))
}


class TimedScreen:
    """The real screen with a stopwatch."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.spent_ns = 0

    def __call__(self, call_id: str, raw: RawResult) -> ScreenedResult:
        """Screen and take the time."""
        started = time.perf_counter_ns()
        screened = self._screen(call_id, raw)
        self.spent_ns += time.perf_counter_ns() - started
        return screened


class Gate:
    """A router whose subjects never meet their rate limit."""

    def __init__(self, router: Router, plan: str, screen: TimedScreen | None = None) -> None:
        self._router = router
        self._name = f"{plan}-{id(self)}"
        self._users = 0
        self.screen = screen or TimedScreen(router._adapter._screen)
        router._adapter._screen = self.screen
        router._capabilities = PLANS
        self._request = read_request(question="what does it cost?", capability=plan)

    async def session(self) -> None:
        """One session with as many calls as the contract's example of caps allows, one after the other."""
        self._users += 1
        principal = Principal(
            tenant="bench", user=f"{self._name}-{self._users}", tier="MAX", collections=("documents",)
        )
        outcome = await self._router.run(self._request, principal)
        if outcome.verdict.stop != "SUCCESS_COMPLETED" or len(outcome.bundle.sources) != CALLS_PER_SESSION:
            raise RuntimeError(f"{outcome.verdict} with {len(outcome.bundle.sources)} sources")

    async def round(self) -> float:
        """Microseconds per call, without the screen."""
        before = self.screen.spent_ns
        started = time.perf_counter_ns()
        for _ in range(CALLS_PER_ROUND // CALLS_PER_SESSION):
            await self.session()
        spent = time.perf_counter_ns() - started - (self.screen.spent_ns - before)
        return spent / CALLS_PER_ROUND / 1_000


async def bare_round(client: httpx.AsyncClient, url: str) -> float:
    """Microseconds per call of one keep-alive client."""
    started = time.perf_counter_ns()
    for _ in range(CALLS_PER_ROUND):
        answer = await client.get(url)
        if len(answer.content) != BODY_BYTES:
            raise RuntimeError("short answer")
    return (time.perf_counter_ns() - started) / CALLS_PER_ROUND / 1_000


async def measured(data_dir: Path, url: str) -> dict[str, float]:
    """Interleaved rounds, medians."""
    settings = Settings(data_dir=data_dir, environment="dev")
    worker = ProcessTool(WorkerSpec(factory="benchmarks.tools:open_prepared"))
    try:
        async with (
            open_gate(settings=settings, toolbox={"doc_lookup": worker}) as hosted,
            open_gate(settings=settings, toolbox={"doc_lookup": InstantTool()}) as in_loop,
            httpx.AsyncClient(trust_env=False) as client,
        ):
            one_by_one = Gate(hosted, "in_a_row")
            gates = (one_by_one, Gate(in_loop, "in_a_row"), Gate(hosted, "side_by_side", one_by_one.screen))
            rounds: list[tuple[float, ...]] = []
            for number in range(ROUNDS + 2):
                figures = [await gate.round() for gate in gates]
                bare = await bare_round(client, url)
                if number >= 2:  # the first rounds warm caches and start the worker
                    rounds.append((*figures, bare))
            sessions = await _sessions_per_second(gates[1])
    finally:
        await worker.aclose()
    _, in_loop_us, batch_us, bare_us = (statistics.median(column) for column in zip(*rounds, strict=True))
    return {
        "per_call_overhead_us": round(in_loop_us, 1),
        "worker_hop_us": round(statistics.median(row[0] - row[1] for row in rounds), 1),
        "bare_httpx_call_us": round(bare_us, 1),
        "ratio": round(statistics.median(row[1] / row[3] for row in rounds), 3),
        "ratio_with_worker_hop": round(statistics.median(row[0] / row[3] for row in rounds), 3),
        "one_batch_with_worker_hop_us": round(batch_us, 1),
        "ratio_one_batch_with_worker_hop": round(statistics.median(row[2] / row[3] for row in rounds), 3),
        "calls_per_session": CALLS_PER_SESSION,
        "sessions_per_second": round(sessions, 1),
    }


async def _sessions_per_second(gate: Gate, count: int = 500) -> float:
    started = time.perf_counter()
    await asyncio.gather(*(gate.session() for _ in range(count)))
    return count / (time.perf_counter() - started)


async def memory_per_thousand(data_dir: Path) -> float:
    """MiB that 1,000 open sessions hold."""
    tool = WaitingTool(1_000)
    settings = Settings(data_dir=data_dir, environment="dev")
    async with open_gate(settings=settings, toolbox={"doc_lookup": tool}) as router:
        request = read_request(question="how long is a minute?", capability="search_documents")

        def principal(number: int) -> Principal:
            return Principal(tenant="bench", user=f"m{number}", tier="MAX", collections=("documents",))

        gc.collect()
        before = _resident_bytes()
        sessions = [asyncio.ensure_future(router.run(request, principal(number))) for number in range(1_000)]
        await tool.all_open.wait()
        held = _resident_bytes() - before
        tool.release.set()
        await asyncio.gather(*sessions)
    return held / 2**20


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


SERVER = """
import asyncio, sys
head = "HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(BODY)
answer = head.encode() + BODY
async def serve(reader, writer):
    while await reader.readuntil(b"\\r\\n\\r\\n"):
        writer.write(answer)
        await writer.drain()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def main() -> int:
    """Print the figures; the ratio is the one that counts."""
    code = f"BODY = {body(1).encode()!r}\n{SERVER}"
    server = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}/"
        with tempfile.TemporaryDirectory() as folder:
            figures = asyncio.run(measured(Path(folder), url))
            figures["memory_mib_per_1000_open_sessions"] = round(asyncio.run(memory_per_thousand(Path(folder))), 1)
    finally:
        server.kill()
        server.wait()
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
