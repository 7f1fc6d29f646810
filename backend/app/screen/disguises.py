"""Undoes disguises of plain words: links, entities, escapes, tags, spaced letters, digits for letters, encodings."""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import accumulate
from typing import Final

import re2

from .fold import Folded, fold, rewritten

__all__ = ["Decoded", "Disguises"]

_BLOCK_LIST: Final = (
    "address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 head header hr html img input li main meta nav ol option p pre script section select style "
    "summary table tbody td textarea tfoot th thead title tr ul"
)
_BLOCKS: Final = frozenset(_BLOCK_LIST.split())
_LEET: Final = bytes.maketrans(b"01!|l3@4$5+78962", b"oiiiieaassttbggz")
_SURROGATES: Final = range(0xD800, 0xE000)
_SHORTEST: Final = 8  # letters of a decoded run; no directive is shorter
_READABLE_PERCENT: Final = 90


def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = 64 * 1024 * 1024
    return options


_ENTITY: Final = re.compile(r"(&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,31};);?)")
_TAG: Final = re.compile(r"(<(?:!--[^<>]*--|/?[A-Za-z][A-Za-z0-9]{0,15}(?:\s[^<>]*)?/?)>)")
# Where a link leads, the backslash before a sign, emphasis inside a word: Markdown's own, which no reader sees.
_MARKED: Final = re.compile(
    r"(\]\([^\s()<>]{0,2000}(?:\s\"[^\"\n]{0,200}\")?\)|\](?=\[)"
    r"|\\(?=[!-/:-@\[-`{-~])|(?<=[A-Za-z])(?:[*`\[]|__|~~){1,12}(?=[A-Za-z]))"
)
# `++` keeps no way back, which for a run of megabytes takes more time than the run itself.
_PERCENT: Final = re.compile(r"((?:%[0-9A-Fa-f]{2})++)")
_ESCAPE: Final = re.compile(r"((?:\\u[0-9A-Fa-f]{4})++|(?:\\x[0-9A-Fa-f]{2})++|\\u\{[0-9A-Fa-f]{1,6}\}|\\[nrtNRT])")
# A gap between two single letters; the sign or the one space is no end of a word, more spaces are.
_SPACED: Final = re.compile(
    r"((?<![A-Za-z0-9][A-Za-z0-9@$'!:/])(?<=[A-Za-z0-9@$'!:/])(?:[ ]?[.\-_*|~+,][ ]?|[ ]{1,4}))"
    r"(?=[A-Za-z0-9@$'!:/](?![A-Za-z0-9]))"
)
_DIGITS: Final = re.compile(rb"(?<![A-Za-z0-9@$!|])[A-Za-z]{0,20}[0-9@$!|][A-Za-z0-9@$!|]{1,24}")
_IN_WORDS: Final = bytes(
    byte if chr(byte) in "@$!|" or (byte < 128 and chr(byte).isalnum()) else 32 for byte in range(256)
)
_BASE64: Final = rb"(?:[A-Za-z0-9+/]{32,}\r?\n[ \t]*)*[A-Za-z0-9+/]{24,}={0,2}"
_HEX: Final = rb"(?:[0-9a-f]{2}[ :,]?){10,}[0-9a-f]{2}|(?:0x[0-9a-f]{2}[ ,]{0,2}){8,}"
_BINARY: Final = rb"(?:[01]{8}[ ,]?){7,}[01]{8}"
_SUSPECTS: Final = (
    ("entity", r"&(?:#[0-9]|#x[0-9a-f]|[a-z]{2,31};)"),
    ("tag", r"<(?:!--|/?[a-z])[^<>]*>"),
    ("percent", r"%[0-9a-f]{2}[^\s]{0,60}%[0-9a-f]{2}"),
    ("plus", r"[a-z]\+[a-z]+\+[a-z]+\+[a-z]"),
    ("escape", r"\\(?:u[0-9a-f{]|x[0-9a-f]{2}|[nrt][a-z\s\\])"),
    ("marked", r"\]\(|\\[!-/:-@\[-`{-~]|[a-z](?:[*`\[]|__|~~){1,12}[a-z]"),
    ("spaced", r"(?:^|[^a-z0-9])(?:[a-z0-9@$'!:/](?:[ ]?[.\-_*|~+,][ ]?|[ ]{1,4})){5}[a-z0-9@$](?:[^a-z0-9]|$)"),
    ("base64", r"[A-Za-z0-9+/]{24}"),
    ("hex", r"[0-9a-f]{20}|(?:[0-9a-f]{2}[ :,]){10}|(?:0x[0-9a-f]{2}[ ,]{0,2}){8}"),
    ("binary", r"(?:[01]{8}[ ,]?){8}"),
)
_TAG_LETTERS: Final = {0xE0000 + code: code for code in range(0x20, 0x7F)}
_TAGGED: Final = re.compile("[\U000e0020-\U000e007e]{4,}")
_TURNED: Final = re.compile("\u202e([^\u202c\n]+)")


