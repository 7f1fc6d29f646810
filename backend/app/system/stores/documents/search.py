"""Answers a question from one generation: ranks documents, then picks the passages that say most of it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ....evidence.grounding.bearing import bearing_milli
from ....kernel.document_index import DocumentHit
from ....kernel.errors import StoreUnusable
from ....parsing.document import title_from_name
from ....parsing.text.words.languages import ENGLISH
from ....parsing.text.words.tokens import AskedWord, asked_words, one_edit, word_with_stem
from ....screen.carriers import strip_carriers
from .index_faults import IndexDamaged
from .index_tables import Tables
from .ranking import Ranking

__all__ = ["Searching", "generation_folder"]

_EDGE: Final = 200  # characters on each side of a cut: more than the longest directive that the screen knows
_PASSAGES_PER_DOCUMENT: Final = 2
_MOST_CORRECTED: Final = 4  # words of one question
_NEAR_FILES: Final = 3  # in which the nearest word is looked for
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
    columns: str
    checksum: int
    score_milli: int


@dataclass(frozen=True, slots=True)
class _Question:
    words: tuple[AskedWord, ...]
    respelled: Mapping[str, str]
    languages: tuple[str, ...]


_Marked = list[tuple[tuple[str, ...], float]]


class Searching:
    """Reads tables and the generation that is in force; several processes may, while another one refreshes."""

    def __init__(self, state_dir: Path, tables: Tables) -> None:
        self._state_dir = state_dir
        self._tables = tables
        self._generation = ""
        self._ranking: Ranking | None = None

    def search(self, query: str, limit: int) -> tuple[DocumentHit, ...]:
        """The best passages, at most two of a document, best first; ties by path, then offset."""
        try:
            return self._searched(query, limit)
        except IndexDamaged:
            # Two refreshes may have passed while a generation was being opened: one fresh look tells.
            self._ranking = None
            return self._searched(query, limit)

    def rank(self, query: str, limit: int) -> tuple[tuple[str, int], ...]:
        """The best documents as (path, score in thousandths): the order that `search` takes its passages from."""
        with self._tables.reading():
            ranking = self._in_force()
            best = ranking.best(self._asked(query, ranking).words, limit)
            return tuple((self._path(file_id), score) for file_id, score in best)

    def check(self) -> None:
        """Raises where the generation in force is missing or damaged."""
        with self._tables.reading():
            self._in_force()

    def _searched(self, query: str, limit: int) -> tuple[DocumentHit, ...]:
        with self._tables.reading():
            ranking = self._in_force()
            asked = self._asked(query, ranking)
            weights = ranking.weights(asked.words)
            marked = [
                (tuple(f" {stem} " for stem in word.stems), weight)
                for word, weight in zip(asked.words, weights, strict=True)
            ]
            candidates: list[_Candidate] = []
            for file_id, score_milli in ranking.best(asked.words, limit):
                candidates.extend(self._candidates(file_id, score_milli, marked))
            candidates.sort(key=lambda one: (-one.score_milli, one.path, one.start))
            return tuple(self._hit(one, query, asked) for one in candidates[:limit])

    def _asked(self, query: str, ranking: Ranking) -> _Question:
        """The words to look for; one that no document holds is taken for the nearest that some do."""
        languages = tuple((self._tables.fact("languages") or ENGLISH).split())
        words: list[AskedWord] = []
        respelled: dict[str, str] = {}
        for word in asked_words(query, languages):
            near = None
            if len(respelled) < _MOST_CORRECTED and not ranking.holds(word):
                near = self._nearest(word, ranking)
            if near is not None:
                respelled[word.word] = near
                word = word.respelled(near)
            words.append(word)
        return _Question(tuple(words), respelled, languages)

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

    def _nearest(self, word: AskedWord, ranking: Ranking) -> str | None:
        """The commonest stem of the index that is one edit from a word, by its stem or as it was typed."""
        for spelling in dict.fromkeys((*word.stems, word.word)):
            found = {
                stem
                for file_id in ranking.near(spelling, _NEAR_FILES)
                for stem in self._words(file_id)
                if one_edit(spelling, stem)
            }
            if found:
                return min(found, key=lambda stem: (-ranking.common(stem), stem))
        return None

    def _words(self, file_id: int) -> set[str]:
        rows = self._tables.link.execute(
            "SELECT p.words FROM files f JOIN passages p ON p.document = f.document WHERE f.id = ?", (file_id,)
        )
        return {stem for row in rows for stem in row[0].split()}

    def _candidates(self, file_id: int, score_milli: int, marked: _Marked) -> list[_Candidate]:
        rows = self._tables.link.execute(
            "SELECT p.start, p.stop, p.heading, p.columns, p.checksum, p.words, p.heading_words, f.path, f.document"
            " FROM files f CROSS JOIN documents d ON d.id = f.document CROSS JOIN passages p ON p.document = d.id"
            " WHERE f.id = ? ORDER BY p.place",
            (file_id,),
        ).fetchall()
        if not rows:
            raise IndexDamaged("the document index lost a text")
        path, document = rows[0][7:]
        scored = []
        for place, row in enumerate(rows):
            words, heading_words = row[5], row[6]
            length = _K1 * (1 - _B + _B * words.count("  ") / _USUAL_WORDS)
            score = 0.0
            for marks, weight in marked:
                times = sum(map(words.count, marks)) + (_HEADING_COUNTS if _any_in(marks, heading_words) else 0)
                if times:
                    score += weight * times * (_K1 + 1) / (times + length)
            scored.append((-score, place))
        scored.sort()
        best = -scored[0][0]
        found: list[_Candidate] = []
        for minus, place in scored[:_PASSAGES_PER_DOCUMENT]:
            share = -minus / best if best else 1.0
            if found and (share < _SECOND_AT_LEAST or not best):
                break
            start, stop, heading, columns, checksum = rows[place][:5]
            score = round(score_milli * share)
            found.append(_Candidate(document, path, start, stop, heading, columns, checksum, score))
        return found

    def _hit(self, one: _Candidate, query: str, asked: _Question) -> DocumentHit:
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
        title = row[2] or title_from_name(one.path)
        whole = f"{title}\n{one.heading}\n{one.columns}\n{row[5]}"
        respelled = {
            word: shown
            for word, near in asked.respelled.items()
            if (shown := word_with_stem(near, whole, asked.languages)) is not None
        }
        return DocumentHit(
            path=one.path,
            title=title,
            heading=one.heading,
            columns=one.columns,
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
            coverage_milli=bearing_milli(query, title, one.heading, row[5], respelled, one.columns),
            respelled=tuple(respelled.items()),
        )


def _span(start: int, stop: int) -> tuple[int, int]:
    """Offsets as SQLite counts them: from one, with a length."""
    return max(0, start) + 1, stop - max(0, start)


def _any_in(marks: tuple[str, ...], words: str) -> bool:
    return any(mark in words for mark in marks)
