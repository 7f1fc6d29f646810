"""Many pages with faults: does each end in one named outcome, and what is left behind?

Prints one JSON document. A server in a process of its own answers on loopback; one page in twenty is a fault: cut
connections, resets, silence, broken codings, errors, endless heads and bodies, redirects inside, bombs, documents that
are none. The whole tool runs: a resolver that says a public address, a dialler that leads to loopback, robots.txt,
turns and breaker of each of 200 hosts, confined readers, the content store. Memory and descriptors are read after
1,000 and after all of 10,000 pages. Exit code 1, with the reasons under `problems`, where that takes more than 1.10
times the memory, a descriptor, a child or a task more, or a page did not end in one named outcome.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import gc
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpcore

from app.kernel.calls import CallContext, ToolCall
from app.kernel.errors import ToolFailure, ToolUnavailable
from app.system.clock import SystemClock
from app.system.stores.content.files import FileStore
from app.tools.fetch.fetcher import Fetcher
from app.tools.fetch.host_limits import HostLimits
from app.tools.fetch.ports import FetchConfig, FetchPorts
from app.tools.fetch.wire import SystemDialler, WireLimits, trusting
from app.tools.scrape_page import ScrapePage, open_page_reader

PAGES = 10_000
FIRST = 1_000
MEMORY_RATIO_MAX = 1.10
AT_ONCE = 50
HOSTS = 200
FAULT_EVERY = 20
FAULTS = ("cut", "reset", "silent", "coding", "error", "head", "endless", "inside", "bomb", "empty", "no pdf", "nested")
PAGE = b"<html><body>" + b"<p>A paragraph of ordinary size that a reader might like.</p>" * 300 + b"</body></html>"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
BOMB = gzip.compress(bytes(20_000_000))


class Names:
    """Every name is at one public address."""

    async def addresses(self, name: str) -> tuple[str, ...]:
        """The address."""
        return ("93.184.215.20",)


class Loopback:
    """Every connection goes to the server of the benchmark."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def dial(self, address: str, port: int, timeout_s: float) -> httpcore.AsyncNetworkStream:
        """Connect."""
        return await SystemDialler().dial("127.0.0.1", self._port, timeout_s)


def _rss_kb() -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def _left() -> dict[str, int]:
    gc.collect()
    # What was freed and the allocator keeps for later is no leak, and how much of it there is changes from run to run.
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # not every C library has it
    if trim is not None:
        trim(0)
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as children:
        count = len(children.read().split())
    return {"rss_kb": _rss_kb(), "descriptors": len(os.listdir("/proc/self/fd")), "children": count}


async def _one(tool: ScrapePage, number: int) -> str:
    params = (("url", f"http://h{number % HOSTS}.example/{number}"), ("max_length", 50_000))
    context = CallContext(tenant="t1", collection=None, own_deadline_ms=20_000, max_output_bytes=8_000_000)
    try:
        got = await tool.call(ToolCall(call_id=f"c{number}", tool="scrape_page", params=params), context)
    except ToolUnavailable as exc:
        return f"unavailable: {exc.kind}"
    except ToolFailure as exc:
        return f"violation: {exc.cause}"
    return ": ".join(filter(None, (got.status, got.unavailable or ("truncated" if got.truncated else ""))))


