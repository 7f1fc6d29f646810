"""Reads bylines: who is named, which names are people's, and how a bibliography turns them round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Author", "read_authors"]

_MOST_AUTHORS: Final = 100
_LONGEST_NAME: Final = 120
_LONGEST_BYLINE: Final = 4_000
_MOST_WORDS: Final = 6
_PARTICLE_LIST: Final = (
    "af al av bin da dal dalla das de degli dei del dela della den der di do dos du el ibn la las le los st. ten ter "
    "'t te van vande vander vom von y zu zum zur "
)
_PARTICLES: Final = frozenset(_PARTICLE_LIST.split())
# With a capital these are still part of a family name; the others are given names as often as not.
_CAPITAL_PARTICLES: Final = frozenset(("Da", "De", "Del", "Della", "Di", "Du", "La", "Le", "St.", "Van", "Von"))
_SUFFIXES: Final = {"jr": "Jr.", "sr": "Sr.", "ii": "II", "iii": "III", "iv": "IV"}
_DEGREE_LIST: Final = "ba bsc cpa dds dphil edd esq frcp jd llm ma mba md mph msc obe phd rn "
_DEGREES: Final = frozenset(_DEGREE_LIST.split())
_TITLE_LIST: Final = "dame dr dr. mr mr. mrs mrs. ms ms. prof prof. professor sir "
_TITLES: Final = frozenset(_TITLE_LIST.split())
_GROUP_LIST: Final = (
    "academy administration administrator agency archive archives army associates association authority bank blog "
    "board bureau center centre channel church city clinic club co. collective college commission committee community "
    "company conference consortium contributors coalition corp corp. corporation council county department desk "
    "developer developers digital directorate division "
    "docs documentation editor editorial editors education federation force forum foundation fund gmbh government "
    "group guild health hospital house inc inc. initiative institute institution international journal lab laboratory "
    "labs league library limited llc ltd ltd. magazine media ministry museum national network news newspaper "
    "newsroom observatory office organisation organization partners party police post press programme "
    "project publications publishers publishing radio reporter research review school service services society "
    "software staff state studio studios support survey syndicate systems task team technologies television "
    "times treasury trust union universities university w3c wikipedia wire "
)
_GROUPS: Final = frozenset(_GROUP_LIST.split())
_JOINING_WORDS: Final = frozenset(("and", "at", "by", "for", "from", "in", "of", "on", "the", "&"))
_BETWEEN: Final = re.compile(r"\s+(?:and|&|with)\s+|\s*,\s*(?:and|&)\s+", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"https?:|www\.", re.IGNORECASE)
_BY: Final = re.compile(r"by:?\s+", re.IGNORECASE)
_ASIDE: Final = re.compile(r"\s+\([^()]*\)$")
_JOB_LIST: Final = "author columnist contributor correspondent editor editor-in-chief journalist reporter writer "
_JOBS: Final = frozenset(_JOB_LIST.split())
_BARE_INITIALS: Final = re.compile(r"[A-Z]{1,3}")
_ELIDED: Final = re.compile(r"(?:al-|d['\u2019]|el-|l['\u2019])(?=\S)")  # beginnings of a family name that stay small
# What counts as a letter elsewhere, and which are small, differs between Python versions.
# As text, like the two below: compiled with the first byline that needs it, and kept by the module `re`.
_LETTER: Final = (
    "[A-Za-z\u00aa\u00b5\u00ba\u00c0-\u02af\u0370-\u0482\u048a-\u1fff\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufdff]"
)
_INITIALS: Final = rf"(?:{_LETTER}\.[ -]?){{1,5}}|{_LETTER}"
_CASED_UP_TO: Final = "\u052f"
# Scripts whose readers put the family name first already.
_FAMILY_FIRST: Final = "[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff]"


@dataclass(frozen=True, slots=True)
class Author:
    """A person with a family name and given names; a group, or whoever has one name, only has `family`."""

    family: str
    given: str = ""
    suffix: str = ""

    @property
    def inverted(self) -> str:
        """`Doe, Jane Q., Jr.`"""
        return ", ".join(filter(None, (self.family, self.given, self.suffix)))

    @property
    def straight(self) -> str:
        """`Jane Q. Doe Jr.`"""
        return " ".join(filter(None, (self.given, self.family, self.suffix)))

    @property
    def initials(self) -> str:
        """`Doe, J. Q., Jr.`"""
        return ", ".join(filter(None, (self.family, _initials(self.given), self.suffix)))


def read_authors(byline: str | Sequence[str]) -> tuple[Author, ...]:
    """Everybody in a byline, or in a list of names, once and in order; addresses name nobody.

    A byline may hold names apart by semicolons, commas and `and`, each straight or turned round. A name is taken for
    a person's when nothing speaks against it: a word that groups use, a digit, one word alone, a small letter.
    """
    parts = _split(byline[:_LONGEST_BYLINE]) if isinstance(byline, str) else list(byline[:_MOST_AUTHORS])
    found: dict[Author, None] = {}
    for part in parts[:_MOST_AUTHORS]:
        name = _ASIDE.sub("", _BY.sub("", " ".join(part.split())[:_LONGEST_NAME].strip(" ,;"), count=1), count=1)
        if name and not _ADDRESS.match(name):
            found[_author(name)] = None
    return tuple(found)


def _split(byline: str) -> list[str]:
    if ";" in byline:
        return byline.split(";")
    if "," not in byline:
        return _between(byline)
    sides = _BETWEEN.split(byline)
    if len(sides) > 1 and all(side.count(",") == 1 and _is_pairs(_pieces(side)) for side in sides):
        return sides
    parts = _pieces(byline)
    kept: list[str] = []
    for part in parts:
        if kept and (_plain(part) in _SUFFIXES or _plain(part) in _DEGREES):
            kept[-1] = f"{kept[-1]}, {part}"
        elif not kept or part.split()[-1].lower() not in _JOBS:
            kept.append(part)
    if _is_pairs(kept):
        return [f"{family}, {given}" for family, given in zip(kept[::2], kept[1::2], strict=True)]
    if any(" " not in part for part in kept[1:]) and any(_has_group_word(part) for part in kept):
        return [byline]  # `Department of Fish, Wildlife, and Parks`
    return [name for part in kept for name in _between(part)]


def _pieces(text: str) -> list[str]:
    return [piece for part in text.split(",") if (piece := " ".join(part.split()).removeprefix("and "))]


def _is_pairs(parts: list[str]) -> bool:
    """Whether the parts are family and given names in turn: `Doe, Jane` or `Doe, J., Roe, R. S.`"""
    if len(parts) % 2 or not parts:
        return False
    families, givens = parts[::2], parts[1::2]
    if any(_is_group(part.split()) and len(part.split()) > 1 for part in parts):
        return False
    alone = all(_family_words(family) == 1 for family in families)
    if len(parts) == 2:
        return alone and not _BETWEEN.search(f" {givens[0]}") and len(givens[0].split()) <= 3
    return alone and all(re.fullmatch(_INITIALS, given.removeprefix("and ").removeprefix("& ")) for given in givens)


def _family_words(text: str) -> int:
    words = text.split()
    return len(words) - sum(word.lower() in _PARTICLES for word in words[:-1])


def _between(part: str) -> list[str]:
    """Names joined by `and`; a group may have that word inside its own name."""
    words = part.removeprefix("and ").removeprefix("& ")
    names = [name for name in _BETWEEN.split(words) if name]
    return [words] if _has_group_word(words) or any(len(name.split()) < 2 for name in names) else names


def _has_group_word(text: str) -> bool:
    return any(word.lower().strip(".,") in _GROUPS for word in text.split())


def _author(name: str) -> Author:
    head, suffix = _without_suffix(name)
    if "," in head:
        family, _, given = (part.strip() for part in head.partition(","))
        if family and given and "," not in given and not _is_group([*family.split(), *given.split()]):
            return Author(family, given, suffix)
        return Author(name)
    words = head.split()
    while len(words) > 2 and words[0].lower() in _TITLES:
        words = words[1:]
    if _is_group(words) or not 2 <= len(words) <= _MOST_WORDS or re.search(_FAMILY_FIRST, head):
        return Author(name)
    if words[-1].endswith(".") and len(words[-1]) == 2:
        return Author(name)  # `Jane D.` does not tell the family name
    if _BARE_INITIALS.fullmatch(words[-1]) and any(_is_small(char) for char in head):
        return Author(" ".join(words[:-1]), " ".join(f"{letter}." for letter in words[-1]), suffix)
    at = _family_at(words)
    return Author(name) if at == 0 else Author(" ".join(words[at:]), " ".join(words[:at]), suffix)


def _without_suffix(name: str) -> tuple[str, str]:
    """The name without degrees at its end, and the suffix that is part of it."""
    suffix = ""
    words = name.replace(",", " , ").split()
    while len(words) > 2:
        plain = _plain(words[-1])
        if plain in _SUFFIXES and not suffix:
            suffix = _SUFFIXES[plain]
        elif plain not in _DEGREES or not (words[-2] == "," or _looks_like_degree(words[-1])):
            break
        words.pop()
        while words and words[-1] == ",":
            words.pop()
    return " ".join(words).replace(" ,", ","), suffix


def _looks_like_degree(word: str) -> bool:
    """Some are family names in other letters: `Ma`."""
    return "." in word or sum("A" <= char <= "Z" for char in word) > 1


def _family_at(words: list[str]) -> int:
    """Where the family name begins; 0 where there would be no given name."""
    last = len(words) - 1
    for at, word in enumerate(words[1:last], 1):
        if word in _PARTICLES:
            return at - 1 if word == "y" and at > 1 else at
    at = last
    while at > 1 and words[at - 1] in _CAPITAL_PARTICLES:
        at -= 1
    return 0 if words[0] in _PARTICLES else at


def _is_group(words: list[str]) -> bool:
    if len(words) < 2:
        return True
    for place, word in enumerate(words):
        small = word.lower().rstrip(",")
        if small in _GROUPS or small.removesuffix("'s").removesuffix("\u2019s") in _GROUPS or small in _JOINING_WORDS:
            return True
        if any(char in "0123456789@/_:|" for char in word):
            return True
        first = _first_letter(_ELIDED.sub("", word, count=1))
        if not first or (_is_small(first) and (small not in _PARTICLES or place == len(words) - 1)):
            return True
    return False


def _first_letter(word: str) -> str:
    found = re.search(_LETTER, word)
    return found.group() if found is not None else ""


def _is_small(char: str) -> bool:
    return char <= _CASED_UP_TO and char.islower()


def _plain(word: str) -> str:
    return word.replace(".", "").lower().strip()


def _initials(given: str) -> str:
    found: list[str] = []
    for word in given.replace(".", ". ").split():
        letters = [_first_letter(part) for part in word.split("-")]
        if word[0] not in "\"'(\u201c\u2018" and any(letters):
            found.append("-".join(f"{letter}." for letter in letters if letter))
    return " ".join(found)
