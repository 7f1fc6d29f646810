"""Research over the loopback web beside the bare fetch and extraction of the same pages; part of `make bench-research`.

Zero network latency, a cold cache for every question. The bare side fetches the pages that a session read, one
after the other, without robots.txt, and reads them in this process.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from typing import Any

from tests.fixtures.web_world import WEB_SERVICES, open_world, world_gate

from app import Principal
from app.parsing.fetched import FetchedAs, read_fetched
from app.parsing.http.exchange import Fetched, WebRequest
from app.system.settings import settings_from
from app.tools.fetch.fetcher import Fetcher
from app.tools.fetch.ports import FetchConfig

__all__ = ["beside_bare_fetches"]

_FILTER = "-tidewatch-blog.example"
_ASKED = (
    "How long does the train journey from Port Kelder to Lower Marren take?",
    "How many inhabitants does Port Kelder have?",
    "How much does a heat pump cost in an old house?",
    "How many seagrass shoots survived after two winters?",
    "When was Tallystore 3.2 released?",
)


async def beside_bare_fetches() -> dict[str, Any]:
    """Median-free sums over a few questions, and what a session's time went into."""
    ours = bare = pages = calls = 0
    tools: Counter[str] = Counter()
    async with open_world() as world:
        for number, question in enumerate(_ASKED):
            with tempfile.TemporaryDirectory(prefix="portcullis-research-") as folder:
                settings = settings_from({**WEB_SERVICES, "PORTCULLIS_DATA": folder})
                who = Principal(tenant="bench", user=f"w{number}", tier="MAX")
                asked = {"question": question, "collection": None, "constraints": {"source_filter": _FILTER}}
                async with world_gate(None, settings=settings, world=world) as gate:
                    # A first session warms the processes that read pages.
                    await gate.call("research", {**asked, "question": "What does a ticket cost?"}, who)
                    started = time.perf_counter_ns()
                    answer = await gate.call("research", asked, who)
                    ours += time.perf_counter_ns() - started
                (outcome,) = answer.outcomes
                calls += len(outcome.outcomes)
                for one in outcome.outcomes:
                    tools[one.tool] += one.elapsed_ms
                read = [one.locator for one in outcome.bundle.sources if one.kind.value == "fetched"]
                fetcher = Fetcher(FetchConfig(), world.net.machine)
                started = time.perf_counter_ns()
                for url in read:
                    pages += await _bare(fetcher, url)
                bare += time.perf_counter_ns() - started
    return {
        "web_sessions": len(_ASKED),
        "web_calls": calls,
        "web_pages_read": pages,
        "web_session_ms": round(ours / len(_ASKED) / 1e6, 1),
        "web_bare_ms": round(bare / len(_ASKED) / 1e6, 1),
        "web_ms_in_calls_by_tool": {name: round(ms / len(_ASKED), 1) for name, ms in sorted(tools.items())},
        "web_ratio_to_bare_fetch_and_extraction": round(ours / max(1, bare), 2),
    }


async def _bare(fetcher: Fetcher, url: str) -> int:
    wish = WebRequest(url=url, tenant="bench", deadline_ms=5_000, max_bytes=1_000_000, robots=False, paced=False)
    got = await fetcher.fetch(wish)
    if not isinstance(got, Fetched):
        return 0
    about = FetchedAs(url=got.url, content_type=got.content_type, charset=got.charset, form="text")
    read_fetched(got.body, about.model_dump_json())
    return 1
