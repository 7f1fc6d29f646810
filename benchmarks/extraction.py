"""Main content of real pages: F1 and pages per second beside other extractors, as one JSON document.

F1 is over runs of four words, as macro averages of precision and recall per page. Speed is measured on two processes
per extractor, which take turns round by round; ours includes decoding and the sandboxed process that reads the page.
The corpus is third-party text and stays outside: `PORTCULLIS_CORPORA`, else `../shared/corpora`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.extraction_worker import EXTRACTORS, PARTS, pages

ROOT = Path(__file__).parents[1]
CORPUS = Path(os.environ.get("PORTCULLIS_CORPORA", ROOT.parent / "shared" / "corpora")) / "extraction" / "articles"
ROUNDS = 5
TIMED = ("portcullis", "trafilatura fast")
MARGIN = 0.002
WORDS = re.compile(r"\w+")
RUN = 4


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """How often each run of four words occurs."""
    words = WORDS.findall(text)
    runs = (tuple(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1)))
    return Counter(run for run in runs if run)


def scores(wanted: dict[str, str], found: dict[str, str]) -> dict[str, float]:
    """Macro precision and recall, and their harmonic mean."""
    precisions, recalls = [], []
    for name, text in wanted.items():
        gold, ours = shingles(text), shingles(found.get(name, ""))
        right = sum((gold & ours).values())
        if ours:
            precisions.append(right / sum(ours.values()))
        if gold:
            recalls.append(right / sum(gold.values()))
    precision, recall = statistics.fmean(precisions), statistics.fmean(recalls)
    f1 = 2 * precision * recall / (precision + recall)
    return {"f1": round(f1, 4), "precision": round(precision, 4), "recall": round(recall, 4)}


def is_held_out(url: str) -> bool:
    """One site in five was never looked at while the extractor was tuned."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    return hashlib.sha256(host.encode()).digest()[0] % 5 == 0


class Team:
    """Two processes of one extractor, each with half of the pages."""

    def __init__(self, name: str) -> None:
        self._workers = [
            subprocess.Popen(
                [sys.executable, "-m", "benchmarks.extraction_worker", name, str(part), str(CORPUS / "html")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=ROOT,
                text=True,
            )
            for part in range(PARTS)
        ]
        self._hear("ready")

    def _hear(self, word: str) -> None:
        for worker in self._workers:
            assert worker.stdout is not None
            assert worker.stdout.readline().strip() == word, "a worker of the benchmark ended"

    def round_s(self) -> float:
        """How long both take for all pages once."""
        started = time.perf_counter()
        for worker in self._workers:
            assert worker.stdin is not None
            worker.stdin.write("\n")
            worker.stdin.flush()
        self._hear("done")
        return time.perf_counter() - started

    def close(self) -> None:
        """End the processes by closing their input."""
        for worker in self._workers:
            assert worker.stdin is not None
            worker.stdin.close()
            worker.wait(60)


def speeds(count: int) -> dict[str, object]:
    """Pages per second of the timed extractors, taking turns."""
    teams = {name: Team(name) for name in TIMED}
    seen: dict[str, list[float]] = {name: [] for name in TIMED}
    for _ in range(ROUNDS):
        for name, team in teams.items():
            seen[name].append(count / team.round_s())
    for team in teams.values():
        team.close()
    ratios = [ours / theirs for ours, theirs in zip(*seen.values(), strict=True)]
    return {
        "pages_per_second": {name: [round(value, 1) for value in values] for name, values in seen.items()},
        "speed_ratio": round(statistics.median(ratios), 2),
    }


def main() -> int:
    """Measure and print."""
    if not CORPUS.is_dir():
        print(json.dumps({"skipped": "no corpus: set PORTCULLIS_CORPORA"}))
        return 0
    gold = json.loads((CORPUS / "ground-truth.json").read_text(encoding="utf-8"))
    sources = pages(CORPUS / "html")
    wanted = {name: entry["articleBody"] for name, entry in gold.items()}
    held_out = {name for name, entry in gold.items() if is_held_out(entry["url"])}
    figures: dict[str, dict[str, float]] = {}
    for name, make in EXTRACTORS.items():
        print(f"reading {len(sources)} pages: {name}", file=sys.stderr)
        read = make()
        found = {page: read(data) for page, data in sources.items()}
        figures[name] = scores(wanted, found)
        for part, keep in (("tuned", False), ("held_out", True)):
            chosen = {page: text for page, text in wanted.items() if (page in held_out) is keep}
            figures[name][f"f1_{part}"] = scores(chosen, found)["f1"]
    best = max(entry["f1"] for name, entry in figures.items() if name != "portcullis")
    result = {"pages": len(sources), "held_out_pages": len(held_out), "extractors": figures, **speeds(len(sources))}
    result["f1_margin"] = round(figures["portcullis"]["f1"] - best, 4)
    result["met"] = figures["portcullis"]["f1"] >= best + MARGIN and float(str(result["speed_ratio"])) >= 1.0
    print(json.dumps(result, indent=1))
    return 0 if result["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
