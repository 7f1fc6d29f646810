"""Whether what a question asks for - a time, a person, a number - stands near what it asks about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...kernel.results import Source
from ...parsing.text.words.sentences import sentences_of
from ...parsing.text.words.tokens import language_in, words_of
from .asked_columns import what_was_done
from .asked_kinds import AskedKind, asked_kind, gives_asked_kind
from .facets import facets_of
from .spelled import as_spelled
from .wanted_words import WantedWord, wanted_words

__all__ = ["gives_asked_answer"]

_WORD: Final = re.compile(r"[^\W_]+")
_RULED: Final = re.compile(r"[^\S\n]*\n[ \t|:]*-[ \t|:-]*(?:\n|$)")  # the line under the headings of a table
_NEAR_MILLI: Final = 720
"""Of the words of the question, by weight. Measured: docs/adr/0023."""


def gives_asked_answer(question: str, sources: Sequence[Source]) -> bool:
    """True if one of the sources gives the kind of answer that a question asks for, near the question's own words.

    A sentence gives it that holds a time for "when", a person for "who", a number of the counted thing for "how many".
    That sentence, the one before it, the headings and the title have to hold most of the question's words; a row of a
    table is read with the headings of its columns. A question that asks for nothing that can be told by its form
    ("explain ...", "why ...") is answered by a passage as a whole. Of several parts of a question, one is enough.
    """
    return any(_gives(facet.text, sources) for facet in facets_of(question))


def _gives(question: str, sources: Sequence[Source]) -> bool:
    return asked_kind(question) is None or any(_answers(as_spelled(question, source), source) for source in sources)


def _answers(question: str, source: Source) -> bool:
    kind = asked_kind(question)
    return kind is None or _stands_near(kind, question, source)


def _stands_near(kind: AskedKind, question: str, source: Source) -> bool:
    text = source.text
    language = language_in(text, language_in(question))  # a row of a table shows none by itself
    wanted = wanted_words(question, language, kind)
    heading = dict(source.metadata).get("heading", "")
    above = f"{source.title}\n{heading}"
    # The release that a list of changes stands under is told by the heading alone.
    headed = kind.may_stand_above and gives_asked_kind(kind, heading)
    before = columns = ""
    cut = dict(source.metadata).get("columns", "")
    in_table = False
    most = given = 0
    for span in sentences_of(text):
        said = text[span.start : span.end]
        if span.kind == "heading":
            headed = kind.may_stand_above and gives_asked_kind(kind, said)
        if span.kind != "row":
            in_table, columns, cut = False, "", ""
        elif not in_table:
            is_head = not cut and _RULED.match(text, span.end) is not None
            in_table, columns, cut = True, said if is_head else cut, ""
            if is_head:  # "Warden" is no warden
                continue
        told = (headed and span.kind == "item") or gives_asked_kind(kind, said, columns)
        if told or columns:
            words = frozenset(words_of(f"{above}\n{before}\n{columns}\n{said}", language))
            held = _held_milli(wanted, words)
            if columns:
                most = max(most, held)
                if told and _says_what_was_done(kind, words, columns, language):
                    given = max(given, held)
            elif held >= _NEAR_MILLI:
                return True
        if span.kind != "row":
            before = said
    # Of the rows of a table, the one that holds most of the question speaks for it, also where its cell is empty.
    return not wanted or _NEAR_MILLI <= given == most


def _says_what_was_done(kind: AskedKind, words: frozenset[str], columns: str, language: str) -> bool:
    """False for a row that tells of something else that was done: "Opened" is no answer to when it was closed."""
    done = what_was_done(kind.question)
    if not done or any(map(kind.stands_for, _WORD.findall(columns))):
        return True
    return not words.isdisjoint(words_of(done, language))


def _held_milli(wanted: tuple[WantedWord, ...], words: frozenset[str]) -> int:
    """How much of the wanted words, by their weight, is among these."""
    held = sum(word.weight for word in wanted if not word.stems.isdisjoint(words))
    return 1000 * held // max(1, sum(word.weight for word in wanted))
