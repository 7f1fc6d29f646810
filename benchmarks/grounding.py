"""Questions that folders can and cannot answer, asked through the gate: how many come back grounded, as JSON.

Run from the project's root: `.venv/bin/python -m benchmarks.grounding`. Half of the questions were written before the
check existed and half after it was finished, the later half over other folders. Half of the unanswerable ones are off
topic; the others are near misses, which name the folder's own subjects and ask what no file says.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

from app import Principal, Settings, open_gate, read_request
from app.kernel.outcome import ResearchOutcome
from app.kernel.stops import Action
from app.wiring import documents_ready
from benchmarks.corpora import corpora

ROOT = Path(__file__).parents[1]
QUESTIONS = Path(__file__).parent / "data" / "grounding.jsonl"
MOSTLY_ASCII = 0.97


def folder_of(name: str, scratch: Path) -> Path | None:
    """A folder of documents by its name; None where its corpus is not on this machine."""
    if name == "bread":
        return ROOT / "samples" / "bread"
    if name == "docs":
        return ROOT / "docs"
    if not corpora().is_dir():
        return None
    folder = scratch / name
    folder.mkdir()
    if name == "reports":
        with gzip.open(corpora() / "reports" / "gpt-5.jsonl.gz", "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if sum(c.isascii() for c in row["article"]) > MOSTLY_ASCII * len(row["article"]):
                    (folder / f"report-{row['id']}.md").write_text(row["article"], encoding="utf-8")
        return folder
    pages = sorted((corpora() / "extraction" / "articles" / "html").glob("*.html.gz"))
    for page in pages[name == "articles_b" :: 2]:
        (folder / f"{page.name[:16]}.html").write_bytes(gzip.decompress(page.read_bytes()))
    return folder


async def asked(folder: Path, questions: list[dict], data: Path) -> list[ResearchOutcome]:
    """The outcome of each question over one folder."""
    settings = Settings(data_dir=data, environment="dev")
    collection, _ = await documents_ready(folder, settings)
    async with open_gate(collection, settings=settings) as router:
        return [
            await router.run(
                read_request(question=row["question"]),
                # Each question from somebody else, so that no rate cap is met.
                Principal(tenant="bench", user=f"u{number}", tier="PRO", collections=("documents",)),
            )
            for number, row in enumerate(questions)
        ]


def right(row: dict, outcome: ResearchOutcome) -> bool:
    """Whether the answer holds a passage of a file that answers."""
    found = {unquote(source.locator.partition("/")[2].partition("#")[0]) for source in outcome.bundle.sources}
    return bool(found & set(row["files"]))


def main() -> None:
    """Print the shares, by when the questions were written."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    counts: dict[str, Counter[str]] = {"before": Counter(), "after": Counter()}
    skipped, wrong = [], []
    with tempfile.TemporaryDirectory(prefix="portcullis-grounding-") as scratch:
        for name in dict.fromkeys(row["folder"] for row in rows):
            here = [row for row in rows if row["folder"] == name]
            folder = folder_of(name, Path(scratch))
            if folder is None:
                skipped.append(name)
                continue
            print(f"asking {len(here)} questions of {name}", file=sys.stderr)
            for row, outcome in zip(
                here, asyncio.run(asked(folder, here, Path(scratch) / f"{name}.data")), strict=True
            ):
                count = counts[row["written"]]
                grounded = outcome.verdict.action is Action.GROUNDED
                if not row["answerable"]:
                    count.update(
                        unanswerable=1, grounded=grounded, grounded_in_the_first_release=row["grounded_before"]
                    )
                    if grounded:
                        wrong.append(row["question"])
                else:
                    count.update(answerable=1, right=right(row, outcome))
                    if row["right_before"]:
                        count.update(right_in_the_first_release=1, stayed_right=right(row, outcome))
    figures = {f"written_{when}_the_code": told(count) for when, count in counts.items()}
    figures["all"] = told(sum(counts.values(), Counter()))
    print(json.dumps({**figures, "grounded_and_should_not_be": wrong, "skipped_folders": skipped}))


def told(count: Counter[str]) -> dict[str, float | int]:
    """The counts, and the two shares that matter."""
    return {
        **dict(sorted(count.items())),
        "grounded_percent": round(100 * count["grounded"] / max(1, count["unanswerable"]), 1),
        "stayed_right_percent": round(100 * count["stayed_right"] / max(1, count["right_in_the_first_release"]), 1),
    }


if __name__ == "__main__":
    main()