async def measured(port: int, folder: str, pages: int) -> dict[str, object]:
    """Scrape everything, 50 at a time."""
    ports = FetchPorts(SystemClock(), Names(), Loopback(port), trusting(), limits=WireLimits(read_ms=500))
    fetcher = Fetcher(FetchConfig(hosts=HostLimits(pause_ms=0, failures_in_a_row=50), attempts=1), ports)
    tool = ScrapePage(lambda: fetcher, open_page_reader(), SystemClock(), FileStore(Path(folder)))
    outcomes: Counter[str] = Counter()
    numbers = iter(range(pages))
    left: dict[str, dict[str, int]] = {"at_the_start": _left()}

    async def worker(last: int) -> None:
        for number in numbers:
            outcomes[await _one(tool, number)] += 1
            if number >= last:
                return

    started = time.perf_counter()
    for last in (FIRST - AT_ONCE, pages - AT_ONCE):
        await asyncio.gather(*(worker(last) for _ in range(AT_ONCE)))
        await asyncio.sleep(0.1)
        left[f"after_{sum(outcomes.values())}"] = _left()
    seconds = time.perf_counter() - started
    await tool.aclose()
    early, late = (left[name] for name in list(left)[1:])
    ratio = round(late["rss_kb"] / early["rss_kb"], 3)
    more = {
        "descriptors_more": late["descriptors"] - early["descriptors"],
        "children_more": late["children"] - early["children"],
        "tasks_left": len(asyncio.all_tasks()) - 1,
    }
    problems = [f"{name} is {number}" for name, number in more.items() if number > 0]
    problems += [f"memory_ratio is {ratio}"] if ratio > MEMORY_RATIO_MAX else []
    problems += [f"{sum(outcomes.values())} outcomes of {pages} pages"] if sum(outcomes.values()) != pages else []
    return {
        "pages": sum(outcomes.values()),
        "pages_per_second": round(pages / seconds),
        "outcomes": dict(sorted(outcomes.items())),
        "left": left,
        "memory_ratio": ratio,
        **more,
        "problems": problems,
    }


async def serve() -> None:
    """The server: prints its port, then answers until it is killed."""
    server = await asyncio.start_server(_answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ")[1].decode()
            number = int(target[1:]) if target[1:].isdigit() else -1
            if number >= 0 and number % FAULT_EVERY == 0:
                await _fault(FAULTS[number // FAULT_EVERY % len(FAULTS)], writer)
                return
            body = b"User-agent: *\nDisallow: /never" if number < 0 else PAGE
            writer.write(OK + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        return
    finally:
        writer.close()


async def _fault(kind: str, writer: asyncio.StreamWriter) -> None:
    match kind:
        case "cut":
            writer.write(OK + b"Content-Length: 5000\r\n\r\nshort")
        case "reset":
            writer.transport.abort()
        case "silent":
            await asyncio.sleep(2)
        case "coding":
            writer.write(OK + b"Content-Encoding: br\r\nContent-Length: 4\r\n\r\n\xff\xff\xff\xff")
        case "error":
            writer.write(b"HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n")
        case "head":
            writer.write(OK + b"".join(b"X-%d: y\r\n" % number for number in range(100_000)) + b"\r\n")
        case "endless":
            writer.write(OK + b"\r\n")
            for _ in range(300):
                writer.write(b"x" * 10_000)
                await writer.drain()
        case "inside":
            writer.write(b"HTTP/1.1 302 Go\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n")
        case "bomb":
            writer.write(OK + f"Content-Encoding: gzip\r\nContent-Length: {len(BOMB)}\r\n\r\n".encode() + BOMB)
        case "no pdf":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\nContent-Length: 5\r\n\r\nhello")
        case "nested":
            body = b"<div>" * 100_000
            writer.write(OK + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        case _:
            writer.write(b"HTTP/1.1 204 Nothing\r\n\r\n")
    await writer.drain()


def main() -> int:
    """Start the server, measure, end the server."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fetching", description=__doc__)
    parser.add_argument("part", nargs="?", choices=("measure", "serve"), default="measure", help=argparse.SUPPRESS)
    parser.add_argument(
        "--pages", type=int, default=PAGES, help="at least 2,000; memory is read after the first 1,000, too"
    )
    options = parser.parse_args()
    if options.part == "serve":
        asyncio.run(serve())
        return 0
    if options.pages < 2 * FIRST:
        parser.error(f"fewer than {2 * FIRST:,} pages say nothing about memory")
    server = subprocess.Popen([sys.executable, "-m", "benchmarks.fetching", "serve"], stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            port = int(server.stdout.readline())
            report = asyncio.run(measured(port, folder, options.pages))
    finally:
        server.kill()
        server.wait()
    print(json.dumps(report, indent=1))
    return 1 if report["problems"] else 0


if __name__ == "__main__":
    sys.exit(main())
