"""What the sandbox costs: a document read in a confined process beside the same parser in this one, in the same run.

Calls alternate, so that a busy machine slows both. `ratio` is the median of the pairs' ratios on a page of 100 kB, by
the clock or by the processor, by the reader or by the pool: whichever is worst. `refresh_ratio` is that of an index
of 2,000 small files, made from nothing, by the clock and with the start of the process. Prints one JSON document.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from app.parsing.document import DocumentParser, ParsedDocument, Refusal, parse_document
from app.system.stores.documents.index import open_index
from app.tools.sandbox.host.document_reading import ReaderProcess
from app.tools.sandbox.host.parsers import ParserPool, open_document_pool

PAGE_BYTES = 100_000
SETTLED = 3
_TEXT = "rye bread keeps for days when the crust is dark and the crumb is moist while wheat dries within hours"
_WORDS = _TEXT.split()


def page(size: int) -> bytes:
    """A page as sites have them: navigation, sections, lists, a table, scripts, something hidden."""
    parts = ["<!doctype html><html><head><title>On bread</title><script>var a = 1;</script></head><body><nav>"]
    parts += [f'<a href="/{n}">{_sentence(n, 2)}</a>' for n in range(40)]
    parts.append("</nav><main>")
    length, number = sum(map(len, parts)), 0
    while length < size - 200:
        section = (
            f'<section class="s{number}"><h2>{_sentence(number, 5)}</h2><p>{_sentence(number, 60)}</p>'
            f"<p>{_sentence(number + 7, 45)} <a href='#{number}'>more</a> &amp; <em>{_sentence(number, 4)}</em></p>"
            f"<ul><li>{_sentence(number, 9)}</li><li>{_sentence(number + 3, 8)}</li></ul>"
            f"<table><tr><th>a</th><th>b</th></tr><tr><td>{number}</td><td>{number * 7}</td></tr></table>"
            f'<div style="display:none">{_sentence(number, 3)}</div></section>'
        )
        parts.append(section)
        length, number = length + len(section), number + 1
    parts.append("</main></body></html>")
    return "".join(parts).encode().ljust(size, b"\n")[:size]


def measured(call: Callable[[], object], workers: tuple[int, ...]) -> tuple[float, float]:
    """Time by the clock, and by the processor: this process and the workers together."""
    cpu, begin = _cpu(workers), time.perf_counter()
    call()
    return time.perf_counter() - begin, _cpu(workers) - cpu


def pairs(
    here: Callable[[], object], there: Callable[[], object], rounds: int, workers: tuple[int, ...]
) -> dict[str, float]:
    """Both, alternating which comes first."""
    near, far = [], []
    for number in range(rounds + SETTLED):
        order = (here, there) if number % 2 else (there, here)
        taken = {call: measured(call, workers) for call in order}
        if number >= SETTLED:
            near.append(taken[here])
            far.append(taken[there])
    clock = [b[0] / a[0] for a, b in zip(near, far, strict=True)]
    cpu = [b[1] / a[1] for a, b in zip(near, far, strict=True)]
    return {
        "in_process_us": _median_us([taken for taken, _ in near]),
        "sandbox_us": _median_us([taken for taken, _ in far]),
        "in_process_cpu_us": _median_us([taken for _, taken in near]),
        "sandbox_cpu_us": _median_us([taken for _, taken in far]),
        "ratio": round(statistics.median(clock), 3),
        "ratio_p90": round(sorted(clock)[int(0.9 * len(clock))], 3),
        "cpu_ratio": round(statistics.median(cpu), 3),
    }


def costs(data: bytes, name: str, rounds: int) -> dict[str, dict[str, float]]:
    """A document by a thread that waits, and by the pool on a loop."""
    with ReaderProcess() as reader, asyncio.Runner() as runner:
        pool: ParserPool[ParsedDocument | Refusal] = open_document_pool()

        async def parse() -> ParsedDocument | Refusal:
            return await pool.parse(data, name)

        assert reader(data, name) == runner.run(parse()) == parse_document(data, name)
        assert reader.pid is not None
        workers = (reader.pid, *pool.pids)
        found = {
            "reader": pairs(lambda: parse_document(data, name), lambda: reader(data, name), rounds, workers),
            "pool": pairs(lambda: parse_document(data, name), lambda: runner.run(parse()), rounds, workers),
        }
        runner.run(pool.aclose())
    return found


def refresh(files: int, rounds: int) -> dict[str, object]:
    """Fresh indexes of one folder, by turns: in this process, read ahead, and one file after the other."""
    taken: dict[str, list[tuple[float, float]]] = {"in_process": [], "sandbox": [], "one_by_one": []}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "pages"
        folder.mkdir()
        for number in range(files):
            (folder / f"{number:05d}.md").write_text(f"# Note {number}\n\n{_sentence(number, 120)}\n")
        for number in range(rounds):
            for way, into in taken.items():
                into.append(_refreshed(folder, Path(place) / f"{way}-{number}", way))
    found: dict[str, object] = {"files": files}
    for way, into in taken.items():
        found[f"{way}_s"] = [round(clock, 3) for clock, _ in into]
        found[f"{way}_cpu_s"] = [round(cpu, 3) for _, cpu in into]
    for name, place_of in (("ratio", 0), ("cpu_ratio", 1)):
        pairs_of = zip(taken["in_process"], taken["sandbox"], strict=True)
        found[f"{name}s"] = ratios = [round(far[place_of] / near[place_of], 3) for near, far in pairs_of]
        found[name] = round(statistics.median(ratios), 3)
    return found


class _OneByOne:
    """The same process, asked for the next file when it has answered for the last."""

    def __init__(self, reader: ReaderProcess) -> None:
        self._reader = reader

    def __call__(self, data: bytes, name: str, /) -> ParsedDocument | Refusal:
        return self._reader(data, name)


def _refreshed(folder: Path, state: Path, way: str) -> tuple[float, float]:
    """Time by the clock and the processor, with the start and the end of the process where there is one."""
    before, begin = sum(os.times()[:4]), time.perf_counter()
    with ReaderProcess() as reader:
        ways: dict[str, DocumentParser] = {
            "in_process": parse_document,
            "sandbox": reader,
            "one_by_one": _OneByOne(reader),
        }
        index = open_index(folder, state, parse=ways[way])
        report = index.refresh()
        index.close()
    assert report.documents == len(list(folder.iterdir()))
    return time.perf_counter() - begin, sum(os.times()[:4]) - before


def _cpu(workers: tuple[int, ...]) -> float:
    # The kernel's number for the processor clock of another process.
    return time.process_time() + sum(time.clock_gettime((~pid << 3) | 2) for pid in workers)


def _median_us(taken: list[float]) -> float:
    return round(statistics.median(taken) * 1e6, 1)


def _sentence(seed: int, count: int) -> str:
    return " ".join(_WORDS[(seed * 7 + place * 3) % len(_WORDS)] for place in range(count)) + f" {seed}."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--files", type=int, default=2_000)
    parser.add_argument("--refreshes", type=int, default=5)
    chosen = parser.parse_args()
    data = page(PAGE_BYTES)
    html = costs(data, "page.html", chosen.rounds)
    refreshed = refresh(chosen.files, chosen.refreshes)
    document = {
        "page_bytes": len(data),
        "html": html,
        "plain_text": costs(data, "page.txt", chosen.rounds),
        "refresh": refreshed,
        "ratio": max(way[which] for way in html.values() for which in ("ratio", "cpu_ratio")),
        "refresh_ratio": refreshed["ratio"],
        "refresh_cpu_ratio": refreshed["cpu_ratio"],
        "target": {"ratio": 1.5},
    }
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
