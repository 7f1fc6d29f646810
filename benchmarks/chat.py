"""The HTTP door under load beside a bare FastAPI app that makes the same calls; prints one JSON document.

`python -m benchmarks.chat [--requests 500] [--rounds 5]`: requests at once on two processes, each answered once and
journalled once; requests per second as a ratio to the bare app for tools of 50 ms and of 0 ms, at once and 16 at a
time; the first requests of a cold server, and what its processes hold in memory. `--kills 100` kills processes under
load instead. The exit code is 1 where a request was lost, doubled or left a damaged record.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
from tests.fixtures.seeded import seeded

from app import Principal, Researcher, Settings, open_archive
from app.capabilities.answers.research import result as composed_result
from app.capabilities.answers.research_input import ResearchInput
from app.chat.assembly import chat_app, open_chat_door
from app.chat.door import Reach
from app.system.clock import SystemClock
from app.system.data_folder import KEYS_FILE, open_data_folder
from app.system.stores.keys.sqlite import KeyStore
from benchmarks.chat_tools import QUESTION, bench_gate

ROOT = Path(__file__).parents[1]
WORKERS = 2
_USERS = 8
GATE = (sys.executable, "-m", "benchmarks.chat_tools", "serve")
REAL = (str(Path(sys.executable).with_name("portcullis")), "serve")
BARE = (sys.executable, "-m", "uvicorn", "--factory", "benchmarks.chat_tools:bare_app", "--workers", str(WORKERS))
_WHERE = re.compile(rb"(?:serving HTTP|running) on http://127\.0\.0\.1:(\d+)")
_WIDE = {"PORTCULLIS_SERVE_MAX_WAITING": "2000"}


@contextmanager
def tools(takes_ms: int) -> Iterator[dict[str, str]]:
    """The tools' server; gives the environment that leads to it."""
    line = (sys.executable, "-m", "benchmarks.chat_tools", "tools", str(takes_ms))
    server = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        yield {"CHAT_BENCH_TOOLS": server.stdout.readline().decode().strip()}
    finally:
        server.kill()
        server.wait()


@contextmanager
def server(data: Path, line: Sequence[str], environ: dict[str, str]) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server that is up, and its port."""
    given = {**os.environ, "PORTCULLIS_DATA": str(data), **_WIDE, **environ}
    process = subprocess.Popen(line, cwd=ROOT, env=given, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stderr is not None
    try:
        port = next(int(found[1]) for told in process.stderr if (found := _WHERE.search(told)))
        asyncio.get_event_loop_policy().new_event_loop().run_in_executor(None, process.stderr.read)
        yield process, port
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(120)


def keys(data: Path, count: int) -> list[str]:
    """Keys of as many users, so that no limit of one user counts."""
    open_data_folder(data)
    store = KeyStore(data / KEYS_FILE, SystemClock())
    return [store.create("local", f"user-{number}", "MAX", ("documents",), ("chat",))[1] for number in range(count)]


async def ask(port: int, key: str, question: str = QUESTION) -> dict[str, Any] | None:
    """One request on a connection of its own; None where the connection broke."""
    body = json.dumps({"message": question}).encode()
    head = (
        f"POST /v1/chat HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode() + body)
        said = await reader.read()
        writer.close()
    except OSError:
        return None
    status, _, rest = said.partition(b"\r\n\r\n")
    if not status.startswith(b"HTTP/1.1 200"):
        return {"status": status[:20].decode()} if status else None
    try:
        found: dict[str, Any] = json.loads(rest)
    except ValueError:
        return None  # cut off half-way
    return found


async def load(port: int, with_keys: Sequence[str], at_once: int) -> tuple[list[dict[str, Any] | None], float]:
    """Every key asks once, so many at a time; the replies, and how long it took."""
    places = asyncio.Semaphore(at_once)

    async def one(key: str) -> dict[str, Any] | None:
        async with places:
            return await ask(port, key)

    begin = time.perf_counter()
    replies = await asyncio.gather(*(one(key) for key in with_keys))
    return replies, time.perf_counter() - begin


def warm(port: int, with_keys: Sequence[str]) -> None:
    """Both processes have answered before anything is measured."""
    for _ in range(3):
        asyncio.run(load(port, with_keys, 40))


def rates(takes_ms: int, count: int, rounds: int) -> dict[str, Any]:
    """Requests per second of door and bare app, in turns; and whether every request of the door left one record."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, tools(takes_ms) as environ:
        data = Path(folder)
        given = keys(data, count)
        gate_line = (*GATE, "--port", "0", "--workers", str(WORKERS))
        with (
            server(data, gate_line, environ) as (door, port),
            server(data, (*BARE, "--port", "0"), environ) as (_, bare),
        ):
            time.sleep(8)
            warm(port, given[:80])
            warm(bare, given[:80])
            asked = 240
            for name, at_once in (("at_once", count), ("16_at_a_time", 16), ("4_at_a_time", 4)):
                rows = []
                for _ in range(rounds):
                    replies, gate_s = asyncio.run(load(port, given, at_once))
                    bare_replies, bare_s = asyncio.run(load(bare, given, at_once))
                    asked += count
                    assert all(bare_replies)
                    rows.append((count / gate_s, count / bare_s))
                    ids = [reply["id"] for reply in replies if reply and reply.get("action") == "GROUNDED"]
                    lost = count - len(ids)
                    found.setdefault("lost", 0)
                    found.setdefault("doubled", 0)
                    found["lost"] += lost
                    found["doubled"] += len(ids) - len(set(ids))
                found[name] = {
                    "requests_per_second": round(statistics.median(gate for gate, _ in rows), 1),
                    "bare_requests_per_second": round(statistics.median(bare_rate for _, bare_rate in rows), 1),
                    "ratio": round(statistics.median(gate / bare_rate for gate, bare_rate in rows), 3),
                    "ratios": [round(gate / bare_rate, 3) for gate, bare_rate in rows],
                }
            found["processor_ms_per_request"] = processor_ms(door.pid, port, given)
            asked += len(given)
        sessions = list(open_archive(Settings(data_dir=data)).sessions(1_000_000))
        states = Counter(row.state for row in sessions)
        found["journal"] = {"asked": asked, "recorded": len(sessions), "states": dict(states)}
        found["every_one_recorded_once"] = asked == len(sessions) == len({row.session_id for row in sessions})
    return found


