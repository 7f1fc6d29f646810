"""The facets of a question: the parts that an answer has to cover, each able to stand alone as a question."""

from __future__ import annotations

import re
from typing import Final

from ...kernel.models import FrozenModel, Text
from ...parsing.text.words.tokens import AskedWord, asked_words, is_light, language_in, stems_in

__all__ = ["FACETS_MAX", "Facet", "asks", "facets_of"]

FACETS_MAX: Final = 6
_WORDS_OF_QUESTIONS: Final = (
    r"who|whom|whose|what|when|where|which|why|how|wer|wem|wen|was|wann|wo|woher|wohin|warum|wieso|wie|welche[rsnm]?|qui|quand|o\u00f9"
    r"|comment|pourquoi|combien|quel(?:le)?s?|qui\u00e9n(?:es)?|qu\u00e9|cu\u00e1ndo|d\u00f3nde|c\u00f3mo|cu\u00e1nt[oa]s?|cu\u00e1l(?:es)?"
)
_BEFORE_THEM: Final = (
    r"(?:since|until|under|in|by|within|during|at|on|to|from|for|with|of|about|through|seit|bis|ab|unter|in|von|aus|mit|f\u00fcr|auf|bei|zu|depuis"
    r"|jusqu'\u00e0|sous|dans|par|avec|pour|de|\u00e0|desde|hasta|bajo|en|por|con|para|a)"
)
_ASKED_WORD: Final = rf"(?:(?:also|then)\s+)?(?:{_BEFORE_THEM}\s+)?(?:{_WORDS_OF_QUESTIONS})\b"
_VERBS: Final = r"is|are|was|were|does|do|did|can|should|will|may|must|has|have|ist|sind|hat|kann|darf"
_AND: Final = r"and|but|or|und|oder|aber|et|ou|mais|y|o|pero"
_CLAUSES: Final = re.compile(
    rf"\?\s+|;\s+|,?\s+(?:{_AND})\s+(?=(?:{_ASKED_WORD}|(?:{_VERBS})\b))"
    rf"|,\s+(?=(?:{_BEFORE_THEM}\s+)?(?:{_WORDS_OF_QUESTIONS})\b)(?!(?:which|was|die|qui|que)\s+(?:{_VERBS})\b)",
    re.IGNORECASE,
)
_STATED: Final = re.compile(r";\s+")
_ASKS: Final = re.compile(rf"(?:{_ASKED_WORD}|(?:{_VERBS})\b)|.*\?\s*$", re.IGNORECASE | re.DOTALL)
_LINKS: Final = re.compile(r"^(?:and|but|or|also|then|und|et|y)\s+", re.IGNORECASE)
_PAIR_OF_WORDS: Final = re.compile(
    rf"^(?:(?:{_WORDS_OF_QUESTIONS})\s+(?:{_AND})\s+(?:{_WORDS_OF_QUESTIONS}))\b", re.IGNORECASE
)
"""Two question words before one sentence: "when and where is it" is one part."""
_CHOICE: Final = re.compile(
    r"^(?:which|what)\s+(?P<noun>[^,?]+?)\s+(?:has|have|had|is|are|was|were|does|offers?|costs?|takes?|needs?)\s+"
    r"(?P<said>[^,?]+?)\s*[,:]\s*(?P<list>[^,?]+(?:,\s+[^,?]+)*,?\s+or\s+[^,?]+)\??$",
    re.IGNORECASE,
)
_DEGREE: Final = re.compile(r"\b(?:more|most|fewer|fewest|less|least|the)\s+", re.IGNORECASE)
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
    r"^(?:(?:what|which)\s+(?:is|are|was|were)|describe|explain|list|summari[sz]e|outline|discuss|tell me about)\s+"
    r"(?:the\s+)?(?P<list>[^,?]+(?:,\s+[^,?]+)*,?\s+(?:and|or)\s+[^,?]+?)[?.]?$",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(r"\s+(?:of|for|in|on|about|with|during|after|before|at)\s.+$", re.IGNORECASE)
