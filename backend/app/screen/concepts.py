"""Concepts: which word stands for which act, in many languages, tolerant of one slip of the pen."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Final, Generic, TypeVar

from pydantic import Field

from ..kernel.models import FrozenModel, Identifier
from .fold import fold

__all__ = ["Concept", "Lexicon", "Remembered", "Tag", "Tagger", "lowered"]

_LETTERS: Final = (
    "0-9A-Za-z\u00c0-\u1fff\u2c00-\u2dff\u3005-\u3007\u3040-\u318f\u31a0-\u31ff\u3400-\u9fff\ua000-\ud7ff"
    "\uf900-\ufd3d\ufd50-\ufdfb\ufe70-\ufefc\uff66-\uffdc\U00010000-\U0001cfff\U0001e000-\U0001efff\U00020000-\U0003ffff"
)
_DENSE: Final = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
# Explicit ranges: what `\w` means depends on the version of Python. Dense scripts are one token for each character.
_TOKEN: Final = re.compile(f"[{_DENSE}]|(?:(?![{_DENSE}])[{_LETTERS}])+(?:['-](?=[A-Za-z])[A-Za-z]+)*")
_PLAIN_TOKEN: Final = re.compile("[0-9A-Za-z]+(?:['-][A-Za-z]+)*")  # the same for ASCII, three times as quick
_IS_DENSE: Final = re.compile(f"[{_DENSE}]")
_LOWER: Final = {
    **{code: code + 32 for code in range(0x0410, 0x0430)},
    **{code: code + 80 for code in range(0x0400, 0x0410)},
    **{code: code + 32 for code in range(0x0391, 0x03AA)},
    0x0404: 0x0454, 0x0406: 0x0456, 0x0407: 0x0457, 0x0490: 0x0491,
}  # fmt: skip
_SLIP: Final = 5  # letters that a word needs for one slip to be forgiven
_LONGEST_WORD: Final = 24
_LONGEST_PHRASE: Final = 8  # tokens of a phrase, characters of a word in a dense script
_MOST_KNOWN: Final = 50_000  # words that are remembered; forgetting them changes no answer

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Concept(FrozenModel):
    """One class of words: an act, an addressee or a thing that injected instructions speak of."""

    id: Identifier
    anchor: bool
    """Whether one of its words is a reason to look at a sentence at all."""
    words: dict[str, str] = Field(min_length=1)
    """By language; `*` stands for any ending, `_` for the gap between two words."""


class Lexicon(FrozenModel):
    """The reviewed classes of words, and the exceptions from them."""

    version: str
    classes: tuple[Concept, ...] = Field(min_length=2)
    common: str
    """Words too frequent on ordinary pages to be an anchor."""
    not_typos: str
    """Ordinary words that are one slip away from a word of the classes."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Every language that has words, in order."""
        return tuple(sorted({language for one in self.classes for language in one.words}))


Tag = tuple[str, tuple[int, ...]]
"""A token as it was meant, and the concepts that it stands for."""


def lowered(text: str) -> str:
    """Folded text in small letters; explicit tables, since those of Python change between versions."""
    small = text.encode("utf-8").lower().decode("utf-8")
    return small if small.isascii() else small.translate(_LOWER)