def processor_ms(pid: int, port: int, given: Sequence[str]) -> float:
    """What one request costs the processes of a server, whatever the tools take."""
    before = ticks(pid)
    asyncio.run(load(port, given, 32))
    return round(1000 * (ticks(pid) - before) / os.sysconf("SC_CLK_TCK") / len(given), 2)


def children(pid: int) -> list[int]:
    """A process and all below it, whichever thread has started them."""
    below: list[int] = []
    for told in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            below += [int(child) for child in told.read_text().split()]
    return [pid, *(one for child in below for one in children(child))]


def ticks(pid: int) -> int:
    """Processor time of a process and of all below it."""
    total = 0
    for one in children(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(") ")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total


def memory_mib(pid: int) -> dict[str, float]:
    """What each kind of process holds: its share of what several map counts once."""
    found: dict[str, float] = {}
    for one in children(pid):
        try:
            told = Path(f"/proc/{one}/smaps_rollup").read_text()
            command = Path(f"/proc/{one}/cmdline").read_bytes()
        except OSError:
            continue
        resident = re.search(r"^Pss:\s+(\d+)", told, re.MULTILINE)
        share = int(resident[1]) / 1024 if resident else 0.0
        kind = "serving" if b"spawn_main" in command or one == pid else "tools"
        kind = "tracker" if b"resource_tracker" in command else kind
        found[kind] = round(found.get(kind, 0.0) + share, 1)
    return {**found, "processes": float(len(children(pid)))}


def cold() -> dict[str, Any]:
    """The first request and ten users at once on a real server that was just started, with the sample documents."""
    rows: dict[str, Any] = {}
    question = "How long should sourdough proof in the fridge?"
    for workers in (1, WORKERS):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder)
            given = keys(data, 11)
            begin = time.perf_counter()
            with server(data, (*REAL, "--port", "0", "--workers", str(workers)), {}) as (process, port):
                up = time.perf_counter()
                first = asyncio.run(ask(port, given[0], question))
                answered = time.perf_counter()

                async def crowd(port: int = port, users: Sequence[str] = given[1:]) -> list[float]:
                    started = time.perf_counter()

                    async def one(key: str) -> float:
                        reply = await ask(port, key, question)
                        assert reply is not None
                        assert reply["action"] == "GROUNDED"
                        return time.perf_counter() - started

                    return await asyncio.gather(*(one(key) for key in users))

                assert first is not None
                ten = asyncio.run(crowd())
                rows[f"{workers}_processes"] = {
                    "up_ms": round(1000 * (up - begin)),
                    "first_reply_ms": round(1000 * (answered - up)),
                    "ten_users_slowest_ms": round(1000 * max(ten)),
                    "memory_mib": memory_mib(process.pid),
                }
    return rows


