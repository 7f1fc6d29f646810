"""Folds a text onto a shadow copy that reads as people read it, with a map of every offset back to the original."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

import re2

from .carriers import distinct_of, is_carrier
from .fold_tables import LONGER, SINGLE

__all__ = ["Folded", "Layer", "fold", "folded_pattern", "rewritten", "spliced"]

_MANY: Final = 80  # distinct characters from which one pass over the text is cheaper than one for each
_LOST: Final = "\ufffd"
_SURROGATES: Final = range(0xD800, 0xE000)
# Letters of other scripts that look like Latin ones; they are read so only in words that mix both.
_LOOKS: Final = {
    "a": "\u0430\u03b1", "b": "\u044c\u03b2\u13cf", "c": "\u0441\u03f2", "d": "\u0501", "e": "\u0435\u03b5",
    "g": "\u0581", "h": "\u04bb\u0570\u13c2", "i": "\u0456\u03b9\u13a5", "j": "\u0458\u03f3\u0575",
    "k": "\u043a\u03ba", "l": "\u04cf", "m": "\u043c", "n": "\u043f\u03b7\u0578\u057c", "o": "\u043e\u03bf\u0585",
    "p": "\u0440\u03c1", "q": "\u051b\u0566", "r": "\u0433", "s": "\u0455", "t": "\u0442\u03c4",
    "u": "\u03c5\u057d", "v": "\u0475\u03bd", "w": "\u051d\u03c9\u0561", "x": "\u0445\u03c7",
    "y": "\u0443\u03b3", "z": "\u0437", "A": "\u0410\u0391\u13aa",
    "B": "\u0412\u0392\u0432\u13f4", "C": "\u0421\u03f9\u13df",
    "D": "\u13a0", "E": "\u0415\u0395\u13ac", "G": "\u050c\u13c0", "H": "\u041d\u0397\u043d\u13bb",
    "I": "\u0406\u04c0\u0399", "J": "\u0408\u037f\u13ab", "K": "\u041a\u039a\u13e6", "L": "\u13de",
    "M": "\u041c\u039c\u13b7", "N": "\u039d", "O": "\u041e\u039f\u0555", "P": "\u0420\u03a1\u13e2",
    "R": "\u13a1\u13d2", "S": "\u0405\u054f\u13da", "T": "\u0422\u03a4\u13a2", "U": "\u054d", "V": "\u0474\u13d9",
    "W": "\u051c\u13b3", "X": "\u0425\u03a7", "Y": "\u0423\u03a5\u13a9", "Z": "\u0417\u0396\u13c3",
}  # fmt: skip
_ALIKE: Final = {look: letter for letter, looks in _LOOKS.items() for look in looks}
_CLASS: Final = "".join(f"\\x{{{ord(letter):x}}}" for letter in sorted(_ALIKE))
_MEETS: Final = re2.compile(f"[A-Za-z][{_CLASS}]|[{_CLASS}][A-Za-z]")
_LATIN: Final = re.compile("[A-Za-z]")
_READ_ALIKE: Final = {ord(look): letter for look, letter in _ALIKE.items()}
# Words are looked at once, from their first letter, and are short.
_LOOKALIKES: Final = "".join(sorted(_ALIKE))
_MIXED: Final = re.compile(f"(?<![A-Za-z'{_LOOKALIKES}])[A-Za-z']{{0,60}}[{_LOOKALIKES}][A-Za-z'{_LOOKALIKES}]{{0,60}}")


@dataclass(frozen=True, slots=True)
class Layer:
    """One rewriting: from each of its points on, both texts run side by side until the next point."""

    new: tuple[int, ...]
    old: tuple[int, ...]

    def back(self, i: int) -> int:
        """The offset before the rewriting of the character that is at `i` behind it."""
        k = bisect_right(self.new, i) - 1
        if k < 0:
            return i
        at = self.old[k] + i - self.new[k]
        # What was put in for fewer characters points to the last of them.
        return min(at, max(self.old[k], self.old[k + 1] - 1)) if k + 1 < len(self.old) else at


@dataclass(frozen=True, slots=True)
class Folded:
    """The shadow copy in UTF-8, which is what the engine reads, and the way back."""

    data: bytes
    layers: tuple[Layer, ...] = ()
    seen: str = ""
    """The distinct characters of the original beyond ASCII, in order."""

    @property
    def carries(self) -> bool:
        """Whether the original may hold carriers at all."""
        return any(map(is_carrier, self.seen))

    @property
    def text(self) -> str:
        """The shadow copy as text; its offsets are those that lead back."""
        return self.data.decode("utf-8")

    def start(self, i: int) -> int:
        """The offset in the original of the character at `i`."""
        for layer in reversed(self.layers):
            i = layer.back(i)
        return i

    def end(self, i: int) -> int:
        """The offset in the original behind the character that stands before `i`."""
        return self.start(i - 1) + 1 if i > 0 else 0


def _table(packed: str) -> Iterator[tuple[str, str]]:
    for entry in packed.split():
        mark = ":" if ":" in entry else "+"
        codes, target = entry.split(mark)
        first, _, last = codes.partition("-")
        letters = [int(code) for code in target.split(".") if code]
        for offset in range(int(last or first) - int(first) + 1):
            step = offset if mark == "+" else 0
            yield chr(int(first) + offset), "".join(chr(letter + step) for letter in letters)


_SINGLE: Final = dict(_table(SINGLE))
_LONGER: Final = dict(_table(LONGER))


def fold(text: str) -> Folded:
    """The text without carriers and marks, every letter in its plain form; ASCII is returned as it is."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) == len(text):
        return Folded(data)
    present = distinct_of(data)
    single: list[tuple[str, str]] = []
    longer: dict[str, str] = {}
    for character in present:
        to = _reading(character)
        if to is not None and len(to) == 1:
            single.append((character, to))
        elif to is not None:
            longer[character] = to
    layers: tuple[Layer, ...] = ()
    if longer:
        # One for one first, since that moves nothing.
        text, layers = spliced(_replaced(text, single), _one_of(longer), lambda run: "".join(map(longer.get, run)))  # type: ignore[arg-type]  # the run is made of keys
        data = text.encode("utf-8")
    elif len(single) > _MANY:
        data = _replaced(text, single).encode("utf-8")
    else:
        for character, to in single:
            data = data.replace(character.encode("utf-8", "surrogatepass"), to.encode("utf-8"))
    if not _ALIKE.keys().isdisjoint(present) and _MEETS.search(data) is not None:
        data = _MIXED.sub(_unmixed, data.decode("utf-8")).encode("utf-8")
    return Folded(data, layers, present)