_HEAD_OF: Final = re.compile(r"^(?P<head>(?:[\w-]+\s+){1,4}?(?:of|for|in|during|at))\s+(?P<rest>.+)$", re.IGNORECASE)
_CROSSED: Final = re.compile(r"^(?P<sides>.+?)\s+(?P<link>of|for|in|at|between)\s+(?P<things>.+)$", re.IGNORECASE)
_SHORT_CLAUSE: Final = re.compile(
    rf"(?:{_BEFORE_THEM}\s+)?(?:(?:{_WORDS_OF_QUESTIONS})"
    r"|how (?:long|often|much|many|far|old|big|high|deep|fast)(?:\s+\w+)?)"
    rf"|{_BEFORE_THEM}\s+(?:what|which|whose|welche[rmns]?|quel(?:le)?s?|qu\u00e9)\s+\w+",
    re.IGNORECASE,
)
"""A clause without a verb of its own: "and by whom?", "at what temperature?"."""
_ASKING: Final = re.compile(
    rf"^(?:{_BEFORE_THEM}\s+)?(?:how (?:long|often|old|big|high|deep|fast|far)|(?:how (?:much|many)|what|which|whose)"
    rf"(?:\s+(?!(?:{_VERBS})\b)\w+){{0,3}}?(?=\s+(?:{_VERBS})\b)|(?:{_WORDS_OF_QUESTIONS}))\s+",
    re.IGNORECASE,
)
_ITEMS: Final = re.compile(r",\s*(?:(?:and|or)\s+)?|\s+(?:and|or|vs\.?|versus)\s+", re.IGNORECASE)
_PRONOUN: Final = re.compile(r"\b(?:he|her|him|his|it|its|she|that|their|them|these|they|this|those)\b", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"\b(?:the|an?|der|die|das|le|la|el)\s+\w", re.IGNORECASE)
_USUAL_VERBS: Final = frozenset(
    (
        "be", "become", "come", "contain", "cost", "get", "go", "have", "keep", "last", "look", "mean", "need", "stay",
        "take", "use", "weigh", "work",
    )
)  # fmt: skip
_ABOUT_THE: Final = re.compile(
    rf"\b(?:{_VERBS})\s+(?P<the>(?:the|my|our|your|this)\s+)?(?P<thing>\w+(?:\s+\w+){{0,2}}?)\s+"
    rf"(?P<verb>{'|'.join(sorted(_USUAL_VERBS))}|\w+$)(?P<rest>\b.*)$",
    re.IGNORECASE,
)
"""What "which Android version does the app need" is about: the app; and "why does bread go stale": bread."""
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
    topic: Text = ""
    """What it is searched with beside its own words; an answer need not hold it."""
    known: bool = False
    """The caller's context states it as known: it is not searched for."""


def asks(text: str) -> bool:
    """True for a text that begins like a question or ends like one."""
    return _ASKS.match(text) is not None


def facets_of(question: str, context: str = "") -> tuple[Facet, ...]:
    """The facets in the order of the question; there is always one, and at most six are kept."""
    whole = _SPACES.sub(" ", question).strip()
    labels: list[str] = []
    pattern = _CLAUSES if _ASKS.match(whole) else _STATED  # the clauses of a statement belong together
    pieces = [whole] if _PAIR_OF_WORDS.match(whole) else pattern.split(whole)
    for clause in (_LINKS.sub("", part.strip(_EDGES)) for part in pieces):
        if clause:
            labels.extend(_listed(clause))
    kept = [label for label in dict.fromkeys(labels) if _is_part(label)] or [whole]
    if len(kept) == 1:
        kept = [whole]
    focus = [_SPACES.sub(" ", found).strip(_EDGES) for found in _FOCUS.findall(context)]
    known = [found for found in _KNOWN.findall(context) if not _FOCUS.search(found)]
    topic = kept[0]
    kept = [topic, *(_with_its_verb(label, topic) if _is_short(label) else label for label in kept[1:])]
    pairs = [(label, _standing_alone(label, topic if place else ""), "") for place, label in enumerate(kept)]
    pairs += [(label, label, _subject(topic)) for label in focus if _content(label)]
    pairs = pairs[:FACETS_MAX]
    covered = [_is_known(label, known) for label, _, _ in pairs]
    if all(covered):  # whoever asks about what they know wants to hear more of it
        covered = [False] * len(pairs)
    return tuple(
        Facet(number=number, label=label, text=text, topic=topic, known=is_known)
        for number, ((label, text, topic), is_known) in enumerate(zip(pairs, covered, strict=True), start=1)
    )