@dataclass(frozen=True, slots=True)
class Decoded:
    """What runs of encoded text say, line by line, and where in the original each of them stands."""

    folded: Folded
    starts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def span(self, i: int) -> tuple[int, int]:
        """The run of the original that the character at `i` was decoded from."""
        return self.spans[bisect_right(self.starts, self.folded.start(i)) - 1]


class Disguises:
    """Compiled once with the words that digits may stand in for."""

    def __init__(self, words: Iterable[str]) -> None:
        options = _options()
        self._words = {(plain := word.encode("ascii")).translate(_LEET): plain for word in words}
        self._gate = re2.Set.SearchSet(options)
        for _, pattern in _SUSPECTS:
            self._gate.Add(pattern)
        self._gate.Compile()
        self._leet = re2.compile(r"[a-z][013457$][a-z]", options)
        self._codes = (
            ("hex", re2.compile(_HEX, options), _from_hex),
            ("binary", re2.compile(_BINARY, options), _from_binary),
            ("base64", re2.compile(_BASE64), _from_base64),
        )

    def suspects(self, data: bytes) -> frozenset[str]:
        """Which disguises a text could wear at all; one pass."""
        return frozenset(_SUSPECTS[number][0] for number in self._gate.Match(data) or ())

    def undone(self, folded: Folded, suspects: frozenset[str]) -> Folded:
        """The shadow copy with its words in plain letters; the same object where nothing was to undo."""
        plain = folded
        if "marked" in suspects:
            plain = rewritten(plain, _MARKED, _unmarked)
        marked = plain  # links are everywhere: they alone are no reason to suspect more
        if "entity" in suspects:
            plain = _again(_again(plain, _ENTITY, _entity), _ENTITY, _entity)  # escaped twice is a habit of feeds
        if "percent" in suspects:
            plain = _again(plain, _PERCENT, _percent)
        if "plus" in suspects:
            plain = Folded(plain.data.replace(b"+", b" "), plain.layers, plain.seen)
        if "escape" in suspects:
            plain = _again(plain, _ESCAPE, _escaped)
        if "tag" in suspects or (plain is not marked and b"<" in plain.data):
            plain = rewritten(plain, _TAG, _tag)
        if "spaced" in suspects or plain is not marked:
            plain = rewritten(plain, _SPACED, _closed)
        if self._leet.search(plain.data) is not None:
            plain = self._spelled(plain)
        return plain

    def decoded(self, text: str, folded: Folded, plain: Folded, suspects: frozenset[str]) -> Decoded | None:
        """What base64, hexadecimal, binary, tag characters and turned text in it say; one level."""
        runs: list[tuple[int, int, str]] = []
        if plain.seen[-1:] >= "\U000e0020":
            runs.extend((m.start(), m.end(), m[0].translate(_TAG_LETTERS)) for m in _TAGGED.finditer(text))
        if "\u202e" in plain.seen:
            runs.extend((m.start(), m.end(), m[1][::-1]) for m in _TURNED.finditer(text))
        for name, pattern, decode in self._codes:
            if name in suspects or plain is not folded:  # what was put in may be encoded once more
                runs.extend(_runs(plain, pattern, decode))
        if not runs:
            return None
        starts = (0, *accumulate(len(said) + 1 for _, _, said in runs))[:-1]
        return Decoded(
            fold("\n".join(said for _, _, said in runs)), starts, tuple((low, high) for low, high, _ in runs)
        )

    def _spelled(self, folded: Folded) -> Folded:
        # Looking through the distinct words first takes a third of the time; hardly a page has one to undo.
        words = {word for word in folded.data.translate(_IN_WORDS).split() if not word.isalpha()}
        if not any(self._word(found) != found[0] for word in words if (found := _DIGITS.match(word))):
            return folded
        data = _DIGITS.sub(self._word, folded.data)
        return folded if data == folded.data else Folded(data, folded.layers, folded.seen)

    def _word(self, match: re.Match[bytes]) -> bytes:
        # A sign at the end of a word is punctuation more often than a letter.
        token = match[0]
        word = token.rstrip(b"!|")
        known = self._words.get(word.lower().translate(_LEET))
        return token if known is None else known + token[len(word) :]


