"""`portcullis bench`: measures retrieval on a collection in the BEIR layout."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from ..evidence.ranking_quality import mean, ndcg_at, percentile_ms, recall_at
from ..kernel.errors import ResearchError
from ..system.stores.documents.folder import FolderLimits
from ..system.stores.documents.index import FolderIndex, open_index
from .beir import BeirCollection, BeirDocument, load_beir
from .exits import Exit

__all__ = ["bench_retrieval"]

_DEPTH: Final = 100
_ANSWERS: Final = 10
_PER_FOLDER: Final = 1000
_TAG: Final = "portcullis"


def bench_retrieval(beir: Path, run: Path | None) -> Exit:
    """Index a collection as a folder of documents, ask its questions, and print one JSON document."""
    try:
        collection = load_beir(beir)
        with tempfile.TemporaryDirectory(prefix="portcullis-bench-") as scratch:
            figures, lines = _measured(collection, Path(scratch))
        if run is not None:
            run.write_text("".join(lines), encoding="utf-8")
    except (ResearchError, OSError) as exc:
        print(f"error: {exc}", file=sys.stderr)
        return Exit.INVALID
    print(json.dumps(figures))
    return Exit.GROUNDED


def _measured(collection: BeirCollection, scratch: Path) -> tuple[dict[str, float | int], list[str]]:
    names = _laid_out(collection.documents, scratch / "documents")
    index = open_index(scratch / "documents", scratch / "state", limits=FolderLimits(max_files=len(names) + 1))
    _say(f"indexing {len(names)} documents")
    started = time.perf_counter_ns()
    index.refresh()
    indexed_ns = time.perf_counter_ns() - started
    _say(f"asking {len(collection.queries)} questions")
    try:
        figures, lines = _asked(index, collection, names)
    finally:
        index.close()
    return {**figures, "index_seconds": round(indexed_ns / 1e9, 3)}, lines


def _asked(
    index: FolderIndex, collection: BeirCollection, names: dict[str, str]
) -> tuple[dict[str, float | int], list[str]]:
    gains: list[float] = []
    recalls: list[float] = []
    elapsed: list[int] = []
    lines: list[str] = []
    for query in collection.queries:
        started = time.perf_counter_ns()
        index.search(query.text, _ANSWERS)
        elapsed.append(time.perf_counter_ns() - started)
        ranked = [(names[path], score) for path, score in index.rank(query.text, _DEPTH + 1)]
        # BEIR's convention: a question that is itself a document of the collection does not find itself.
        ranked = [one for one in ranked if one[0] != query.name or one[0] in query.grades][:_DEPTH]
        found = [name for name, _ in ranked]
        gains.append(ndcg_at(10, found, query.grades))
        recalls.append(recall_at(_DEPTH, found, query.grades))
        lines.extend(
            f"{query.name} Q0 {name} {place} {score / 1000:.3f} {_TAG}\n"
            for place, (name, score) in enumerate(ranked, start=1)
        )
    figures: dict[str, float | int] = {
        "ndcg_at_10": round(mean(gains), 4),
        "recall_at_100": round(mean(recalls), 4),
        "p50_ms": percentile_ms(elapsed, 50),
        "p95_ms": percentile_ms(elapsed, 95),
        "docs": len(names),
        "queries": len(collection.queries),
    }
    return figures, lines


def _laid_out(documents: tuple[BeirDocument, ...], folder: Path) -> dict[str, str]:
    """Writes each document as a file, since ids may be no file names; returns the id of each path."""
    names: dict[str, str] = {}
    folder.mkdir()
    for number, document in enumerate(documents):
        path = f"{number // _PER_FOLDER:05d}/{number:08d}.md"
        if number % _PER_FOLDER == 0:
            (folder / path).parent.mkdir()
        (folder / path).write_text(document.as_markdown(), encoding="utf-8")
        names[path] = document.name
    return names


def _say(text: str) -> None:
    print(text, file=sys.stderr)
