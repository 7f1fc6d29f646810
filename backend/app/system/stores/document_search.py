"""Answers a question from one generation: ranks documents, then picks the passages that say most of it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...kernel.documents import DocumentHit
from ...kernel.errors import StoreUnusable
from ...parsing.documents import title_from_name
from ...parsing.words import query_words, words_of
from ...screen.carriers import strip_carriers
from .document_faults import IndexDamaged
from .document_ranking import Ranking
from .document_tables import Tables, joined_words

__all__ = ["Searching", "generation_folder"]

_EDGE: Final = 200  # characters on each side of a cut: more than the longest directive that the screen knows
_PASSAGES_PER_DOCUMENT: Final = 2
_SECOND_AT_LEAST: Final = 0.5  # of the best passage's score, or a second one adds nothing
_USUAL_WORDS: Final = 120  # of a passage; longer ones have to say more
_K1: Final = 1.2
_B: Final = 0.4
_HEADING_COUNTS: Final = 0.3  # of a word in the text: every passage of a section has its heading, few say what it asks


def generation_folder(state_dir: Path, generation: str) -> Path:
    """Where a generation of the ranking lies."""
    return state_dir / f"ranking-{generation}"


@dataclass(frozen=True, slots=True)
class _Candidate:
    document: int
    path: str
    start: int
    stop: int
    heading: str
    checksum: int
    score_milli: int
    coverage_milli: int


class Searching:
    """Reads tables and the generation that is in force; several processes may, while another one refreshes."""

    def __init__(self, state_dir: Path, tables: Tables) -> None:
        self._state_dir = state_dir
        self._tables = tables
        self._generation = ""
        self._ranking: Ranking | None = None

    def search(self, query: str, limit: int) -> tuple[DocumentHit, ...]:
        """The best passages, at most two of a document, best first; ties by path, then offset."""
        counts = query_words(query)
        try:
            return self._searched(counts, limit)
        except IndexDamaged:
            # Two refreshes may have passed while a generation was being opened: one fresh look tells.
            self._ranking = None
            return self._searched(counts, limit)

    def rank(self, query: str, limit: int) -> tuple[tuple[str, int], ...]:
        """The best documents as (path, score in thousandths): the order that `search` takes its passages from."""
        with self._tables.reading():
            best = self._in_force().best(query_words(query), limit)
            return tuple((self._path(file_id), score) for file_id, score in best)

    def check(self) -> None:
        """Raises where the generation in force is missing or damaged."""
        with self._tables.reading():
            self._in_force()

    def _searched(self, counts: Mapping[str, int], limit: int) -> tuple[DocumentHit, ...]:
        with self._tables.reading():
            ranking = self._in_force()
            weights = ranking.weights(counts)
            candidates: list[_Candidate] = []
            for file_id, score_milli in ranking.best(counts, limit):
                candidates.extend(self._candidates(file_id, score_milli, weights))
            candidates.sort(key=lambda one: (-one.score_milli, one.path, one.start))
            return tuple(self._hit(one) for one in candidates[:limit])

    def _in_force(self) -> Ranking:
        generation = self._tables.fact("generation")
        manifest = self._tables.fact("manifest")
        if generation is None or manifest is None:
            raise StoreUnusable("the folder was never indexed")
        if self._ranking is None or generation != self._generation:
            self._ranking = Ranking(generation_folder(self._state_dir, generation), manifest)
            self._generation = generation
        else:
            self._ranking.check()
        return self._ranking

    def _path(self, file_id: int) -> str:
        row = self._tables.link.execute("SELECT path FROM files WHERE id = ?", (file_id,)).fetchone()
        if row is None:
            raise IndexDamaged("the document index lost a file")
        return str(row[0])

    def _candidates(self, file_id: int, score_milli: int, weights: Mapping[str, float]) -> list[_Candidate]:
        rows = self._tables.link.execute(
            "SELECT p.start, p.stop, p.heading, p.checksum, p.words, p.heading_words, f.path, f.document, d.title"
            " FROM files f CROSS JOIN documents d ON d.id = f.document CROSS JOIN passages p ON p.document = d.id"
            " WHERE f.id = ? ORDER BY p.place",
            (file_id,),
        ).fetchall()
        if not rows:
            raise IndexDamaged("the document index lost a text")
        path, document, title = rows[0][6:]
        marked = [(f" {word} ", weight) for word, weight in weights.items()]
        titled = joined_words(words_of(title or title_from_name(path)))
        said = {mark for mark, _ in marked if mark in titled}
        scored = []
        for place, row in enumerate(rows):
            words, heading_words = row[4], row[5]
            length = _K1 * (1 - _B + _B * words.count("  ") / _USUAL_WORDS)
            score = 0.0
            for mark, weight in marked:
                times = words.count(mark) + (_HEADING_COUNTS if mark in heading_words else 0)
                if times:
                    said.add(mark)
                    score += weight * times * (_K1 + 1) / (times + length)
            scored.append((-score, place))
        scored.sort()
        total = _sum_of(marked, {mark for mark, _ in marked})
        coverage = min(1000, round(1000 * _sum_of(marked, said) / total)) if total else 0
        best = -scored[0][0]
        found: list[_Candidate] = []
        for minus, place in scored[:_PASSAGES_PER_DOCUMENT]:
            share = -minus / best if best else 1.0
            if found and (share < _SECOND_AT_LEAST or not best):
                break
            start, stop, heading, checksum = rows[place][:4]
            found.append(
                _Candidate(document, path, start, stop, heading, checksum, round(score_milli * share), coverage)
            )
        return found

    def _hit(self, one: _Candidate) -> DocumentHit:
        row = self._tables.link.execute(
            "SELECT content_hash, text_hash, title, hidden, carriers_removed, substr(text, ?, ?), substr(text, ?, ?),"
            " substr(text, ?, ?) FROM documents WHERE id = ?",
            (
                *_span(one.start, one.stop),
                *_span(one.start - _EDGE, one.start + _EDGE),
                *_span(one.stop - _EDGE, one.stop + _EDGE),
                one.document,
            ),
        ).fetchone()
        if row is None or not isinstance(row[5], str) or zlib.crc32(row[5].encode("utf-8")) != one.checksum:
            raise IndexDamaged("a stored text of the document index is damaged")
        return DocumentHit(
            path=one.path,
            title=row[2] or title_from_name(one.path),
            heading=one.heading,
            text=row[5],
            start=one.start,
            end=one.stop,
            content_hash=row[0],
            text_hash=row[1],
            hidden=tuple(json.loads(row[3])),
            # A joiner that the window itself left alone is no carrier of the document.
            edges=tuple(strip_carriers(edge).text for edge in row[6:8]),
            carriers_removed=row[4],
            score_milli=one.score_milli,
            coverage_milli=one.coverage_milli,
        )


def _span(start: int, stop: int) -> tuple[int, int]:
    """Offsets as SQLite counts them: from one, with a length."""
    return max(0, start) + 1, stop - max(0, start)


def _sum_of(marked: list[tuple[str, float]], wanted: Collection[str]) -> float:
    """A sum that is the same everywhere: added one by one, in the sorted order of the question's words."""
    total = 0.0
    for mark, weight in marked:
        if mark in wanted:
            total += weight
    return total
