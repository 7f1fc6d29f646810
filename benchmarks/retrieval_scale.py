"""Search over 60,000 synthetic documents: our p50 beside raw tantivy's in the same run, as one JSON document.

Run from the project's root: `.venv/bin/python benchmarks/retrieval_scale.py [--documents N] [--queries N]`.
Raw tantivy indexes the same texts with its own English tokenizer, answers the same questions through its query
parser and hands back ten addresses without their texts; the two take turns question by question.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import tantivy
from scripts.seeded_chance import seeded_chance

from app.evidence.ranking_quality import percentile_ms
from app.system.stores.documents.index import FolderIndex, open_index

SEED = 20_240_501
VOCABULARY = 50_000
ANSWERS = 10
SYLLABLES = (
    "ba",
    "co",
    "di",
    "fu",
    "ga",
    "he",
    "ji",
    "ko",
    "lu",
    "me",
    "ni",
    "pa",
    "qui",
    "ro",
    "sa",
    "te",
    "vo",
    "zu",
)


def vocabulary(chance: random.Random) -> list[str]:
    """Made-up words of two to five syllables, no two alike."""
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(chance.choices(SYLLABLES, k=chance.randint(2, 5)))] = None
    return list(words)


def pages(chance: random.Random, words: list[str], count: int) -> Iterator[tuple[str, list[str]]]:
    """Titles and bodies whose words follow Zipf's law, 60 to 240 words in a body."""
    weights = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    for _ in range(count):
        drawn = chance.choices(words, cum_weights=weights, k=chance.randint(66, 246))
        yield " ".join(drawn[:6]), drawn[6:]


def build_raw(folder: Path, texts: list[tuple[str, str]]) -> tuple[tantivy.Index, float]:
    """The same texts in tantivy as it comes."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("title", stored=True, tokenizer_name="en_stem")
    builder.add_text_field("body", stored=True, tokenizer_name="en_stem")
    folder.mkdir()
    index = tantivy.Index(builder.build(), path=str(folder))
    started = time.perf_counter()
    writer = index.writer(heap_size=1_000_000_000, num_threads=1)
    for title, body in texts:
        writer.add_document(tantivy.Document(title=title, body=body))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index, time.perf_counter() - started


def asked(ours: FolderIndex, raw: tantivy.Index, questions: list[str]) -> tuple[list[int], list[int]]:
    """Nanoseconds per question of the two, in turns."""
    ours_ns: list[int] = []
    raw_ns: list[int] = []
    searcher = raw.searcher()
    for question in questions:
        started = time.perf_counter_ns()
        hits = ours.search(question, ANSWERS)
        ours_ns.append(time.perf_counter_ns() - started)
        started = time.perf_counter_ns()
        query = raw.parse_query(question, ["title", "body"], field_boosts={"title": 2.0})
        found = searcher.search(query, ANSWERS, count=False).hits
        raw_ns.append(time.perf_counter_ns() - started)
        assert hits
        assert found
    return ours_ns, raw_ns


def main() -> None:
    """Builds both, asks both, prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=60_000)
    parser.add_argument("--queries", type=int, default=400)
    wish = parser.parse_args()
    chance = seeded_chance(SEED)
    words = vocabulary(chance)
    texts: list[tuple[str, str]] = []
    questions: list[str] = []
    with tempfile.TemporaryDirectory(prefix="portcullis-scale-") as scratch:
        folder = Path(scratch) / "documents"
        for number, (title, body) in enumerate(pages(chance, words, wish.documents)):
            text = ". ".join(" ".join(body[at : at + 12]) for at in range(0, len(body), 12))
            texts.append((title, text))
            path = folder / f"{number // 1000:03d}" / f"{number:06d}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
            if len(questions) < wish.queries:
                questions.append(" ".join(chance.sample(body, 7)))
        print(f"indexing {wish.documents} documents", file=sys.stderr)
        index = open_index(folder, Path(scratch) / "state")
        started = time.perf_counter()
        report = index.refresh()
        first_s = time.perf_counter() - started
        started = time.perf_counter()
        index.refresh()
        idle_s = time.perf_counter() - started
        (folder / "000" / "000000.md").write_text("# changed\n\nchanged\n", encoding="utf-8")
        started = time.perf_counter()
        index.refresh()
        one_changed_s = time.perf_counter() - started
        raw, raw_s = build_raw(Path(scratch) / "raw", texts)
        asked(index, raw, questions[:50])  # warm both up
        ours_ns, raw_ns = asked(index, raw, questions)
        index.close()
    ours_ms, raw_ms = percentile_ms(ours_ns, 50), percentile_ms(raw_ns, 50)
    figures = {
        "docs": report.documents,
        "passages": report.passages,
        "queries": len(questions),
        "p50_ms": ours_ms,
        "p95_ms": percentile_ms(ours_ns, 95),
        "raw_tantivy_p50_ms": raw_ms,
        "raw_tantivy_p95_ms": percentile_ms(raw_ns, 95),
        "ratio": round(ours_ms / raw_ms, 2),
        "first_refresh_s": round(first_s, 2),
        "refresh_nothing_changed_s": round(idle_s, 2),
        "refresh_one_changed_s": round(one_changed_s, 2),
        "raw_tantivy_index_s": round(raw_s, 2),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
