"""Right sentences first: questions that four small folders can and cannot answer, researched, as one JSON document.

Run from the project's root: `.venv/bin/python -m benchmarks.answers`. Folders and questions were written after the code
was finished; most of the unanswerable ones are near misses, which name the folder's own subjects.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.scifact_research import Researched, researched

DATA = Path(__file__).parent / "data"
FOLDERS = DATA / "answers"
QUESTIONS = DATA / "answers.jsonl"
MARK = re.compile(r"\[\d+\]")


def judged(row: dict, found: Researched) -> str:
    """How an answer compares with what its row wants."""
    answer, cited = found.result.answer, bool(found.result.citations)
    if not row["answerable"]:
        return "grounded" if cited else "refused"
    if not cited:
        return "closed"
    if row["parts"]:
        return "right" if all(part in answer for part in row["parts"]) else "wrong"
    first = MARK.split(answer)[0]
    if any(phrase in first for phrase in row["says"]):
        return "right"
    return "right_but_later" if any(phrase in answer for phrase in row["says"]) else "wrong"


def main() -> None:
    """Print the counts, and the questions that went wrong."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="portcullis-answers-") as scratch:
        for name in dict.fromkeys(row["folder"] for row in rows):
            here = [row for row in rows if row["folder"] == name]
            print(f"asking {len(here)} questions of {name}", file=sys.stderr)
            asked = researched(FOLDERS / name, Path(scratch) / name, [row["question"] for row in here])
            for row, found in zip(here, asyncio.run(asked), strict=True):
                verdict = judged(row, found)
                kind = "answerable" if row["answerable"] else "near_misses" if row["near"] else "off_topic"
                counts.update((kind, f"{kind}_{verdict}"))
                if verdict not in ("right", "refused"):
                    wrong.append(f"{verdict}: {row['question']}")
    unanswerable = counts["near_misses"] + counts["off_topic"]
    grounded = counts["near_misses_grounded"] + counts["off_topic_grounded"]
    shares = {
        "right_first_percent": round(100 * counts["answerable_right"] / max(1, counts["answerable"]), 1),
        "unanswerable_grounded_percent": round(100 * grounded / max(1, unanswerable), 1),
    }
    print(json.dumps({**dict(sorted(counts.items())), **shares, "went_wrong": wrong}, ensure_ascii=False))


if __name__ == "__main__":
    main()