def _again(folded: Folded, pattern: re.Pattern[str], read: Callable[[str], str]) -> Folded:
    """Puts in what was escaped and folds it, since escapes can hide any character."""
    opened = rewritten(folded, pattern, read)
    if opened is folded or opened.data.isascii():
        return opened
    again = fold(opened.text)
    return Folded(again.data, (*opened.layers, *again.layers), folded.seen or again.seen)


@lru_cache(maxsize=4_096)
def _entity(reference: str) -> str:
    return unescape(reference).encode("utf-8", "replace").decode("utf-8")


def _percent(escaped: str) -> str:
    return bytes.fromhex(escaped.replace("%", "")).decode("utf-8", "replace")


def _escaped(escape: str) -> str:
    if escape[1] in "nrtNRT":
        return " "
    if escape[1] in "xX":
        return bytes.fromhex(escape.replace("\\x", "")).decode("utf-8", "replace")
    if escape[2] == "{":
        code = int(escape[3:-1], 16)
        return chr(code) if code < 0x110000 and code not in _SURROGATES else " "
    return bytes.fromhex(escape.replace("\\u", "")).decode("utf-16-be", "replace")


@lru_cache(maxsize=4_096)
def _tag(tag: str) -> str:
    name = tag.strip("</>").split(None, 1)[0].lower() if tag[1] != "!" else ""
    return " " if name in _BLOCKS else ""


def _unmarked(mark: str) -> str:
    # A link's own brackets go with its address: what is left must not look like a tag of a turn.
    return "]" if mark == "]" else ""


def _closed(gap: str) -> str:
    return " " if len(gap) > 1 and gap.isspace() else ""


def _runs(
    folded: Folded, pattern: re.Pattern[bytes], decode: Callable[[bytes], str | None]
) -> Iterator[tuple[int, int, str]]:
    data = folded.data
    at = seen = 0
    for match in pattern.finditer(data):
        said = decode(match[0])
        if said is not None and _readable(said):
            at, seen = at + len(data[seen : match.start()].decode("utf-8")), match.start()
            yield folded.start(at), folded.end(at + len(match[0])), said


def _readable(said: str) -> bool:
    if len(said) < _SHORTEST or " " not in said:
        return False
    good = sum(c.isalnum() or c in " .,:;!?'\"-\n/()" for c in said[:400])
    return good * 100 >= _READABLE_PERCENT * min(len(said), 400)


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _from_hex(run: bytes) -> str | None:
    digits = (
        run.translate(None, b" :,xX")
        if b"x" not in run.lower()
        else run.lower().replace(b"0x", b"").translate(None, b" ,")
    )
    return _text(bytes.fromhex(digits[: len(digits) // 2 * 2].decode("ascii")))


def _from_binary(run: bytes) -> str | None:
    digits = run.translate(None, b" ,")
    return _text(int(digits, 2).to_bytes(len(digits) // 8, "big"))


def _from_base64(run: bytes) -> str | None:
    digits = run.translate(None, b" \t\r\n=")
    digits = digits[: len(digits) - (len(digits) % 4 == 1)]
    # Most runs are no text, and their first bytes show it.
    head = binascii.a2b_base64(digits[:24])
    if any(byte < 9 or byte > 0xF4 for byte in head):
        return None
    return _text(binascii.a2b_base64(digits + b"=" * (-len(digits) % 4)))
