"""Strips characters that carry hidden text, and maps offsets in what is left back to the original."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, chain, repeat
from typing import Final

__all__ = ["JOINERS", "Stripped", "beyond_ascii", "carrier_kinds", "distinct_of", "is_carrier", "strip_carriers"]

JOINERS: Final = ("\u200c", "\u200d")

_ASCII: Final = bytes(range(128))
_Ranges = tuple[tuple[int, int], ...]

# Explicit code points: the tables of `unicodedata` change between Python versions, these do not.
_CARRIERS: Final[_Ranges] = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors and vowel separator
    (0x200B, 0x200F),  # zero-width space and joiners, direction marks
    (0x202A, 0x202E),  # direction embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, direction isolates
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark inside text
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xFFF0, 0xFFFB),  # unassigned specials, interlinear annotation
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical format controls
    (0xE0000, 0xE0FFF),  # tag characters, more variation selectors, unassigned ignorables
)
_JOINING: Final[_Ranges] = (  # scripts whose spelling needs joiners and non-joiners between letters
    (0x0600, 0x0603),
    (0x0610, 0x061B),
    (0x0620, 0x06FF),
    (0x0700, 0x085F),
    (0x0870, 0x0DFF),
    (0x0F00, 0x109F),
    (0x1780, 0x17FF),
    (0x1807, 0x1807),
    (0x1820, 0x18AF),
    (0x1A20, 0x1AAF),
    (0x1B00, 0x1C4F),
    (0xA840, 0xA8FF),
    (0xA930, 0xA9DF),
    (0xAA00, 0xAADF),
    (0xFB50, 0xFDFF),
    (0xFE70, 0xFEFC),
    (0x10A00, 0x10FFF),
    (0x11000, 0x11FFF),
    (0x1E900, 0x1E95F),
)
_SPELLING: Final[_Ranges] = (  # carriers that belong beside certain neighbours: joiners, selectors, fillers, flags
    (0x115F, 0x1160),
    (0x180B, 0x180F),
    (0x200C, 0x200D),
    (0xFE00, 0xFE0F),
    (0xE0020, 0xE007F),
    (0xE0100, 0xE01EF),
)
_KINDS: Final[tuple[tuple[str, _Ranges], ...]] = (
    ("bidi", ((0x061C, 0x061C), (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069))),
    ("soft_hyphen", ((0x00AD, 0x00AD),)),
    ("tag", ((0xE0000, 0xE007F),)),
    ("variation_selector", ((0x180B, 0x180D), (0x180F, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))),
    ("zero_width", ((0x180E, 0x180E), (0x200B, 0x200D), (0x2060, 0x2060), (0xFEFF, 0xFEFF))),
)
_VIRAMAS: Final = frozenset(
    (0x094D, 0x09CD, 0x0A4D, 0x0ACD, 0x0B4D, 0x0BCD, 0x0C4D, 0x0CCD, 0x0D4D, 0x0DCA, 0x1039, 0x17D2)
)
_EMOJI: Final[_Ranges] = (
    (0x00A9, 0x00A9),
    (0x00AE, 0x00AE),
    (0x203C, 0x203C),
    (0x2049, 0x2049),
    (0x2122, 0x2122),
    (0x2139, 0x2139),
    (0x2190, 0x21FF),
    (0x2300, 0x23FF),
    (0x2460, 0x24FF),
    (0x25A0, 0x27BF),
    (0x2900, 0x297F),
    (0x2B00, 0x2BFF),
    (0x3030, 0x303D),
    (0x3297, 0x3299),
    (0x1F000, 0x1FAFF),
)
_KEYCAPS: Final = frozenset(map(ord, "#*0123456789"))
_VARIED: Final[_Ranges] = (  # bases with standardised variants other than emoji
    (0x1000, 0x109F),
    (0x2200, 0x22FF),
    (0x2A00, 0x2AFF),
    (0x3001, 0x303F),
    (0x3400, 0x9FFF),
    (0xA840, 0xA87F),
    (0xF900, 0xFAFF),
    (0xFF01, 0xFF5E),
    (0x20000, 0x3FFFD),
)
_IDEOGRAPHS: Final[_Ranges] = ((0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFD))
# No emoji and no word has more joiners in a row; an endless chain could be cut nowhere.
_LONGEST_CHAIN: Final = 10
_NEAR: Final = 3
_SUSPECT_RUN: Final = re.compile("([" + "".join(f"{chr(low)}-{chr(high)}" for low, high in _CARRIERS) + "]+)")
_SUSPECT: Final = re.compile("[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in _CARRIERS) + "]")
# A flag of a region: black flag, country and subdivision in tag letters, cancel tag; nothing longer.
_FLAG: Final = re.compile(
    "\U0001f3f4[\U000e0061-\U000e007a]{2}[\U000e0030-\U000e0039\U000e0061-\U000e007a]{1,3}\U000e007f"
)


@dataclass(frozen=True, slots=True)
class Stripped:
    """Text without carriers, and where the removed characters stood in the original."""

    text: str
    removed: int
    _before: tuple[int, ...] = field(default=(), repr=False)
    """For each removed character, how many kept characters stand before it; ascending."""

    def original_offset(self, i: int) -> int:
        """The index in the original of the character at `i`; the end of the text maps behind its last character."""
        if not 0 <= i <= len(self.text):
            raise IndexError(f"offset {i} is outside the text")
        if i == len(self.text) and i > 0:
            return self.original_offset(i - 1) + 1
        return i + bisect_right(self._before, i)

    def taken_from(self, original: str) -> str:
        """The removed characters, in order."""
        return "".join(original[before + gone] for gone, before in enumerate(self._before))

    def stripped_offset(self, i: int) -> int:
        """The index in the stripped text of the original's character at `i`, or of the next one that stayed."""
        gone = bisect_left(range(len(self._before)), i, key=lambda k: self._before[k] + k)
        return i - gone