def killed(times: int, seed: int) -> dict[str, Any]:
    """Kill a random process of the server again and again while users ask; then look at every record."""
    chance = seeded(seed)
    with tempfile.TemporaryDirectory() as folder, tools(50) as environ:
        data = Path(folder)
        given = keys(data, 2_000)
        line = (*GATE, "--port", "0", "--workers", str(WORKERS))
        with server(data, line, environ) as (process, port):
            ends = asyncio.run(_beside_kills(process.pid, port, given, times, chance))
        archive = open_archive(Settings(data_dir=data))
        rows = list(archive.sessions(10_000_000))
        broken = [row.session_id for row in rows if row.state == "damaged"]
        stops = Counter(str(row.stop) for row in rows if row.state == "closed")
        replays = [archive.replay(row.session_id).identical for row in rows[:50] if row.stop is not None]
    return {
        "kills": times,
        "answered": ends["GROUNDED"],
        "connections_that_broke": ends["broken"],
        "other_answers": {name: count for name, count in ends.items() if name not in ("GROUNDED", "broken")},
        "recorded": len(rows),
        "states": dict(Counter(row.state for row in rows)),
        "stops": dict(sorted(stops.items())),
        "journals_damaged": len(broken),
        "replays_identical": f"{sum(replays)} of {len(replays)}",
    }


async def _beside_kills(pid: int, port: int, given: Sequence[str], times: int, chance: random.Random) -> Counter[str]:
    ends: Counter[str] = Counter()
    stop = asyncio.Event()

    async def user(place: int) -> None:
        number = place
        while not stop.is_set():
            reply = await ask(port, given[number % len(given)])
            ends["broken" if reply is None else str(reply.get("action", reply.get("status")))] += 1
            number += _USERS
            await asyncio.sleep(0.05)

    users = [asyncio.create_task(user(place)) for place in range(_USERS)]
    for _ in range(times):
        serving: list[int] = []
        while len(serving) < WORKERS:
            await asyncio.sleep(0.1)
            serving = [one for one in children(pid) if _serves(one, pid)]
        await asyncio.sleep(chance.uniform(0.5, 2.5))
        os.kill(chance.choice(serving), signal.SIGKILL)
    await asyncio.sleep(6)
    stop.set()
    await asyncio.gather(*users)
    return ends


def _serves(one: int, pid: int) -> bool:
    try:
        parent = Path(f"/proc/{one}/stat").read_text().rpartition(") ")[2].split()[1]
        return parent == str(pid) and b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()
    except OSError:
        return False


def shares(count: int = 200) -> dict[str, float]:
    """Processor time of one request, in one process: to compose the answer, with the gate, with the door."""
    with tempfile.TemporaryDirectory() as folder, tools(0) as environ:
        port = int(environ["CHAT_BENCH_TOOLS"])
        return asyncio.run(_shares(Path(folder), keys(Path(folder), count), port))


async def _shares(data: Path, given: Sequence[str], port: int) -> dict[str, float]:
    settings = Settings(data_dir=data)
    who = [
        Principal(tenant="local", user=f"direct-{number}", tier="MAX", collections=("documents",))
        for number in range(len(given))
    ]
    async with bench_gate(None, settings=settings, port=port) as gate, open_chat_door(gate, settings, Reach()) as door:
        researchers = [Researcher(gate, one) for one in who]
        await researchers[0].research(QUESTION)
        begin = time.process_time()
        for one in researchers:
            await one.research(QUESTION)
        gated = time.process_time() - begin
        asked = ResearchInput(question=QUESTION)
        begin = time.process_time()
        for one in researchers:
            assert one.outcome is not None
            composed_result(asked, one.outcome)
        composed = time.process_time() - begin
        transport = httpx2.ASGITransport(chat_app(door))
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            begin = time.process_time()
            for key in given:
                bearer = {"Authorization": f"Bearer {key}"}
                assert (await client.post("/v1/chat", json={"message": QUESTION}, headers=bearer)).status_code == 200
            through = time.process_time() - begin
    parts = {"composing": composed, "gate_and_composing": gated, "door_gate_and_composing": through}
    return {name: round(1000 * seconds / len(given), 2) for name, seconds in parts.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--requests", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.kills:
        kills = killed(given.kills, given.seed)
        print(json.dumps(kills, indent=2))
        return int(bool(kills["journals_damaged"]))
    told = {
        "requests": given.requests,
        "processes": WORKERS,
        "tools_of_50_ms": rates(50, given.requests, given.rounds),
        "tools_of_0_ms": rates(0, given.requests, given.rounds),
        "processor_ms": shares(),
        "cold": cold(),
    }
    print(json.dumps(told, indent=2))
    sides = (told["tools_of_50_ms"], told["tools_of_0_ms"])
    wrong = [
        side
        for side in sides
        if side["lost"] or side["doubled"] or side["journal"]["asked"] != side["journal"]["recorded"]
    ]
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
