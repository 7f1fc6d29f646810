"""Research without a network: generated questions over the sample documents, audited; and its cost.

Run from the project's root: `.venv/bin/python -m benchmarks.research`. The ratio is of a balanced session to as many
plain `search_documents` calls: the same look-ups, screen and journal, without a plan, an answer or a confidence.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

from app import Principal, Researcher, ResearchResult, Settings, open_archive, open_gate
from app.capabilities.answers.research import result as composed_result
from app.capabilities.answers.research_input import ResearchInput
from app.evidence.grounding.bearing import ENOUGH_MILLI, bearing_of
from app.evidence.grounding.facets import facets_of
from app.evidence.ranking_quality import percentile_ms
from app.kernel.outcome import ResearchOutcome
from benchmarks.research_web import beside_bare_fetches

ROOT = Path(__file__).parents[1]
BREAD = ROOT / "samples" / "bread"
RESULTS = 500
TIMED = 60
_ASKED = (
    "How long does {} take?", "What is {}?", "Why does {} matter?", "How warm should {} be?", "How much {} is used?",
)  # fmt: skip


def subjects() -> list[str]:
    """What the sample documents have headings about."""
    found = []
    for path in sorted(BREAD.glob("*.md")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                found.append(line.lstrip("# ").rstrip("?").lower())
    return list(dict.fromkeys(found))


def questions() -> list[str]:
    """Generated questions of one to three facets, always the same."""
    named = subjects()
    single = [form.format(subject) for subject, form in itertools.product(named, _ASKED)]
    several = [f"{a} {b}" for a, b in zip(single[::3], single[1::3], strict=False)]
    three = [f"{a} {b} {c}" for a, b, c in zip(single[::5], single[2::5], single[4::5], strict=False)]
    mixed = [one for group in itertools.zip_longest(single, several, three) for one in group if one]
    return [question for question in mixed if len(question) <= 500][:RESULTS]


async def asked(settings: Settings, texts: list[str]) -> list[tuple[str, ResearchResult, ResearchOutcome, int]]:
    """Question, result, outcome and time of each."""
    found = []
    async with open_gate(BREAD, settings=settings) as gate:
        for number, text in enumerate(texts):
            who = Principal(tenant="bench", user=f"u{number}", tier="MAX", collections=("documents",))
            researcher = Researcher(gate, who)
            started = time.perf_counter_ns()
            result = await researcher.research(text, constraints={"source_filter": "documents", "max_iterations": 4})
            assert researcher.outcome is not None
            found.append((text, result, researcher.outcome, time.perf_counter_ns() - started))
    return found


async def bare(settings: Settings, rows: list[tuple[str, int]]) -> list[int]:
    """The time of as many plain look-ups as each session made."""
    taken = []
    async with open_gate(BREAD, settings=settings) as gate:
        for number, (text, calls) in enumerate(rows):
            started = time.perf_counter_ns()
            for place in range(calls):
                who = Principal(tenant="bench", user=f"b{number}-{place}", tier="MAX", collections=("documents",))
                await gate.call("search_documents", {"question": text, "limit": 8}, who)
            taken.append(time.perf_counter_ns() - started)
    return taken


def citations_where_three_documents_answer(
    rows: list[tuple[str, ResearchResult, ResearchOutcome, int]],
) -> dict[str, object]:
    """How often a result over documents cites three, among questions of one facet that three documents answer."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(BREAD.glob("*.md"))}
    asked = cited = stray = 0
    for question, result, _outcome, _took in rows:
        if len(facets_of(question)) != 1 or not result.citations:
            continue
        answering = {
            name for name, text in texts.items() if any(_answers(question, name, part) for part in text.split("\n## "))
        }
        if len(answering) < 3:
            continue
        asked += 1
        places = {one.locator.partition("#")[0].removeprefix("doc:documents/") for one in result.citations}
        cited += len(places) >= 3
        stray += bool(places - answering)
    share = round(cited / max(1, asked), 3)
    return {"three_documents_answer": asked, "three_cited": share, "with_a_stray_citation": stray}


def _answers(question: str, name: str, part: str) -> bool:
    heading, _, body = part.partition("\n")
    return bearing_of(question, name.removesuffix(".md").replace("-", " "), heading, body, {}).milli >= ENOUGH_MILLI


def main() -> int:
    """Print one JSON document."""
    with tempfile.TemporaryDirectory(prefix="portcullis-research-") as scratch:
        settings = Settings(data_dir=Path(scratch), environment="dev")
        say("researching generated questions")
        found = asyncio.run(asked(settings, questions()))
        say("auditing")
        archive = open_archive(settings)
        reports = [archive.audit(result.model_dump_json().encode()) for _, result, _, _ in found]
        timed = found[:TIMED]
        say("bare look-ups")
        plain = asyncio.run(bare(settings, [(text, len(outcome.outcomes)) for text, _, outcome, _ in timed]))
        composing = []
        for text, _, outcome, _ in timed:
            started = time.perf_counter_ns()
            if outcome.bundle.sources:
                composed_result(ResearchInput(question=text), outcome)
            composing.append(time.perf_counter_ns() - started)
    ours = [took for *_, took in timed]
    figures = {
        "results": len(found),
        "grounded": sum(bool(result.citations) for _, result, _, _ in found),
        "citations": sum(report.citations for report in reports),
        "citations_cut_again": sum(report.recut for report in reports),
        "factual_sentences": sum(report.sentences for report in reports),
        "sentences_cited": sum(report.cited for report in reports),
        "urls_not_fetched": sum(report.urls_not_fetched for report in reports),
        "faults": [fault for report in reports for fault in report.faults][:5],
        "session_p50_ms": percentile_ms(ours, 50),
        "bare_look_ups_p50_ms": percentile_ms(plain, 50),
        "ratio": round(sum(ours) / max(1, sum(plain)), 2),
        **asyncio.run(beside_bare_fetches()),
        **citations_where_three_documents_answer(found),
        "share_of_composing": round(sum(composing) / max(1, sum(ours)), 3),
    }
    print(json.dumps(figures))
    return int(bool(figures["faults"]))


def say(text: str) -> None:
    """Progress on stderr."""
    print(text, file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
