"""One generation of the ranking: BM25 over our own words in tantivy, a function of the document set alone."""

from __future__ import annotations

import json
import math
import os
import shutil
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tantivy

from ....kernel.errors import StoreUnusable
from ....parsing.text.words.tokens import AskedWord
from ...private_files import make_private, private_folder
from .index_faults import IndexDamaged
from .private_copy import Part, part_of, private_copy

__all__ = ["Entry", "Ranking", "build_ranking", "check_sizes"]

_FIELD: Final = "words"
_ORDER: Final = "order.bin"
_HEAP_BYTES: Final = 4_000_000_000  # an upper bound, not an allocation: everything goes into one segment
_BACKGROUND: Final = 1000  # documents, each word in one of a hundred
_GUESSED: Final = 0.5  # of a word that was typed as it stands
_LEAST_CORRECTED: Final = 5  # letters; shorter words have too many neighbours
_DAMAGED: Final = "the ranking of the document index is damaged"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to rank: its row, and its words between spaces, the title's as often as they count."""

    file_id: int
    words: str


def build_ranking(folder: Path, entries: Iterable[Entry]) -> str:
    """Writes a generation into a fresh folder, entries in order of path; returns its manifest."""
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return _built(folder, entries)
    except ValueError as exc:  # how tantivy reports a disk that is full or gone
        raise StoreUnusable("the document index has no room on its disk") from exc
    finally:
        if not (folder / _ORDER).exists():
            shutil.rmtree(folder, ignore_errors=True)  # half a generation only takes up room


def check_sizes(folder: Path, manifest: str) -> None:
    """Raises where a file of the generation is missing or cut; its bytes are not read."""
    try:
        whole = all((folder / part.name).stat().st_size == part.size for part in _parts_of(manifest))
    except OSError as exc:
        raise IndexDamaged(_DAMAGED) from exc
    if not whole:
        raise IndexDamaged(_DAMAGED)


class Ranking:
    """An opened generation: a checked copy that nobody else can reach, since tantivy trusts and maps its files."""

    def __init__(self, folder: Path, manifest: str) -> None:
        self._folder = folder
        self._parts = _parts_of(manifest)
        self._paths = tuple(str(folder / part.name) for part in self._parts)
        try:
            self._seen = tuple(_look(path) for path in self._paths)
        except FileNotFoundError as exc:
            raise IndexDamaged(_DAMAGED) from exc
        self._order = array("q")
        with private_copy(folder, self._parts) as copy:
            self._order.frombytes((copy / _ORDER).read_bytes())
            try:
                index = tantivy.Index.open(str(copy))
                self._schema = index.schema
                self._searcher = index.searcher()
            except (ValueError, OSError) as exc:
                # The files are as they were written, so this is the machine: no handles, no memory.
                raise StoreUnusable("the ranking of the document index cannot be opened") from exc

    @property
    def documents(self) -> int:
        """How many files are ranked."""
        return len(self._order)

    def check(self) -> None:
        """Raises where a file of the generation is missing or not what was written; cheap while nothing moved."""
        try:
            looks = tuple(_look(path) for path in self._paths)
            if looks == self._seen:
                return
            damaged = any(part_of(self._folder, part.name) != part for part in self._parts)
        except OSError as exc:
            raise IndexDamaged(_DAMAGED) from exc
        if damaged:
            raise IndexDamaged(_DAMAGED)
        self._seen = looks

    def holds(self, word: AskedWord) -> bool:
        """Whether some document has the word."""
        return any(self._searcher.doc_freq(_FIELD, stem) for stem in word.stems)

    def near(self, word: str, limit: int) -> tuple[int, ...]:
        """Files that hold a word one edit from this one, which none holds; found by an automaton, not by looking."""
        if len(word) < _LEAST_CORRECTED or not word.isalpha():
            return ()
        query = tantivy.Query.fuzzy_term_query(self._schema, _FIELD, word)
        hits = self._searcher.search(query, limit, count=False).hits
        return tuple(self._order[place] for place in sorted(address.doc for _, address in hits))

    def common(self, stem: str) -> int:
        """How many files hold a stem."""
        return int(self._searcher.doc_freq(_FIELD, stem))

    def weights(self, words: Iterable[AskedWord]) -> list[float]:
        """How much each word tells documents apart: inverse document frequency, over a background of common text.

        Without the background, a word that stands in the only document of a folder would weigh next to nothing.
        """
        total = len(self._order) + _BACKGROUND
        found = []
        for word in words:
            within = max(self._searcher.doc_freq(_FIELD, stem) for stem in word.stems)
            found.append(math.log(1 + (total - within) / (within + _BACKGROUND / 100)))
        return found

    def best(self, words: Sequence[AskedWord], limit: int) -> tuple[tuple[int, int], ...]:
        """The best files as (file id, score in thousandths), best first, ties in order of path."""
        if not words or not self._order:
            return ()
        clauses = [(tantivy.Occur.Should, self._clause(word)) for word in words]
        hits = self._searcher.search(tantivy.Query.boolean_query(clauses), limit, count=False).hits
        ranked = sorted((-round(score * 1000), address.doc) for score, address in hits)
        return tuple((self._order[place], -minus) for minus, place in ranked)

    def _clause(self, word: AskedWord) -> tantivy.Query:
        queries = [tantivy.Query.term_query(self._schema, _FIELD, stem, "freq") for stem in word.stems]
        query = queries[0] if len(queries) == 1 else tantivy.Query.disjunction_max_query(queries)
        weight = word.count * (_GUESSED if word.guessed else 1.0)
        return query if weight == 1 else tantivy.Query.boost_query(query, weight)


def _built(folder: Path, entries: Iterable[Entry]) -> str:
    private_folder(folder)
    order = array("q")
    index = tantivy.Index(_schema(), path=str(folder), reuse=False)
    writer = index.writer(heap_size=_HEAP_BYTES, num_threads=1)
    for entry in entries:
        writer.add_document(tantivy.Document(words=entry.words))
        order.append(entry.file_id)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    # One segment, written in order: a document's number is its place in the order of paths.
    if index.searcher().num_segments > 1:
        raise StoreUnusable("the folder holds more text than one index takes")
    (folder / _ORDER).write_bytes(order.tobytes())
    for name in os.listdir(folder):
        make_private(folder / name)
    return _manifest(folder)


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field(_FIELD, stored=False, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def _manifest(folder: Path) -> str:
    names = sorted(name for name in os.listdir(folder) if not name.endswith(".lock"))
    parts = [part_of(folder, name) for name in names]
    return json.dumps([[part.name, part.size, part.checksum] for part in parts])


def _parts_of(manifest: str) -> tuple[Part, ...]:
    try:
        parts = tuple(Part(str(name), int(size), int(checksum)) for name, size, checksum in json.loads(manifest))
    except (TypeError, ValueError) as exc:
        raise IndexDamaged(_DAMAGED) from exc
    if _ORDER not in {part.name for part in parts} or any("/" in part.name for part in parts):
        raise IndexDamaged(_DAMAGED)
    return parts


def _look(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns
