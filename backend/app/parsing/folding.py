"""Folds a text onto a shadow copy that reads as people read it, with a map of every offset back to the original."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import re2

from .carriers import is_carrier
from .fold_tables import LONGER, SINGLE

__all__ = ["Folded", "Layer", "fold", "folded_pattern", "rewritten"]

_ASCII: Final = bytes(range(128))
_MANY: Final = 20  # distinct characters from which one pass over the text is cheaper than one for each
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
_MIXED: Final = re2.compile(f"[A-Za-z']*[{_CLASS}][A-Za-z'{_CLASS}]*")


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
    """The shadow copy, and the way back."""

    text: str
    layers: tuple[Layer, ...] = ()
    seen: str = ""
    """The distinct characters of the original beyond ASCII, in order."""

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
        letters = [int(code, 16) for code in target.split(".") if code]
        for offset in range(int(last or first, 16) - int(first, 16) + 1):
            step = offset if mark == "+" else 0
            yield chr(int(first, 16) + offset), "".join(chr(letter + step) for letter in letters)


_SINGLE: Final = dict(_table(SINGLE))
_LONGER: Final = dict(_table(LONGER))


def fold(text: str) -> Folded:
    """The text without carriers and marks, every letter in its plain form; ASCII is returned as it is."""
    if text.isascii():
        return Folded(text)
    # Without its ASCII bytes a text is small, so its distinct characters are found at the speed of a copy.
    rest = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    present = sorted(set(rest.decode("utf-8", "surrogatepass")))
    gone = [c for c in present if c not in _SINGLE and (c in _LONGER or is_carrier(c))]
    folded = Folded(text, (), "".join(present))
    if gone:
        folded = rewritten(folded, ((at, at + 1, _LONGER.get(text[at], "")) for at in _places(text, gone)))
    single = [c for c in present if c in _SINGLE or ord(c) in _SURROGATES]
    plain = folded.text
    if len(single) > _MANY:
        plain = plain.translate({ord(c): _SINGLE.get(c, _LOST) for c in single})
    else:
        for c in single:
            plain = plain.replace(c, _SINGLE.get(c, _LOST))
    if any(c in _ALIKE for c in present) and not plain.isascii():
        plain = _unmixed(plain)
    return Folded(plain, folded.layers, folded.seen)


def rewritten(folded: Folded, edits: Iterable[tuple[int, int, str]]) -> Folded:
    """Replaces spans of the shadow copy, given in ascending order, and remembers where they stood."""
    text = folded.text
    pieces: list[str] = []
    new: list[int] = []
    old: list[int] = []
    done = length = 0
    for start, end, put in edits:
        if start > done:
            pieces.append(text[done:start])
            length += start - done
        if put:
            pieces.append(put)
            new.append(length)
            old.append(start)
            length += len(put)
        new.append(length)
        old.append(end)
        done = end
    if not new:
        return folded
    pieces.append(text[done:])
    return Folded("".join(pieces), (*folded.layers, Layer(tuple(new), tuple(old))), folded.seen)


def folded_pattern(pattern: str) -> str:
    """A rule's pattern as the shadow copy would spell its letters."""
    return fold(pattern).text


def _places(text: str, characters: list[str]) -> Iterator[int]:
    if len(characters) == 1:
        at = text.find(characters[0])
        while at >= 0:
            yield at
            at = text.find(characters[0], at + 1)
        return
    for match in re.finditer("[" + "".join(map(re.escape, characters)) + "]", text):
        yield match.start()


def _unmixed(text: str) -> str:
    """Reads look-alike letters as Latin ones in words that mix scripts, and then in words that hold nothing else."""
    if _MEETS.search(text) is None:
        return text
    pieces: list[str] = []
    done = 0
    for match in _MIXED.finditer(text):
        word = match[0]
        start, end = match.span()
        # A letter outside the class on either side means that the word is an honest one of its own script.
        if not any("a" <= c <= "z" or "A" <= c <= "Z" for c in word) and _goes_on(text, start, end):
            continue
        pieces += (text[done:start], "".join(_ALIKE.get(c, c) for c in word))
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _goes_on(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    return (before.isalpha() and not before.isascii()) or (after.isalpha() and not after.isascii())
