"""Whether a passage speaks to a question: the words that the question cannot do without stand in it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ...parsing.text.words.irregular import other_forms
from ...parsing.text.words.languages import counted_word, degree_word, is_function_word
from ...parsing.text.words.table_columns import heads_in
from ...parsing.text.words.tokens import AskedWord, asked_words, is_light, language_in, one_edit, stems_in
from .asked_columns import given_in_column
from .asked_kinds import asked_kind, gives_asked_kind
from .asked_names import last_words_of_names
from .kind_of_answer import AskedKind

__all__ = [
    "ENOUGH_MILLI",
    "RELATED_MILLI",
    "Bearing",
    "bearing_milli",
    "bearing_of",
    "classes_in",
    "is_order",
    "is_statement",
]

ENOUGH_MILLI: Final = 550
"""From here on a passage speaks to the question. Measured: docs/adr/0023."""

RELATED_MILLI: Final = 150
"""From here on a passage belongs to the subject of a question that another passage answers."""

_LONG: Final = 5  # content words from which on three of them, in one document, are more than chance
_LONG_HELD: Final = 3
_SHORT: Final = 3  # content words up to which none may be missing: two of three are in many unrelated documents
_STATED: Final = 3  # the same for a statement, which is looked up and not answered
_STATED_HELD: Final = 2
_STATEMENT: Final = re.compile(r"[^.?!\s]\.[\"')\s]*$")
_ORDER: Final = re.compile(
    r"\s*(?:please\s+)?(?:analy[sz]e|compare|define|describe|discuss|explain|find|give|list|name|outline|say|show"
    r"|summari[sz]e|tell|write)\b",
    re.IGNORECASE,
)
_LIFTED_MILLI: Final = 400  # of all words of the question, in the whole document
_NAME: Final = 15  # weights, in tenths
_PLAIN: Final = 10
_LIGHT: Final = 1
_COUNTED: Final = 2  # times: who counts employees needs `employees`
_NAMES_MILLI: Final = 500  # of the names and numbers; people leave out a first name
_THOUSANDS: Final = re.compile(r"(?<=\d)[.,](?=\d{3}(?!\d))")  # 10,000 is 10000
_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)+")
_NUMBERED: Final = re.compile(r"([^\W\d_]{2,})\s+v?\d")  # "version 2.1": the number says it
_PHRASE: Final = re.compile(
    r"\b(?:the|an?|der|die|das|den|dem|le|la|les|el|los|las|il|lo|gli|os?|het|de)\s+(\w+)(?:\s+(\w+))?(?:\s+(\w+))?"
)


@dataclass(frozen=True, slots=True)
class Bearing:
    """How far a passage speaks to a question, and how much of its words it holds at all, in thousandths."""

    milli: int
    held_milli: int


def bearing_milli(
    question: str, title: str, heading: str, body: str, respelled: Mapping[str, str], columns: str = ""
) -> int:
    """How far a passage by itself speaks to a question, in thousandths."""
    return bearing_of(question, title, heading, body, respelled, columns=columns).milli


def bearing_of(
    question: str,
    title: str,
    heading: str,
    body: str,
    respelled: Mapping[str, str],
    beside: str | None = None,
    columns: str = "",
) -> Bearing:
    """How much of the question a passage holds, with its title and headings.

    It is the smaller of two shares: of all words of the question, where names and numbers count most, and of the words
    that are neither. A passage that names the company but not what was asked about it does not speak to the question,
    and one without half of the names, or without the last word of one, does not at all. One content word alone is not
    enough where the question has more. With `beside`, the other passages of the document that came back, a long
    question is answered where they hold three of its content words together and two fifths of all, a short one where
    none is missing, and a statement, which is looked up and not answered, where they hold two; half of the names have
    to be among them. Function words do not count; words like `usually` hardly do. `respelled` are words that the
    collection does not hold and the nearest that it does. `columns` are the headings of the table in which the passage
    begins.
    """
    text = _THOUSANDS.sub("", f"{title}\n{heading}\n{columns}\n{body}")
    more = _THOUSANDS.sub("", beside or "")
    question = _THOUSANDS.sub("", question)
    numbers = _NUMBER.findall(question)
    words = _NUMBER.sub(" ", question)
    theirs = language_in(text)
    own = language_in(words, theirs)
    languages = tuple(dict.fromkeys((own, theirs)))
    asked = asked_words(words, languages)
    said, also = stems_in(text, languages), stems_in(more, languages)
    counted, degree = counted_word(words, own), degree_word(words, own)
    kind = asked_kind(question)
    # "What does it cost?" is answered by an amount of money, with or without the word.
    told = kind is not None and (kind.is_strict or any(kind.stands_for(word.word) for word in asked))
    given = (
        kind is not None
        and told
        and (gives_asked_kind(kind, text) or gives_asked_kind(kind, more) or _in_rows(kind, columns, body))
    )
    classes = classes_in(question)
    everything, names, nameless, whole, named = _Share(), _Share(), _Share(), _Share(), _Share()
    size = len(numbers)
    here = together = 0
    lights = {
        word
        for word in asked
        if word.word == degree
        or is_light(word, own, languages)
        or (not word.marked and word.word in classes)
        or (given and kind is not None and kind.stands_for(word.word))
    }
    if len(lights) == len(asked) and not numbers:
        # A question of general words alone is about the thing that it puts an article before.
        things = _things_in(words)
        lights -= {
            word
            for word in asked
            if word.word in things and word.word != degree and not is_function_word(word.word, own)
        }
    absent = any(not _stands(number, f"{text}\n{more}") for number in numbers)
    stated = is_statement(question)
    lasts = frozenset[str]() if stated else last_words_of_names(words, own)
    another = False
    for word in asked:
        light = word in lights
        weight = _NAME if word.marked else _LIGHT if light else _PLAIN * (_COUNTED if word.word == counted else 1)
        found = _found(word, said, respelled.get(word.word), languages)
        everything.add(weight, found)
        (names if word.marked else nameless).add(weight, found)
        anywhere = found or _found(word, also, respelled.get(word.word), languages)
        absent = absent or (word.word.isdecimal() and not anywhere)
        another = another or (word.marked and word.word in lasts and not anywhere)
        whole.add(weight, anywhere)
        if word.marked:
            named.add(weight, anywhere)
        if weight >= _PLAIN:
            size += 1
            here += found
            together += anywhere
    for number in numbers:
        stands = _stands(number, text)
        everything.add(_NAME, stands)
        names.add(_NAME, stands)
        anywhere = stands or _stands(number, more)
        whole.add(_NAME, anywhere)
        named.add(_NAME, anywhere)
        here += stands
        together += anywhere
    # "How does it work?" says nothing that a passage could be held against.
    milli = 0
    if size and not another and not (names.total and names.milli < _NAMES_MILLI):
        milli = min(everything.milli, nameless.milli if nameless.heaviest >= _PLAIN else 1000)
        if here < min(2, size):
            milli = min(milli, ENOUGH_MILLI - 1)
    if beside is not None:
        if size <= _SHORT and together < size:
            milli = min(milli, ENOUGH_MILLI - 1)
        least, held_least = (_STATED, _STATED_HELD) if stated else (_LONG, _LONG_HELD)
        others_named = another or (bool(named.total) and named.milli < _NAMES_MILLI)
        if size >= least and together >= held_least and whole.milli >= _LIFTED_MILLI and not others_named:
            milli = max(milli, ENOUGH_MILLI)
    # Who asks about 5000 clients is not told about 500, and who asks for a price is told one.
    if not stated and ((absent and beside is not None) or (kind is not None and kind.is_strict and not given)):
        milli = min(milli, ENOUGH_MILLI - 1)
    return Bearing(milli, whole.milli)


def classes_in(question: str) -> frozenset[str]:
    """Words that a number in the question names one of: "version 2.1", "room 12"."""
    return frozenset(match[1].lower() for match in _NUMBERED.finditer(question))


def is_statement(question: str) -> bool:
    """True for a statement, which is looked up and not answered."""
    return _STATEMENT.search(question) is not None and not is_order(question)


def is_order(question: str) -> bool:
    """True for a question that tells what to do: "Compare apples and pears"."""
    return _ORDER.match(question) is not None


def _things_in(words: str) -> frozenset[str]:
    found = _PHRASE.finditer(words.lower())
    return frozenset(word for match in found for word in match.groups() if word)


def _in_rows(kind: AskedKind, columns: str, body: str) -> bool:
    """True if a row of a table gives a kind of answer in the column that is headed so."""
    heads = heads_in(body)
    for line in body.splitlines() if columns or heads else ():
        row = line.strip()
        if row in heads or not row.startswith("|"):
            columns = row if row in heads else ""
        elif columns and given_in_column(kind, row, columns):
            return True
    return False


class _Share:
    """A weighted share, in whole numbers, so that it is the same everywhere."""

    def __init__(self) -> None:
        self.total = 0
        self.heaviest = 0
        self._found = 0

    def add(self, weight: int, found: bool) -> None:
        self.total += weight
        self.heaviest = max(self.heaviest, weight)
        self._found += weight if found else 0

    @property
    def milli(self) -> int:
        return 1000 * self._found // self.total if self.total else 0


def _found(word: AskedWord, said: frozenset[str], respelled: str | None, languages: tuple[str, ...]) -> bool:
    if not said.isdisjoint(word.stems) or any(
        not said.isdisjoint(stems_in(one, languages)) for one in other_forms(word.word)
    ):
        return True
    # A name in another spelling is another name, and what is more than one edit away is another word.
    if respelled is None or word.marked:
        return False
    stems = stems_in(respelled, languages)
    near = one_edit(word.word, respelled) or any(one_edit(one, other) for one in word.stems for other in stems)
    return near and not said.isdisjoint(stems)


def _stands(number: str, text: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d])", text) is not None