def rewritten(folded: Folded, pattern: re.Pattern[str], read: Callable[[str], str]) -> Folded:
    """Reads every match of a pattern, which is one group, as something else, and remembers where it stood."""
    text, layers = spliced(folded.text, pattern, read)
    return Folded(text.encode("utf-8"), (*folded.layers, *layers), folded.seen) if layers else folded


def spliced(text: str, pattern: re.Pattern[str], read: Callable[[str], str]) -> tuple[str, tuple[Layer, ...]]:
    """The text with every match read as something else; each end of a match is a point of the layer."""
    pieces = pattern.split(text)
    if len(pieces) == 1:
        return text, ()
    old = tuple(accumulate(map(len, pieces)))
    pieces[1::2] = map(read, pieces[1::2])
    new = tuple(accumulate(map(len, pieces)))
    return "".join(pieces), (Layer(new[:-1], old[:-1]),)


def _replaced(text: str, single: list[tuple[str, str]]) -> str:
    if len(single) > _MANY:
        return text.translate({ord(c): to for c, to in single})
    for c, to in single:
        text = text.replace(c, to)
    return text


@lru_cache(maxsize=8_192)
def _reading(character: str) -> str | None:
    """What the shadow copy has in the place of a character, or None where it stays."""
    if character in _SINGLE:
        return _SINGLE[character]
    if character in _LONGER:
        return _LONGER[character]
    if ord(character) in _SURROGATES:
        return _LOST
    return "" if is_carrier(character) else None


def folded_pattern(pattern: str) -> str:
    """A rule's pattern as the shadow copy would spell its letters."""
    return fold(pattern).text


def _one_of(characters: Iterable[str]) -> re.Pattern[str]:
    return re.compile("([" + "".join(map(re.escape, characters)) + "]+)")


def _unmixed(match: re.Match[str]) -> str:
    """Reads look-alike letters as Latin ones in words that mix scripts, and in words that hold nothing else."""
    word = match[0]
    if not _LATIN.search(word):
        # A letter of its own script on either side means that the word is an honest one.
        before, after = (
            match.string[max(0, match.start() - 1) : match.start()],
            match.string[match.end() : match.end() + 1],
        )
        if before.isalpha() or after.isalpha():
            return word
    return word.translate(_READ_ALIKE)
