"""Golden research cases: question and limits in, result out; `python -m tests.research.golden` writes them."""

from __future__ import annotations

import asyncio
import json
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

from app import Principal, Researcher, Settings, open_gate
from app.kernel.canonical import sha256_hex
from app.system.settings import settings_from
from tests.fixtures.web_world import WEB_SERVICES, open_world, world_gate

HERE = Path(__file__).parent
FILE = HERE / "cases.json"
ROOT = HERE.parents[1]
FOLDERS = {"bread": ROOT / "samples" / "bread", "valley": HERE / "valley"}
WEB_FILTER = "-tidewatch-blog.example"  # the world's one poisoned page stands there


def cases():
    """Every case, in the order of the file."""
    return json.loads(FILE.read_text(encoding="utf-8"))


@asynccontextmanager
async def opened(place, data):
    """The gate of a place, and its settings."""
    if place == "web":
        settings = settings_from({**WEB_SERVICES, "PORTCULLIS_DATA": str(data)})
        async with open_world() as world, world_gate(None, settings=settings, world=world) as gate:
            yield gate, settings
        return
    settings = Settings(data_dir=data)
    async with open_gate(FOLDERS[place], settings=settings) as gate:
        yield gate, settings


async def played(gate, case, number):
    """The result of a case, and its outcome."""
    documents = () if case["place"] == "web" else ("documents",)
    who = Principal(tenant="golden", user=f"u{number}", tier="MAX", collections=documents)
    researcher = Researcher(gate, who)
    limits = dict(case.get("constraints", {}))
    if case["place"] == "web":
        limits.setdefault("source_filter", WEB_FILTER)
    else:
        limits.setdefault("source_filter", "documents")
    depth = case.get("depth", "balanced")
    given = {"max_iterations": 4, "token_budget": 15_000, **limits}
    result = await researcher.research(case["question"], case.get("context"), depth, given)
    return result, researcher.outcome


def facts(result):
    """What a case holds of a result: readable facts, and a digest of all that does not change from day to day."""
    told = result.model_dump(mode="json")
    del told["trace_id"], told["cost_metadata"]["wall_time_sec"], told["confidence_factors"]["recency"]
    places = [one.locator.partition("#")[0].removeprefix("doc:documents/") for one in result.citations]
    return {
        "answer": result.answer.partition("\n")[0],
        "sources": list(dict.fromkeys(places)),
        "gaps": [gap.category.value for gap in result.gaps],
        "discoveries": [event.type for event in result.discovery_events],
        "confidence": result.confidence,
        "digest": sha256_hex(json.dumps(told, sort_keys=True).encode()),
    }


async def _all():
    found = cases()
    for place in dict.fromkeys(case["place"] for case in found):
        with tempfile.TemporaryDirectory() as data:
            async with opened(place, Path(data)) as (gate, _):
                for number, case in enumerate(found):
                    if case["place"] == place:
                        result, _ = await played(gate, case, number)
                        case["want"] = facts(result)
    return found


def main():
    """Write what comes out now into the file; a reviewer reads the difference."""
    FILE.write_text(json.dumps(asyncio.run(_all()), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
