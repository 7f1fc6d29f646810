"""Whether what a question asks for - a time, a person, a number - stands near what it asks about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ...kernel.results import Source
from ...parsing.text.words.sentences import sentences_of
from ...parsing.text.words.table_columns import column_headings
from ...parsing.text.words.tokens import language_in, words_of
from .asked_kinds import AskedKind, asked_kind, gives_asked_kind
from .facets import facets_of
from .wanted_words import WantedWord, wanted_words

__all__ = ["gives_asked_answer"]

_NEAR_MILLI: Final = 720
"""Of the words of the question, by weight. Measured: docs/adr/0023."""
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


def gives_asked_answer(question: str, sources: Sequence[Source]) -> bool:
    """True if one of the sources gives the kind of answer that a question asks for, near the question's own words.

    A sentence gives it that holds a time for "when", a person for "who", a number of the counted thing for "how many".
    That sentence, the one before it, the columns of its table, the headings and the title have to hold two thirds of
    the question's words. A question that asks for nothing that can be told by its form ("explain ...", "why ...") is
    answered by a passage as a whole. Of a question with several parts, one part is enough.
    """
    return any(_gives(facet.text, sources) for facet in facets_of(question))


def _gives(question: str, sources: Sequence[Source]) -> bool:
    kind = asked_kind(question)
    return kind is None or any(_stands_near(kind, _as_found(question, source), source) for source in sources)


def _stands_near(kind: AskedKind, question: str, source: Source) -> bool:
    text = source.text
    language = language_in(text)
    wanted = wanted_words(question, language, kind)
    heading = dict(source.metadata).get("heading", "")
    above = f"{source.title}\n{heading}"
    # The release that a list of changes stands under is told by the heading alone.
    headed = kind.may_stand_above and gives_asked_kind(kind, heading)
    before = columns = ""
    cut = column_headings(heading)
    in_table = False
    for span in sentences_of(text):
        said = text[span.start : span.end]
        if span.kind == "heading":
            headed = kind.may_stand_above and gives_asked_kind(kind, said)
        if span.kind != "row":
            in_table, columns, cut = False, "", ""
        elif not in_table:
            in_table, columns = True, cut or said
            cut = ""
        told = (headed and span.kind == "item") or gives_asked_kind(kind, said, columns)
        if told and _holds(wanted, frozenset(words_of(f"{above}\n{before}\n{columns}\n{said}", language))):
            return True
        if span.kind != "row":
            before = said
    return not wanted


def _holds(wanted: tuple[WantedWord, ...], words: frozenset[str]) -> bool:
    """True if enough of the wanted words, by their weight, are among these."""
    held = sum(word.weight for word in wanted if not word.stems.isdisjoint(words))
    return 1000 * held >= _NEAR_MILLI * sum(word.weight for word in wanted)


def _as_found(question: str, source: Source) -> str:
    """A question with its mistyped words as the documents spell them."""
    spelled = dict(source.respelled)
    return _WORD.sub(lambda word: spelled.get(word[0].lower(), word[0]), question) if spelled else question
