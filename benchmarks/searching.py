"""What a search costs beside the bare JSON of its answers: five providers with twenty results each, in one run.

Prints one JSON document: medians over interleaved rounds, in microseconds for all five answers. `decode` is
`json.loads` of the same bytes; `parse` the providers' own code, `read` the same in the sandbox, as the tool does it,
`merge` the ranking of the hundred results. `ratio` is (read + merge) / decode.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable

from app.evidence.merging import merge_hits
from app.kernel.providers import HttpAnswer, Parsed
from app.kernel.results import TRUST_MARKER, Source, SourceKind
from app.system.provider_code import AnswerAbout, load_provider, provider_modules
from app.system.provider_files import read_providers
from app.tools.services import open_answer_reader

ROUNDS = 60
RESULTS = 20
PROVIDERS = ("searxng", "brave", "serper", "tavily", "hackernews")
_TEXT = "Twenty words about the tide, the turbines and the towns on the coast that a search engine would show here."


def bodies() -> dict[str, bytes]:
    """One answer of each, in its own shape; every third page is found by all of them."""

    def page(provider: str, number: int) -> tuple[str, str]:
        site = "shared" if number % 3 == 0 else provider
        return f"https://{site}.example/page/{number}?utm_source={provider}", f"Page {number} of {site}"

    pages = {name: [page(name, number) for number in range(RESULTS)] for name in PROVIDERS}
    rows = {
        "searxng": {
            "query": "tide",
            "results": [{"url": u, "title": t, "content": _TEXT, "template": "d"} for u, t in pages["searxng"]],
        },
        "brave": {
            "type": "search",
            "web": {"results": [{"url": u, "title": t, "description": _TEXT} for u, t in pages["brave"]]},
        },
        "serper": {
            "searchParameters": {"type": "search"},
            "organic": [{"link": u, "title": t, "snippet": _TEXT} for u, t in pages["serper"]],
        },
        "tavily": {
            "query": "tide",
            "results": [{"url": u, "title": t, "content": _TEXT} for u, t in pages["tavily"]],
        },
        "hackernews": {
            "hits": [
                {"objectID": str(number), "url": u, "title": t, "story_text": _TEXT}
                for number, (u, t) in enumerate(pages["hackernews"])
            ],
            "nbHits": RESULTS,
        },
    }
    return {name: json.dumps(row).encode() for name, row in rows.items()}


def sources(parsed: dict[str, Parsed]) -> tuple[Source, ...]:
    """The hits as the gate would hand them over."""
    digest = "0" * 64
    return tuple(
        Source(
            source_id=f"{number:064x}",
            call_id="search-1",
            tool="services",
            kind=SourceKind.HIT,
            payload="record",
            locator=hit.locator,
            title=hit.title,
            text=hit.text,
            metadata=(("service:provider", name), ("service:position", str(place))),
            content_hash=digest,
            text_hash=digest,
            start=0,
            end=len(hit.text),
            relevance_milli=0,
            trust=TRUST_MARKER,
        )
        for number, (name, place, hit) in enumerate(
            (name, place, hit) for name, read in parsed.items() for place, hit in enumerate(read.hits)
        )
    )


async def _timed(work: Callable[[], Awaitable[object] | object]) -> float:
    started = time.perf_counter_ns()
    done = work()
    if isinstance(done, Awaitable):
        await done
    return (time.perf_counter_ns() - started) / 1000


async def measured() -> dict[str, object]:
    """Interleaved rounds, medians."""
    answers = bodies()
    reader = open_answer_reader(provider_modules(read_providers()))
    about = {name: AnswerAbout(provider=name, kind="web", status=200, url="", headers=()) for name in PROVIDERS}
    code = {name: load_provider(name) for name in PROVIDERS}
    given = {name: HttpAnswer(status=200, body=body) for name, body in answers.items()}

    async def read() -> None:
        for name, body in answers.items():
            await reader.parse(body, about[name].model_dump_json(), deadline_ms=5_000)

    def parse() -> dict[str, Parsed]:
        found = {name: code[name].parse("web", answer) for name, answer in given.items()}
        return {name: said for name, said in found.items() if isinstance(said, Parsed)}

    hits = sources(parse())
    if len(hits) != RESULTS * len(PROVIDERS):
        raise RuntimeError(f"{len(hits)} hits")
    try:
        rounds: list[tuple[float, ...]] = []
        for number in range(ROUNDS + 5):
            row = (
                await _timed(lambda: [json.loads(body) for body in answers.values()]),
                await _timed(parse),
                await _timed(read),
                await _timed(lambda: merge_hits(hits)),
            )
            if number >= 5:  # the first rounds start the reader and warm caches
                rounds.append(row)
    finally:
        await reader.aclose()
    decode, parsed, sandboxed, merged = (statistics.median(column) for column in zip(*rounds, strict=True))
    return {
        "providers": len(PROVIDERS),
        "results_each": RESULTS,
        "bytes": sum(map(len, answers.values())),
        "merged_pages": len(merge_hits(hits)),
        "decode_us": round(decode, 1),
        "parse_us": round(parsed, 1),
        "read_us": round(sandboxed, 1),
        "merge_us": round(merged, 1),
        "ratio": round(statistics.median((row[2] + row[3]) / row[0] for row in rounds), 2),
        "ratio_without_the_sandbox": round(statistics.median((row[1] + row[3]) / row[0] for row in rounds), 2),
        "dominates": max(
            (
                ("records of the providers", parsed),
                ("the hop into the sandbox", sandboxed - parsed),
                ("merging", merged),
            ),
            key=lambda part: part[1],
        )[0],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measured()), indent=2))
