"""Where the third-party corpora are, and how their rows are read; they are never part of the project."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONG = 200  # characters of a text that is worth a line of its own
QUESTION = "Please answer the following question"


@dataclass(frozen=True)
class Row:
    """One text with its label and the template, disguise or page that it is of."""

    id: str
    text: str
    kind: str
    path: str


def corpora() -> Path:
    """The folder named by `PORTCULLIS_CORPORA`, else the one beside the checkout."""
    named = os.environ.get("PORTCULLIS_CORPORA")
    return Path(named) if named else ROOT.parent / "shared" / "corpora"


def injection_files() -> list[str]:
    """The names of the files, in order; none where the corpora are not at hand."""
    return sorted(path.stem for path in (corpora() / "injection").glob("*.jsonl"))


def injection_rows(name: str) -> list[Row]:
    """The rows of one file; none where it is not at hand."""
    path = corpora() / "injection" / f"{name}.jsonl"
    if not path.is_file():
        return []
    rows = map(json.loads, path.read_text(encoding="utf-8", errors="surrogatepass").splitlines())
    return [Row(row["id"], row["text"], row["kind"].split("/", 1)[-1], row["path"]) for row in rows]


@dataclass(frozen=True)
class SourceRow:
    """One text of the corpus that is split by source."""

    text: str
    label: str
    kind: str
    cue: str


def rows_by_source() -> dict[str, list[SourceRow]]:
    """The rows of every source, by its name; none where the corpus is not at hand."""
    found: dict[str, list[SourceRow]] = {}
    for path in sorted((corpora() / "injection_by_source").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8", errors="surrogatepass") as lines:
            rows = map(json.loads, lines)
            found[path.name.split(".")[0]] = [
                SourceRow(row["text"], row["label"], row["kind"], row.get("cue", "")) for row in rows
            ]
    return found


def other_honest_texts() -> dict[str, list[str]]:
    """Texts of other folders that carry no attack: recorded answers of services, abstracts, research reports."""
    found: dict[str, list[str]] = {}
    answers = [path for path in sorted((corpora() / "api").glob("*/*.json")) if not path.name.endswith(".meta.json")]
    if answers:
        texts = (text for path in answers if not path.parent.name.startswith("_") for text in _long_texts(path))
        found["recorded answers of services"] = sorted(set(texts))
    abstracts = corpora() / "retrieval" / "scifact" / "corpus.jsonl.gz"
    if abstracts.is_file():
        rows = map(json.loads, gzip.decompress(abstracts.read_bytes()).splitlines())
        found["scifact abstracts"] = [f"{row['title']}\n{row['text']}" for row in rows]
    for path in sorted((corpora() / "reports").glob("*.jsonl.gz")):
        rows = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
        found[f"reports/{path.name.removesuffix('.jsonl.gz')}"] = [_longest(row) for row in rows]
    return found


def trigger_of(text: str) -> str:
    """What stands before TaskTracker's question."""
    return text.split(QUESTION)[0]


def _long_texts(path: Path) -> list[str]:
    try:
        value = json.loads(path.read_bytes())
    except ValueError:
        return []
    return [text for text in _strings(value) if len(text) >= LONG]


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inside for text in _strings(one)]


def _longest(value: object) -> str:
    if isinstance(value, str):
        return value
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max((_longest(one) for one in inside), key=len, default="")