class Tagger:
    """Compiled once; every token is looked up once and remembered."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._exact: dict[str, tuple[int, ...]] = {}
        self._stems: dict[str, tuple[int, ...]] = {}
        self._phrases: dict[tuple[str, ...], tuple[int, ...]] = {}
        self.anchors: list[str] = []
        common = set(lexicon.common.split())
        for number, concept in enumerate(lexicon.classes):
            for word in (word for words in concept.words.values() for word in words.split()):
                meant = lowered(_plain(word))
                self._add(number, meant)
                if concept.anchor and word not in common:
                    self.anchors.append(meant)
        self._starts = {phrase[: n + 1] for phrase in self._phrases for n in range(len(phrase) - 1)}
        self._firsts = frozenset(phrase[0] for phrase in self._phrases)
        self._stem_lengths = sorted({len(stem) for stem in self._stems}, reverse=True)
        self._honest = frozenset(lexicon.not_typos.split())
        self._slips = _slips(word for word in (*self._exact, *self._stems) if len(word) >= _SLIP)
        self._known: Remembered[str, Tag] = Remembered(self._look_up)

    def _add(self, number: int, word: str) -> None:
        stem = word.endswith("*")
        bare = word.rstrip("*")
        tokens = (bare,) if bare.isascii() and bare.isalnum() else tuple(_TOKEN.findall(bare))
        table: dict[str, tuple[int, ...]] = self._stems if stem else self._exact
        if len(tokens) > 1:
            self._phrases[tokens] = _with(self._phrases.get(tokens, ()), number)
        else:
            table.update({one: _with(table.get(one, ()), number) for one in tokens})

    def tags(self, text: str) -> list[Tag]:
        """The tokens of a text in small letters, each with its concepts; a phrase is one token."""
        return self.joined(self.single(text))

    def single(self, text: str) -> list[Tag]:
        """The tokens of a text in small letters without regard to phrases."""
        return [self._known[token] for token in (_PLAIN_TOKEN if text.isascii() else _TOKEN).findall(text)]

    def respelled(self, text: str) -> str:
        """A text in small letters, each word that one slip was forgiven in as it was meant."""
        return _TOKEN.sub(self._as_meant, text)

    def _as_meant(self, token: re.Match[str]) -> str:
        meant = self._known[token[0]][0]
        return token[0] if meant.endswith("*") else meant

    def joined(self, single: list[Tag]) -> list[Tag]:
        """Longest phrases first, from left to right."""
        if self._firsts.isdisjoint([tag[0] for tag in single]):
            return single
        joined: list[Tag] = []
        at = 0
        while at < len(single):
            end, best = at + 1, single[at]
            if best[0] not in self._firsts:  # as most words are: no tuple is built for them
                joined.append(best)
                at = end
                continue
            words: tuple[str, ...] = (best[0],)
            while words in self._starts and at + len(words) < len(single) and len(words) < _LONGEST_PHRASE:
                words = (*words, single[at + len(words)][0])
                if words in self._phrases:
                    end, best = at + len(words), ("_".join(words), self._phrases[words])
            joined.append(best)
            at = end
        return joined

    def _look_up(self, token: str) -> Tag:
        found = self._exact.get(token)
        if found is not None:
            return token, found
        for length in self._stem_lengths:
            if length <= len(token) and token[:length] in self._stems:
                return f"{token[:length]}*", self._stems[token[:length]]
        if _SLIP <= len(token) <= _LONGEST_WORD and token not in self._honest and not _IS_DENSE.match(token):
            meant = self._meant(token)
            if meant is not None:
                return meant, self._exact[meant] if meant in self._exact else self._stems[meant]
        return token, ()

    def _meant(self, token: str) -> str | None:
        """The word that a token is one slip away from: a letter more, less or other, or two swapped."""
        for short in (token, *_shortened(token)):
            for word in self._slips.get(short, ()):
                if _one_slip(token, word):
                    return word
        return None


class Remembered(dict[_Key, _Value], Generic[_Key, _Value]):
    """What was looked up, by what was asked; it forgets all when it is full, which changes no answer."""

    def __init__(self, look_up: Callable[[_Key], _Value]) -> None:
        super().__init__()
        self._look_up = look_up

    def __missing__(self, token: _Key) -> _Value:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        found = self[token] = self._look_up(token)
        return found


def _plain(word: str) -> str:
    """A word of the lexicon as the fold writes it, which leaves ASCII as it is."""
    plain = word.replace("_", " ")
    return plain if plain.isascii() else fold(plain).text


def _with(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    return numbers if number in numbers else (*numbers, number)


def _shortened(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


def _slips(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Words by themselves and by each of their forms without one letter."""
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        for short in dict.fromkeys((word, *_shortened(word))):
            found[short] = (*found.get(short, ()), word)
    return found


def _one_slip(token: str, word: str) -> bool:
    """Whether one edit or one swap of neighbours leads from one to the other."""
    start = 0
    while start < min(len(token), len(word)) and token[start] == word[start]:
        start += 1
    rest, other = token[start:], word[start:]
    if len(token) == len(word):
        return rest[1:] == other[1:] or (rest[1::-1] == other[:2] and rest[2:] == other[2:])
    return rest[1:] == other or rest == other[1:]
