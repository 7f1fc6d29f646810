"""10,000 mixed MCP calls over HTTP at concurrency 50, one in twenty dropped by its client, judged by the caps.

Twenty keys, each of a user of its own, tier PRO in `prod`: in any 60 seconds 10 tool calls, 10 requests that open no
session and 240 requests of any kind. The mix is well above that: look-ups in documents, checks of a report (no
session), wrong arguments and unknown tools. What is let through and what is refused is held against the ledger's own
times. Prints one JSON document: outcomes by name, what the caps allow beside what was let through, calls that never
ended, and the server's memory after 1,000 calls and at the end. Exit code 1 where one of these is wrong.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from tests.fixtures.seeded import seeded

from benchmarks.mcp_allowance import Attempt, judged

CALLS = int(os.environ.get("PORTCULLIS_BENCH_CALLS", "10000"))
AT_ONCE = 50
USERS = 20
DROPPED_IN = 20
MEMORY_RATIO = 1.10
STUCK_S = 60
LONGEST_S = 1_500
BACK_OFF_S = 0.5
QUESTION = "How long should sourdough proof in the fridge?"
REPORT = "The tide is high. [1]\n\n## Sources\n\n[1] https://example.org/tide"
MIX: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("look-up", "search_documents", {"question": QUESTION}),
    ("report", "lint_report", {"text": REPORT}),
    ("report", "lint_report", {"text": REPORT}),
    ("wrong", "search_documents", {"question": 5}),
    ("unknown", "no_such_tool", {}),
)
CUT, LIMIT_MS = "cut at the time limit", 5_000
# What each kind of call may come to; one above its cap is told so.
POSSIBLE = {
    "look-up": {"ok", "rate_limited", CUT},
    "report": {"ok", "rate_limited"},
    "wrong": {"validation"},
    "unknown": {"validation"},
}
CLI = str(Path(sys.executable).with_name("portcullis"))


def _key(folder: str, number: int) -> dict[str, str]:
    words = [CLI, "keys", "create", "--tenant", "acme", "--user", f"u{number}", "--tier", "PRO"]
    words += ["--collections", "documents", "--scopes", "chat", "--json"]
    env = {**os.environ, "PORTCULLIS_DATA": folder}
    made = subprocess.run(words, env=env, capture_output=True, check=True)
    return dict(json.loads(made.stdout))


def _memory_kb(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


class Crowd:
    """The clients, and what they saw."""

    def __init__(self, seed: int) -> None:
        self.chance = seeded(seed)
        self.seen: Counter[str] = Counter()
        self.impossible: Counter[str] = Counter()
        self.turned_away: list[Attempt] = []
        self.stuck = 0

    async def one(self, client: Client, key_id: str) -> None:
        """One call, dropped half-way in one case of twenty."""
        kind, tool, given = self.chance.choice(MIX)
        drop = self.chance.randrange(DROPPED_IN) == 0
        began_ms = time.time_ns() // 1_000_000
        task = asyncio.create_task(client.call_tool(tool, given))
        if drop:
            await asyncio.sleep(self.chance.random() * 0.02)
            if task.cancel():
                await asyncio.gather(task, return_exceptions=True)
                self.seen["dropped by the client"] += 1
                return
        try:
            result = await asyncio.wait_for(task, STUCK_S)
        except TimeoutError:
            self.stuck += 1
            return
        except (MCPError, httpx2.HTTPError) as exc:  # above the key's limit the door answers 429, before a session
            self.turned_away.append(Attempt(f"key/{key_id}", began_ms, time.time_ns() // 1_000_000))
            self.seen[f"turned away at the door: {type(exc).__name__}"] += 1
            await asyncio.sleep(BACK_OFF_S)
            return
        block = result.content[0].text.rpartition("\n")[2] if result.is_error else ""
        outcome = json.loads(block)["error"]["kind"] if block else "ok"
        if outcome == "upstream_unavailable" and time.time_ns() // 1_000_000 - began_ms >= LIMIT_MS:
            outcome = CUT
        self.seen[f"{kind}: {outcome}"] += 1
        if outcome not in POSSIBLE[kind]:
            self.impossible[f"{kind}: {outcome}"] += 1


async def _played(url: str, keys: list[dict[str, str]], pid: int) -> tuple[Crowd, dict[str, Any]]:
    crowd = Crowd(20261)
    left = CALLS
    after_1000 = 0
    started = time.monotonic()

    async def worker(number: int) -> None:
        nonlocal left, after_1000
        key = keys[number % USERS]
        headers = {"Authorization": f"Bearer {key['key']}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=STUCK_S) as http,
            Client(streamable_http_client(url, http_client=http), cache=None) as client,
        ):
            while left > 0 and time.monotonic() - started < LONGEST_S:
                left -= 1
                if CALLS - left == 1000:
                    after_1000 = _memory_kb(pid)
                await crowd.one(client, key["key_id"])

    await asyncio.gather(*(worker(number) for number in range(AT_ONCE)))
    seconds = time.monotonic() - started
    await asyncio.sleep(2)
    return crowd, {
        "calls": CALLS,
        "seconds": round(seconds, 1),
        "outcomes": dict(sorted(crowd.seen.items())),
        "counted": sum(crowd.seen.values()) + crowd.stuck,
        "never_ended": crowd.stuck,
        "impossible_outcomes": dict(crowd.impossible),
        "memory_kb": {"after_1000": after_1000, "at_the_end": (end := _memory_kb(pid))},
        "memory_ratio": round(end / max(1, after_1000), 3),
    }


def _served(folder: str) -> tuple[subprocess.Popen[str], str]:
    server = subprocess.Popen(
        [CLI, "mcp", "--http", "--port", "0", "--env", "prod"],
        env={**os.environ, "PORTCULLIS_DATA": folder},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    lines = iter(server.stderr or ())
    found = next((match for line in lines if (match := re.search(r"MCP on (http://\S+)", line))), None)
    if found is None:
        server.kill()
        raise SystemExit("the MCP server did not start")
    return server, found[1]


def main() -> int:
    """Start a server, play the crowd, judge and print what was seen."""
    with tempfile.TemporaryDirectory() as folder:
        keys = [_key(folder, number) for number in range(USERS)]
        server, url = _served(folder)
        try:
            crowd, seen = asyncio.run(_played(url, keys, server.pid))
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)
        seen["caps"] = judged(Path(folder), crowd.turned_away)
    print(json.dumps(seen, indent=2))
    wrong = seen["never_ended"] or seen["counted"] != CALLS or seen["impossible_outcomes"]
    unfair = any(row["above_the_cap"] or row["refused_below_it"] for row in seen["caps"].values())
    return int(bool(wrong or unfair or seen["memory_ratio"] > MEMORY_RATIO))


if __name__ == "__main__":
    sys.exit(main())
