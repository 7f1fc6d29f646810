"""The facets of a question: the parts that an answer has to cover, each able to stand alone as a question."""

from __future__ import annotations

import re
from typing import Final

from ..kernel.models import FrozenModel, Text
from ..parsing.text.words.tokens import AskedWord, asked_words, is_light, language_in, stems_in

__all__ = ["FACETS_MAX", "Facet", "facets_of"]

FACETS_MAX: Final = 6
_OPENERS: Final = (
    r"who|whom|whose|what|when|where|which|why|how|since when|until when|is|are|was|were|does|do|did|can|should"
)
_CLAUSES: Final = re.compile(
    rf"\?\s+|;\s+|,?\s+(?:and|but|or)\s+(?=(?:{_OPENERS})\b)|,\s+(?=(?:who|what|when|where|why|how)\b)", re.IGNORECASE
)
_STATED: Final = re.compile(r";\s+")
_ASKS: Final = re.compile(rf"(?:{_OPENERS})\b|.*\?\s*$", re.IGNORECASE | re.DOTALL)
_COMPARED: Final = (
    re.compile(
        r"^(?:what(?:'s| is| are) the )?(?:main |key )?differences? between (?P<list>.+?)"
        r"(?P<tail>\s+(?:in|for|on|with|by)\s.+)?\??$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:please )?compare (?P<list>.+?)(?P<tail>\s+(?:in terms of|in|for|on|by|regarding)\s.+)?[.?]?$",
        re.IGNORECASE,
    ),
    re.compile(r"^(?P<list>.+?\s(?:vs\.?|versus)\s.+?)(?P<tail>\s+(?:in|for|on|with)\s.+)?\??$", re.IGNORECASE),
)
_ASKED_LIST: Final = re.compile(
    r"^(?P<head>(?:what|which)(?:\s+(?:is|are|was|were))?|describe|explain|list|summari[sz]e|outline|discuss)\s+"
    r"(?P<the>the\s+)?(?P<list>[^,?]+(?:,\s+[^,?]+)*,?\s+(?:and|or)\s+[^,?]+?)"
    r"(?P<tail>\s+(?:of|for|in|on|about|with|during|after|before|at)\s+[^?]+)?[?.]?$",
    re.IGNORECASE,
)
_ITEMS: Final = re.compile(r",\s*(?:(?:and|or)\s+)?|\s+(?:and|or|vs\.?|versus)\s+", re.IGNORECASE)
_PRONOUN: Final = re.compile(r"\b(?:he|her|him|his|it|its|she|that|their|them|these|they|this|those)\b", re.IGNORECASE)
_FOCUS: Final = re.compile(
    r"\b(?:focus(?:ing)?|concentrate|narrow(?:ed)?)\s+(?:only\s+)?(?:on|down to|to)\s+([^.;!?]+)", re.IGNORECASE
)
_KNOWN: Final = re.compile(
    r"\b(?:(?:I|we)(?:'ve|\s+have)?\s+(?:already\s+)?(?:know|knew|read|learned|seen)|already known|it is known)\b"
    r"(?:\s+(?:that|about))?\s+([^.;!?]+(?:\.\d[^.;!?]*)*)",
    re.IGNORECASE,
)
_SPACES: Final = re.compile(r"\s+")
_EDGES: Final = " \t\n,;:?."
_LIST_ITEM_WORDS: Final = 5


class Facet(FrozenModel):
    """One part of a question. `text` stands alone; `label` is how an answer names it."""

    number: int
    label: Text
    text: Text
    known: bool = False
    """The caller's context states it as known: it is not searched for."""


def facets_of(question: str, context: str = "") -> tuple[Facet, ...]:
    """The facets in the order of the question; there is always one, and at most six are kept."""
    whole = _SPACES.sub(" ", question).strip()
    labels: list[str] = []
    pattern = _CLAUSES if _ASKS.match(whole) else _STATED  # the clauses of a statement belong together
    for clause in (part.strip(_EDGES) for part in pattern.split(whole)):
        if clause:
            labels.extend(_listed(clause))
    kept = [label for label in dict.fromkeys(labels) if _content(label) or (len(label.split()) > 2)] or [whole]
    if len(kept) == 1:
        kept = [whole]
    focus = [_SPACES.sub(" ", found).strip(_EDGES) for found in _FOCUS.findall(context)]
    known = [found for found in _KNOWN.findall(context) if not _FOCUS.search(found)]
    topic = kept[0]
    pairs = [(label, _standing_alone(label, topic if place else "")) for place, label in enumerate(kept)]
    pairs += [(label, f"{label} {_subject(topic)}".strip()) for label in focus if _content(label)]
    pairs = pairs[:FACETS_MAX]
    covered = [_is_known(label, known) for label, _ in pairs]
    if all(covered):  # whoever asks about what they know wants to hear more of it
        covered = [False] * len(pairs)
    return tuple(
        Facet(number=number, label=label, text=text, known=is_known)
        for number, ((label, text), is_known) in enumerate(zip(pairs, covered, strict=True), start=1)
    )


def _listed(clause: str) -> list[str]:
    """The items of a comparison or of a list of wanted things, each with what they share."""
    for pattern in _COMPARED:
        found = pattern.match(clause)
        if found is not None:
            items = _items(found["list"])
            if len(items) > 1:
                return [f"{item}{found['tail'] or ''}".strip() for item in items]
    found = _ASKED_LIST.match(clause)
    if found is not None:
        items = _items(found["list"])
        if len(items) > 1 and all(len(item.split()) <= _LIST_ITEM_WORDS for item in items):
            return [f"{item}{found['tail'] or ''}".strip() for item in items]
    return [clause]


def _items(text: str) -> list[str]:
    found = (item.strip(_EDGES) for item in _ITEMS.split(text))
    return [re.sub(r"^(?:the|a|an)\s+", "", item, flags=re.IGNORECASE) for item in found if item]


def _standing_alone(label: str, topic: str) -> str:
    """A later clause that leans on the first one gets its subject."""
    leans = bool(_PRONOUN.search(label)) or not _content(label)
    return _SPACES.sub(" ", f"{_PRONOUN.sub(' ', label)} {_subject(topic)}").strip() if topic and leans else label


def _subject(topic: str) -> str:
    """What a clause is about: its names, or else its content words in order, without what was done to it."""
    content = _content(topic)
    named = [word.word for word in content if word.marked]
    taken = set(named or [word.word for word in content if not word.word.endswith("ed")])
    return " ".join(word for word in _SPACES.split(topic) if word.strip(_EDGES + "'\"()").lower() in taken).strip(
        _EDGES
    )


def _content(text: str) -> tuple[AskedWord, ...]:
    own = language_in(text)
    return tuple(word for word in asked_words(text, (own,)) if not is_light(word, own, (own,)))


def _is_known(label: str, known: list[str]) -> bool:
    own = language_in(label)
    wanted = _content(label)
    return bool(wanted) and any(
        all(not stems_in(stated, (own,)).isdisjoint(word.stems) for word in wanted) for stated in known
    )
