"""The MCP door over stdio: a look-up in documents beside a bare SDK server that returns the same bytes.

The bare server lists the same tool, so that the client validates both answers alike. Prints one JSON document: medians
over interleaved rounds in milliseconds, and `ratio`, our round trip by the bare server's; the same of processor time,
with the processes below. A look-up runs whole through the gate each time (policy, ledger, journal, tool, screen,
validator); index and worker are warm. `gate` is the same look-up in this process, without the protocol, and `parts_ms`
says where its time goes.
"""

from __future__ import annotations

import asyncio
import cProfile
import json
import os
import pstats
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from app.cli.principal import local_principal
from app.research.router import Router
from app.system.contract_files import samples_dir
from app.system.settings import Settings
from app.wiring.gate import open_gate

ROUNDS = 60
WARM = 5
PROFILED = 20
QUESTION = "How long should sourdough proof in the fridge?"
GIVEN: dict[str, Any] = {"question": QUESTION}
TIER = "MAX"
PAUSE_S = 0.3  # below the 240 calls a minute of MAX in dev
TARGET = 2.0
_BYTES = "PORTCULLIS_BENCH_BYTES"
# The functions under which the time of a part is spent; none is below another.
_PARTS = {
    "the worker that searches, and waiting": (
        ("~", "<method 'poll' of 'select.epoll' objects>"),
        ("process.py", "exchange"),
    ),
    "screen": (("research/injection.py", "__call__"),),
    "validator": (("research/validator.py", "accept"), ("research/validator.py", "check")),
    "ledger": (("ledger/sqlite.py", "_patiently"),),
    "journal": (
        ("record/session_log.py", "note"),
        ("record/session_log.py", "keep"),
        ("record/session_writers.py", "close"),
    ),
}


async def measured() -> dict[str, Any]:
    """Both servers and the gate alone, asked in turns."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        ours = StdioServerParameters(
            command=str(Path(sys.executable).with_name("portcullis")),
            args=["mcp", "--tier", TIER],
            env={**os.environ, "PORTCULLIS_DATA": folder},
        )
        settings = Settings(data_dir=Path(other))
        async with Client(ours) as client:
            our_pids = _children(os.getpid())
            found = await client.call_tool("search_documents", GIVEN)
            listed = next(one for one in (await client.list_tools()).tools if one.name == "search_documents")
            told = {"text": found.content[0].text, "structured": found.structured_content}
            body = json.dumps({**told, "tool": listed.model_dump(mode="json", by_alias=True, exclude_none=True)})
            words = {"args": ["-m", "benchmarks.mcp"], "env": {**os.environ, _BYTES: body}}
            async with Client(StdioServerParameters(command=sys.executable, **words)) as bare:
                pids = {"ours": our_pids, "bare": _children(os.getpid()) - our_pids}
                async with open_gate(samples_dir(), settings=settings) as gate:
                    medians, processor = await _medians(client, bare, gate, pids)
                    parts = await _parts(gate)
    return {
        "rounds": ROUNDS,
        "answer_bytes": len(json.dumps(told)),
        "median_ms": medians,
        "ratio": round(medians["ours"] / medians["bare"], 2),
        "target": TARGET,
        "processor_ms": processor,
        "processor_ratio": round(processor["ours"] / processor["bare"], 2),
        "parts_ms": parts,
        "dominates": max(parts, key=lambda name: parts[name]),
    }


def _children(pid: int) -> set[int]:
    """The processes that one has started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(one) for task in tasks for one in task.read_text().split()}


def _processor_ms(pids: set[int]) -> float:
    """What processes and those below them have used."""
    own = sum(sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])) for pid in pids)
    return own * 1000 / os.sysconf("SC_CLK_TCK") + sum(_processor_ms(_children(pid)) for pid in pids)


async def _medians(
    ours: Client, bare: Client, gate: Router, pids: dict[str, set[int]]
) -> tuple[dict[str, float], dict[str, float]]:
    who = local_principal(TIER)
    ways: dict[str, Callable[[], Awaitable[object]]] = {
        "ours": lambda: ours.call_tool("search_documents", GIVEN),
        "bare": lambda: bare.call_tool("search_documents", GIVEN),
        "gate": lambda: gate.call("search_documents", GIVEN, who),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    before: dict[str, float] = {}
    for turn in range(ROUNDS + WARM):
        if turn == WARM:
            before = {name: _processor_ms(one) for name, one in pids.items()}
        for name, ask in ways.items():
            started = time.perf_counter()
            await ask()
            if turn >= WARM:
                times[name].append((time.perf_counter() - started) * 1000)
        await asyncio.sleep(PAUSE_S)
    used = {name: round((_processor_ms(one) - before[name]) / ROUNDS, 2) for name, one in pids.items()}
    return {name: round(statistics.median(all_of), 2) for name, all_of in times.items()}, used


async def _parts(gate: Router) -> dict[str, float]:
    """Milliseconds of one look-up by part, from a profile, which slows small functions down: read them as shares."""
    who = local_principal(TIER)
    profile = cProfile.Profile()
    for _ in range(PROFILED):
        await asyncio.sleep(PAUSE_S)
        profile.enable()
        await gate.call("search_documents", GIVEN, who)
        profile.disable()
    rows = vars(pstats.Stats(profile))["stats"]  # an attribute that its stub leaves out
    spent: Counter[str] = Counter()
    for (file, _, function), (_, _, own, whole, _) in rows.items():
        spent["everything"] += own
        for part, place in _PARTS.items():
            spent[part] += whole if any(file.endswith(end) and function == name for end, name in place) else 0
    spent["the rest of the session"] = 2 * spent["everything"] - sum(spent.values())
    del spent["everything"]
    return {name: round(seconds * 1000 / PROFILED, 2) for name, seconds in spent.most_common()}


async def bare_server(body: dict[str, Any]) -> None:
    """A server of the SDK that lists one tool and returns fixed bytes."""

    async def tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(body["tool"])])

    async def call(ctx: Any, params: Any) -> types.CallToolResult:
        text = types.TextContent(text=body["text"])
        return types.CallToolResult(content=[text], structured_content=body["structured"])

    server: Server[Any] = Server("bare", on_list_tools=tools, on_call_tool=call)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    if _BYTES in os.environ:
        asyncio.run(bare_server(json.loads(os.environ[_BYTES])))
    else:
        print(json.dumps(asyncio.run(measured()), indent=2))
