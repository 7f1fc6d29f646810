"""Loads a retrieval collection in the BEIR layout: documents, questions and graded judgements."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from ..kernel.errors import RequestInvalid

__all__ = ["BeirCollection", "BeirDocument", "BeirQuery", "load_beir"]


@dataclass(frozen=True, slots=True)
class BeirDocument:
    """A document of the collection."""

    name: str
    title: str
    text: str

    def as_markdown(self) -> str:
        """The document as a page with its title as its heading."""
        title = " ".join(self.title.split())
        return f"# {title}\n\n{self.text}\n" if title else f"{self.text}\n"


@dataclass(frozen=True, slots=True)
class BeirQuery:
    """A question with the grades of the documents that answer it."""

    name: str
    text: str
    grades: MappingProxyType[str, int]


@dataclass(frozen=True, slots=True)
class BeirCollection:
    """Documents in the order of their file, and the questions that have judgements."""

    documents: tuple[BeirDocument, ...]
    queries: tuple[BeirQuery, ...]


def load_beir(folder: Path) -> BeirCollection:
    """Reads a collection.

    Raises:
        RequestInvalid: a file is missing or broken; the message names it and the line.
    """
    if not folder.is_dir():
        raise RequestInvalid(f"the folder `{folder}` does not exist")
    documents = tuple(
        BeirDocument(_field(record, "_id", at), _field(record, "title", at, ""), _field(record, "text", at, ""))
        for at, record in _records(_one_of(folder, "corpus.jsonl", "corpus.jsonl.gz"))
    )
    asked = {
        _field(record, "_id", at): _field(record, "text", at)
        for at, record in _records(_one_of(folder, "queries.jsonl", "queries.jsonl.gz"))
    }
    judged = _judgements(_one_of(folder, "qrels/test.tsv", "qrels/test.tsv.gz", "qrels.tsv", "qrels.tsv.gz"))
    if not documents:
        raise RequestInvalid("the collection has no documents")
    if len({document.name for document in documents}) != len(documents):
        raise RequestInvalid("the collection has two documents of one id")
    unknown = sorted(judged.keys() - asked.keys())
    if unknown:
        raise RequestInvalid(f"the judged question `{unknown[0]}` is not among the queries")
    queries = tuple(
        BeirQuery(name, asked[name], MappingProxyType(grades))
        for name, grades in judged.items()
        if any(grade > 0 for grade in grades.values())
    )
    if not queries:
        raise RequestInvalid("no question of the collection has a relevant document")
    return BeirCollection(documents, queries)


def _one_of(folder: Path, *names: str) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise RequestInvalid(f"`{folder}` has no {names[0]}")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if text.strip():
                    yield number, text
    except (OSError, EOFError, UnicodeDecodeError) as exc:
        raise RequestInvalid(f"`{path}` cannot be read") from exc


def _records(path: Path) -> Iterator[tuple[str, dict[str, object]]]:
    for number, line in _lines(path):
        at = f"`{path}` line {number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as exc:
            raise RequestInvalid(f"{at} is not JSON") from exc
        if not isinstance(record, dict):
            raise RequestInvalid(f"{at} is not a JSON object")
        yield at, record


def _field(record: dict[str, object], name: str, at: str, default: str | None = None) -> str:
    value = record.get(name)
    if value is None and default is not None:
        return default
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or (default is None and not value):
        raise RequestInvalid(f"{at} has no {name}")
    return value.encode("utf-8", "replace").decode("utf-8")  # JSON can spell lone surrogates


def _judgements(path: Path) -> dict[str, dict[str, int]]:
    """Grades by question and document, in the order of the file; three columns, or four as TREC has them."""
    judged: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        columns = line.split("\t") if "\t" in line else line.split()
        if len(columns) not in (3, 4):
            raise RequestInvalid(f"`{path}` line {number} has {len(columns)} columns, not 3 or 4")
        try:
            grade = int(columns[-1])
        except ValueError as exc:
            if number == 1:  # the header row
                continue
            raise RequestInvalid(f"`{path}` line {number} has no grade") from exc
        judged.setdefault(columns[0].strip(), {})[columns[-2].strip()] = grade
    return judged
