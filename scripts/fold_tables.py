"""Write the character tables of the screen's fold from a pinned edition of Unicode; `--check` only compares."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import unicodedata2 as unicode

TARGET = Path(__file__).parents[1] / "backend" / "app" / "screen" / "fold_tables.py"
WIDTH = 116
# Written as one sign each, so that offsets stay where they are.
SIGNS = {
    "'": (0x2018, 0x2019, 0x201A, 0x201B, 0x2032, 0x02BC, 0x02B9, 0x00B4, 0xFF07),
    '"': (0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0x00AB, 0x00BB, 0x300C, 0x300D, 0x300E, 0x300F, 0xFF02),
    "-": (0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xFE58, 0xFE63, 0xFF0D),
    ".": (0x2026, 0x2024, 0x2025),
    ":": (0xA789, 0x2236, 0xFE13, 0xFE55),
}
# Letters without a decomposition that stand for a plain one.
LETTERS = {
    0x00DF: "s", 0x1E9E: "S",
    0x00D8: "O", 0x00F8: "o", 0x0110: "D", 0x0111: "d", 0x0126: "H", 0x0127: "h", 0x0131: "i", 0x0141: "L",
    0x0142: "l", 0x0166: "T", 0x0167: "t", 0x0180: "b", 0x0197: "I", 0x019A: "l", 0x01B6: "z", 0x0237: "j",
    0x023C: "c", 0x0247: "e", 0x0249: "j", 0x024D: "r", 0x024F: "y", 0x0251: "a", 0x0253: "b", 0x0256: "d",
    0x0257: "d", 0x025B: "e", 0x0261: "g", 0x0262: "g", 0x0268: "i", 0x0269: "i", 0x026A: "i", 0x026B: "l",
    0x0271: "m", 0x0273: "n", 0x0274: "n", 0x0275: "o", 0x0280: "r", 0x0282: "s", 0x0288: "t", 0x0289: "u",
    0x028B: "v", 0x028F: "y", 0x0290: "z", 0x0299: "b", 0x029C: "h", 0x029F: "l", 0x1D00: "a", 0x1D04: "c",
    0x1D05: "d", 0x1D07: "e", 0x1D0A: "j", 0x1D0B: "k", 0x1D0D: "m", 0x1D0F: "o", 0x1D18: "p", 0x1D1B: "t",
    0x1D1C: "u", 0x1D20: "v", 0x1D21: "w", 0x1D22: "z", 0x1D7B: "i", 0x1D7D: "p", 0x1D7E: "u", 0xA730: "f",
    0xA731: "s", 0xA7AE: "I", 0xAB32: "e", 0xAB47: "r", 0x0649: "\u064a", 0x06A9: "\u0643", 0x06CC: "\u064a",
}  # fmt: skip
# Circled, squared and inverse letters of which Unicode gives no plain form.
SERIES = ((0x249C, "a"), (0x1F110, "A"), (0x1F150, "A"), (0x1F170, "A"))
SPACES = (0x0085, 0x00A0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000, 0x2800)
# Marks on letters; the vowel signs of Indic scripts are marks too, but part of the spelling.
MARKS = (
    (0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5),
    (0x05C7, 0x05C7), (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06DC),
    (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F),
)  # fmt: skip
# Whole blocks that are only other shapes of letters elsewhere.
SHAPES = ((0x2E80, 0x2FDF), (0x3000, 0x303F), (0xFB00, 0xFDFF), (0xFE10, 0xFEFC), (0xFF01, 0xFFEE))
# Scripts of which a letter with a mark is read as the letter.
MARKED = ((0x0370, 0x052F), (0x0622, 0x06D3), (0x1C80, 0x1C8F), (0x1F00, 0x1FFF))


def fold_of(code: int) -> str | None:
    """What the shadow copy has in the place of a character, or None where it stays."""
    character = chr(code)
    for sign, codes in SIGNS.items():
        if code in codes:
            return sign
    if code in SPACES:
        return " "
    if within(code, MARKS):
        return ""
    if code in LETTERS:
        return LETTERS[code]
    for start, first in SERIES:
        if start <= code < start + 26:
            return chr(ord(first) + code - start)
    plain = "".join(c for c in unicode.normalize("NFKD", character) if not within(ord(c), MARKS))
    plain = "".join(LETTERS.get(ord(c), c) for c in plain)
    if plain == character:
        return None
    if plain.isascii() or within(code, MARKED):
        return plain.strip() or None
    composed = unicode.normalize("NFKC", character)
    if not within(code, SHAPES) or composed == character:
        return None
    return "".join(c if (again := fold_of(ord(c))) is None else again for c in composed)


def within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    """Whether a code point is in one of the ranges."""
    return any(low <= code <= high for low, high in ranges)


def runs(table: dict[int, str]) -> Iterator[str]:
    """The table as `from-to:target` (one target for all) and `from-to+target` (targets in a row), in decimal."""
    codes = sorted(table)
    at = 0
    while at < len(codes):
        start = codes[at]
        target = table[start]
        same = row = at
        while same + 1 < len(codes) and codes[same + 1] == codes[same] + 1 and table[codes[same + 1]] == target:
            same += 1
        while (
            len(target) == 1
            and row + 1 < len(codes)
            and codes[row + 1] == codes[row] + 1
            and table[codes[row + 1]] == chr(ord(target) + codes[row + 1] - start)
        ):
            row += 1
        last, mark = (row, "+") if row > same else (same, ":")
        end = f"-{codes[last]}" if last > at else ""
        yield f"{start}{end}{mark}{'.'.join(str(ord(c)) for c in target)}"
        at = last + 1


def rendered() -> str:
    """The module's text."""
    table = {}
    for code in range(0x80, 0x110000):
        if not 0xD800 <= code <= 0xDFFF and (found := fold_of(code)) is not None:
            table[code] = found
    one = {code: target for code, target in table.items() if len(target) == 1}
    more = {code: target for code, target in table.items() if len(target) != 1}
    lines = [
        '"""What a character is read as, generated by `python -m scripts.fold_tables`: do not edit."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        '__all__ = ["LONGER", "SINGLE", "UNICODE"]',
        "",
        f'UNICODE: Final = "{unicode.unidata_version}"',
        "# Characters that are read as one other character, so that every offset holds.",
        "SINGLE: Final = (",
        *wrapped(runs(one)),
        ")",
        "# Characters that are read as none or as several.",
        "LONGER: Final = (",
        *wrapped(runs(more)),
        ")",
    ]
    return "\n".join(lines) + "\n"


def wrapped(words: Iterator[str]) -> Iterator[str]:
    """String literals that fill their lines."""
    line = ""
    for word in words:
        if len(line) + len(word) + 8 > WIDTH:
            yield f'    "{line}"'
            line = ""
        line += f"{word} "
    yield f'    "{line}"'


def main() -> int:
    """Exit code 1 when `--check` finds a difference."""
    text = rendered()
    if "--check" in sys.argv:
        return int(TARGET.read_text(encoding="utf-8") != text)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