def carrier_kinds(text: str) -> tuple[tuple[str, int], ...]:
    """How many carriers of which kind `strip_carriers` would take out, by name."""
    taken = strip_carriers(text).taken_from(text)
    counts: dict[str, int] = {}
    for character in beyond_ascii(taken):
        kind = next((name for name, ranges in _KINDS if _within(ord(character), ranges)), "other")
        counts[kind] = counts.get(kind, 0) + taken.count(character)
    return tuple(sorted(counts.items()))


def beyond_ascii(text: str) -> str:
    """The distinct characters of a text beyond ASCII, in order.

    Without its ASCII bytes most text is small, so they are found at the speed of a copy.
    """
    return "" if text.isascii() else distinct_of(text.encode("utf-8", "surrogatepass"))


def distinct_of(data: bytes) -> str:
    """The same of a text that is in UTF-8 already."""
    return "".join(sorted(set(data.translate(None, _ASCII).decode("utf-8", "surrogatepass"))))


@lru_cache(maxsize=8_192)
def is_carrier(character: str) -> bool:
    """Whether a character is invisible and belongs into a text beside certain neighbours only."""
    return not character.isascii() and _SUSPECT.match(character) is not None


def strip_carriers(text: str) -> Stripped:
    """Removes invisible carriers; joiners of emoji, of joining scripts and of region flags stay."""
    present = [character for character in beyond_ascii(text) if is_carrier(character)]
    if not present:
        return Stripped(text, 0)
    if not any(map(_may_belong, present)):
        return _without(text)
    flags = {i for match in _FLAG.finditer(text) for i in range(match.start(), match.end())}
    pieces: list[str] = []
    before: list[int] = []
    done = kept = 0
    previous = -1  # the last character that stays
    chain, joined_at = 0, -_NEAR - 1  # joiners that follow each other closely, and where the last one stays
    for match in _SUSPECT.finditer(text):
        at = match.start()
        if at > done:
            pieces.append(text[done:at])
            kept += at - done
            previous = ord(text[at - 1])
        following = ord(text[at + 1]) if at + 1 < len(text) else -1
        stays = at in flags or _belongs(ord(text[at]), previous, following)
        if stays and text[at] in JOINERS:
            chain = chain + 1 if kept - joined_at <= _NEAR else 1
            stays = chain <= _LONGEST_CHAIN
            joined_at = kept if stays else joined_at
        if stays:
            pieces.append(text[at])
            kept += 1
            previous = ord(text[at])
        else:
            before.append(kept)
        done = at + 1
    if not before:
        return Stripped(text, 0)
    pieces.append(text[done:])
    return Stripped("".join(pieces), len(before), tuple(before))


def _without(text: str) -> Stripped:
    """The text without any carrier, for carriers that belong nowhere."""
    pieces = _SUSPECT_RUN.split(text)
    kept = accumulate(map(len, pieces[0::2]))
    before = tuple(chain.from_iterable(repeat(at, len(run)) for at, run in zip(kept, pieces[1::2], strict=False)))
    return Stripped("".join(pieces[0::2]), len(before), before)


def _may_belong(character: str) -> bool:
    """Whether there is a place where this carrier is part of the spelling."""
    return _within(ord(character), _SPELLING)


@lru_cache(maxsize=4_096)
def _belongs(code: int, previous: int, following: int) -> bool:
    """Whether a suspect character is part of the spelling where it stands."""
    if code in (0x200C, 0x200D):
        if _within(previous, _JOINING):
            return not _is_suspect(following) and (_within(following, _JOINING) or previous in _VIRAMAS)
        return code == 0x200D and _emoji_part(previous) and _within(following, _EMOJI)
    if code in (0xFE0E, 0xFE0F):
        return _within(previous, _EMOJI) or _within(previous, _VARIED) or previous in _KEYCAPS
    if 0xFE00 <= code <= 0xFE0D:
        return _within(previous, _VARIED)
    if 0xE0100 <= code <= 0xE01EF:
        return _within(previous, _IDEOGRAPHS)
    if 0x180B <= code <= 0x180F:
        return 0x1820 <= previous <= 0x18AA
    if code in (0x115F, 0x1160):
        return 0x1100 <= following <= 0x11FF and not _is_suspect(following)
    return False


def _emoji_part(code: int) -> bool:
    return code == 0xFE0F or _within(code, _EMOJI)


def _is_suspect(code: int) -> bool:
    return code >= 0 and _within(code, _CARRIERS)


def _within(code: int, ranges: _Ranges) -> bool:
    return any(low <= code <= high for low, high in ranges)
