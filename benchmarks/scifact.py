"""SciFact as the benchmarks and the training script read it: abstracts, claims, judgements, gold sentences."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.evidence.selection.sentence_features import ReadText, read_text
from app.parsing.text.words.sentences import SentenceSpan
from benchmarks.corpora import corpora


@dataclass(frozen=True)
class Abstract:
    """One abstract with its sentences."""

    name: str
    title: str
    sentences: tuple[str, ...]

    def read(self) -> ReadText:
        """The abstract with the sentences that its annotators had."""
        text, spans = "", []
        for sentence in self.sentences:
            spans.append(SentenceSpan(len(text), len(text) + len(sentence)))
            text += f"{sentence} "
        return read_text(text, self.title, sentences=tuple(spans))


@dataclass(frozen=True)
class Claim:
    """A claim, its gold sentences by abstract, and the abstracts that it cites."""

    text: str
    evidence: dict[str, frozenset[int]]
    cited: tuple[str, ...]


def folder() -> Path:
    """Where the collection is."""
    return corpora() / "retrieval" / "scifact"


@cache
def abstracts() -> dict[str, Abstract]:
    """Every abstract by its id."""
    lines = gzip.decompress((folder() / "corpus_sentences.jsonl.gz").read_bytes()).splitlines()
    rows = map(json.loads, lines)
    return {str(row["doc_id"]): Abstract(str(row["doc_id"]), row["title"], tuple(row["abstract"])) for row in rows}


def claims(part: str) -> list[Claim]:
    """The claims of `train` or `dev`."""
    found = []
    for line in (folder() / "claims" / f"claims_{part}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        evidence = {
            name: frozenset(number for one in sets for number in one["sentences"])
            for name, sets in row["evidence"].items()
        }
        found.append(Claim(row["claim"], evidence, tuple(map(str, row["cited_doc_ids"]))))
    return found


def queries(part: str) -> list[tuple[str, str, frozenset[str]]]:
    """Id, text and gold documents of the judged queries of `train` or `test`, in the order of their ids."""
    rows = map(json.loads, (folder() / "queries.jsonl").read_text(encoding="utf-8").splitlines())
    texts = {row["_id"]: row["text"] for row in rows}
    gold: dict[str, set[str]] = {}
    for line in (folder() / "qrels" / f"{part}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            gold.setdefault(query, set()).add(document)
    return [(name, texts[name], frozenset(gold[name])) for name in sorted(gold, key=int)]