def _listed(clause: str) -> list[str]:
    """The items of a comparison or of a list of wanted things, each with what they share."""
    choice = _CHOICE.match(clause)
    if choice is not None:
        said = _DEGREE.sub("", choice["said"])
        return [f"{item} {choice['noun']} {said}" for item in _items(choice["list"])]
    for pattern in _COMPARED:
        found = pattern.match(clause)
        if found is not None:
            crossed = _crossed(found["list"])
            if crossed:
                return [f"{item}{found['tail'] or ''}" for item in crossed]
            items = _items(found["list"])
            if len(items) > 1:
                return [f"{item}{found['tail'] or ''}".strip() for item in _with_head(items)]
    found = _ASKED_LIST.match(clause)
    if found is not None:
        items = _crossed(found["list"]) or _with_tail(_items(found["list"]))
        if len(items) > 1 and all(len(_TAIL.sub("", item).split()) <= _LIST_ITEM_WORDS for item in items):
            return items
    return [clause]


def _is_part(label: str) -> bool:
    return bool(_content(label)) or len(label.split()) > 2 or _is_short(label)


def _is_short(label: str) -> bool:
    return _SHORT_CLAUSE.fullmatch(label) is not None and not label.split()[-1][:1].isupper()


def _with_its_verb(label: str, topic: str) -> str:
    """A clause without a verb of its own, with what the first clause asks about."""
    rest = _ASKING.sub("", topic)
    return f"{label} {rest[:1].lower()}{rest[1:]}" if rest == topic else f"{label} {rest}"


def _crossed(text: str) -> list[str]:
    """ "the price and size of A and B": each of the one for each of the other; nothing where one side has one item."""
    found = _CROSSED.match(text)
    if found is None or found["link"].lower() == "between":
        return []
    sides, things = _items(found["sides"]), _items(found["things"])
    if len(sides) < 2 or len(things) < 2:
        return []
    if any(_TAIL.search(thing) for thing in things):  # "the war in Gaul and Spain" is one thing
        things = [found["things"]]
    return [f"{side} {found['link']} {thing}" for thing in things for side in sides]


def _with_head(items: list[str]) -> list[str]:
    """ "the price of A" and "B": what is compared belongs to both."""
    found = _HEAD_OF.match(items[0])
    if found is None or any(_HEAD_OF.match(item) for item in items[1:]):
        return items
    return [items[0], *(f"{found['head']} {item}" for item in items[1:])]


def _with_tail(items: list[str]) -> list[str]:
    """ "the size, age and price of A": what the last one belongs to is shared, unless another has its own."""
    found = _TAIL.search(items[-1]) if items else None
    if found is None or any(_TAIL.search(item) for item in items[:-1]):
        return items
    return [*(f"{item}{found[0]}" for item in items[:-1]), items[-1]]


def _items(text: str) -> list[str]:
    found = (item.strip(_EDGES) for item in _ITEMS.split(text))
    return [re.sub(r"^(?:the|a|an)\s+", "", item, flags=re.IGNORECASE) for item in found if item]


def _standing_alone(label: str, topic: str) -> str:
    """A later clause that leans on the first one gets its subject."""
    leans = bool(_PRONOUN.search(label)) or not (_content(label) or _ARTICLE.search(label))
    if not topic or not leans:
        return label
    said = _PRONOUN.sub("\n", label)  # the subject stands where its first pronoun stood
    whole = said.replace("\n", f" {_subject(topic)} ", 1) if "\n" in said else f"{said} {_subject(topic)}"
    return _SPACES.sub(" ", whole.replace("\n", " ")).strip()


def _subject(topic: str) -> str:
    """What a clause is about: its names, or else its content words in order, without what was done to it."""
    content = _content(topic)
    about = _ABOUT_THE.search(topic.rstrip(_EDGES))
    named = [word.word for word in content if word.marked]
    thing = _content(about["thing"]) if about is not None else ()
    if about is not None and thing and not any(word.marked for word in thing):
        verb = about["verb"].lower()
        if verb in _USUAL_VERBS or (about["the"] and not about["rest"]):
            after = (word for word in about["rest"].split() if word.strip(_EDGES + "'\"()").lower() in named)
            return " ".join((about["thing"], *after)).strip(_EDGES)
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
