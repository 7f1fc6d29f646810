"""Undoes disguises of plain words: entities, escapes, tags, spaced letters, digits for letters, encodings."""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Final

import re2

from .folding import Folded, fold, rewritten

__all__ = ["Decoded", "Disguises"]

_BLOCK_LIST: Final = (
    "address article aside blockquote body br caption dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 head header hr html img input li main meta nav ol option p pre script section select style "
    "summary table tbody td textarea tfoot th thead title tr ul"
)
_BLOCKS: Final = frozenset(_BLOCK_LIST.split())
_LEET: Final = str.maketrans("01!|l3@4$5+78962", "oiiiieaassttbggz")
_SHORTEST: Final = 8  # letters of a decoded run; no directive is shorter
_READABLE_PERCENT: Final = 90


def _options() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    options.max_mem = 64 * 1024 * 1024
    return options


_ENTITY: Final = r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,31};);?"
_TAG: Final = r"<(?:!--[^<>]{0,200}--|/?[a-z][a-z0-9]{0,15}(?:\s[^<>]{0,300})?/?)>"
_PERCENT: Final = r"(?:%[0-9a-f]{2})+"
_PLUS: Final = r"[a-z]\+[a-z]+\+[a-z]+\+[a-z]"
_ESCAPE: Final = r"(?:\\u[0-9a-f]{4})+|(?:\\x[0-9a-f]{2})+|\\u\{[0-9a-f]{1,6}\}|\\[nrt]"
_LETTER: Final = r"[a-z0-9@$!':/]"
_GAP: Final = r"[ .\-_*|/~+,]{1,4}"
_SPACED: Final = rf"\b[a-z0-9@$](?:{_GAP}{_LETTER}){{5,}}\b"
_DIGITS: Final = r"[a-z0-9@$!|]*(?:[a-z][0-9@$!|]+[a-z]|\b[0-9@$][a-z]{2})[a-z0-9@$!|]*"
_BASE64: Final = rb"(?:[A-Za-z0-9+/]{32,}\r?\n[ \t]*)*[A-Za-z0-9+/]{24,}={0,2}"
_HEX: Final = rb"(?:[0-9a-f]{2}[ :,]?){10,}[0-9a-f]{2}|(?:0x[0-9a-f]{2}[ ,]{0,2}){8,}"
_BINARY: Final = rb"(?:[01]{8}[ ,]?){7,}[01]{8}"
_SUSPECTS: Final = (
    ("entity", _ENTITY),
    ("tag", _TAG),
    ("percent", r"%[0-9a-f]{2}[^\s]{0,60}%[0-9a-f]{2}"),
    ("plus", _PLUS),
    ("escape", r"\\(?:u[0-9a-f{]|x[0-9a-f]{2}|[nrt][a-z\s\\])"),
    ("spaced", _SPACED),
    ("digits", r"[a-z][013457$][a-z]"),
    ("base64", r"[A-Za-z0-9+/]{24}"),
    ("hex", r"[0-9a-f]{20}|(?:[0-9a-f]{2}[ :,]){10}|(?:0x[0-9a-f]{2}[ ,]{0,2}){8}"),
    ("binary", r"(?:[01]{8}[ ,]?){8}"),
)
_TAGGED: Final = re.compile("[\U000e0020-\U000e007e]{4,}")
_TURNED: Final = re.compile("\u202e([^\u202c\n]+)")


@dataclass(frozen=True, slots=True)
class Decoded:
    """What runs of encoded text say, line by line, and where in the original each of them stands."""

    text: str
    starts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]

    def span(self, i: int) -> tuple[int, int]:
        """The run of the original that the character at `i` was decoded from."""
        return self.spans[bisect_right(self.starts, i) - 1]


class Disguises:
    """Compiled once with the words that digits may stand in for."""

    def __init__(self, words: Iterable[str]) -> None:
        options = _options()
        self._words = {word.translate(_LEET): word for word in words}
        self._gate = re2.Set.SearchSet(options)
        for _, pattern in _SUSPECTS:
            self._gate.Add(pattern)
        self._gate.Compile()
        self._entity, self._tag, self._percent, self._escape, self._spaced, self._digits = (
            re2.compile(pattern, options) for pattern in (_ENTITY, _TAG, _PERCENT, _ESCAPE, _SPACED, _DIGITS)
        )
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
        if "entity" in suspects:
            plain = _again(plain, ((m.start(), m.end(), unescape(m[0])) for m in self._entity.finditer(plain.text)))
        if "percent" in suspects:
            plain = _again(plain, ((m.start(), m.end(), _bytes(m[0], "%")) for m in self._percent.finditer(plain.text)))
        if "plus" in suspects:
            plain = Folded(plain.text.replace("+", " "), plain.layers, plain.seen)
        if "escape" in suspects:
            plain = _again(plain, ((m.start(), m.end(), _escaped(m[0])) for m in self._escape.finditer(plain.text)))
        if "tag" in suspects or (plain is not folded and "<" in plain.text):
            plain = rewritten(plain, ((m.start(), m.end(), _tag(m[0])) for m in self._tag.finditer(plain.text)))
        if "spaced" in suspects or plain is not folded:
            plain = rewritten(plain, (edit for m in self._spaced.finditer(plain.text) for edit in _closed(m)))
        if "digits" in suspects or plain is not folded:
            plain = self._spelled(plain)
        return plain

    def decoded(self, text: str, folded: Folded, plain: Folded, suspects: frozenset[str]) -> Decoded | None:
        """What base64, hexadecimal, binary, tag characters and turned text in it say; one level."""
        runs: list[tuple[int, int, str]] = []
        if plain.seen[-1:] >= "\U000e0020":
            runs.extend(_tagged(text))
        if "\u202e" in plain.seen:
            runs.extend(_turned(text))
        wanted = [
            (pattern, decode)
            for name, pattern, decode in self._codes
            if name in suspects or plain is not folded  # what was put in may be encoded once more
        ]
        if wanted:
            data = plain.text.encode("utf-8")
            for pattern, decode in wanted:
                runs.extend(_runs(plain, data, pattern, decode))
        if not runs:
            return None
        starts: list[int] = []
        pieces: list[str] = []
        length = 0
        for _, _, said in runs:
            starts.append(length)
            pieces.append(said)
            length += len(said) + 1
        return Decoded("\n".join(pieces), tuple(starts), tuple((start, end) for start, end, _ in runs))

    def _spelled(self, folded: Folded) -> Folded:
        text = folded.text
        pieces: list[str] = []
        done = 0
        for match in self._digits.finditer(text):
            # A sign at the end of a word is punctuation more often than a letter.
            word = match[0].rstrip("!|")
            known = self._words.get(word.lower().translate(_LEET))
            if known is not None and known != word.lower():
                pieces += (text[done : match.start()], known)
                done = match.start() + len(word)
        return Folded("".join((*pieces, text[done:])), folded.layers, folded.seen) if done else folded


def _again(folded: Folded, edits: Iterable[tuple[int, int, str]]) -> Folded:
    """Puts in what was escaped and folds it, since escapes can hide any character."""
    opened = rewritten(folded, edits)
    if opened is folded or opened.text.isascii():
        return opened
    again = fold(opened.text)
    return Folded(again.text, (*opened.layers, *again.layers), folded.seen or again.seen)


def _bytes(escaped: str, mark: str) -> str:
    return bytes.fromhex(escaped.replace(mark, "")).decode("utf-8", "replace")


def _escaped(escape: str) -> str:
    if escape[1] in "nrtNRT":
        return " "
    if escape[1] in "xX":
        return _bytes(escape.lower(), "\\x")
    if escape[2] == "{":
        code = int(escape[3:-1], 16)
        return chr(code) if code < 0x110000 else " "
    return bytes.fromhex(escape.lower().replace("\\u", "")).decode("utf-16-be", "replace")


def _tag(tag: str) -> str:
    name = tag.strip("</>").split(None, 1)[0].lower() if tag[1] != "!" else ""
    return " " if name in _BLOCKS else ""


def _closed(match: re.Match[str]) -> Iterator[tuple[int, int, str]]:
    """The gaps between single letters: the narrowest kind is nothing, a wider one is a space."""
    gaps = [gap.span() for gap in re.finditer(r"[ .\-_*|/~+,]+", match[0])]
    narrow = min(end - start for start, end in gaps)
    for start, end in gaps:
        yield match.start() + start, match.start() + end, "" if end - start == narrow else " "


def _tagged(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _TAGGED.finditer(text):
        yield match.start(), match.end(), "".join(chr(ord(c) - 0xE0000) for c in match[0])


def _turned(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _TURNED.finditer(text):
        yield match.start(), match.end(), fold(match[1][::-1]).text


def _runs(
    folded: Folded, data: bytes, pattern: re.Pattern[bytes], decode: Callable[[bytes], str | None]
) -> Iterator[tuple[int, int, str]]:
    at = seen = 0
    for match in pattern.finditer(data):
        said = decode(match[0])
        if said is not None and _readable(said):
            at, seen = at + len(data[seen : match.start()].decode("utf-8")), match.start()
            yield folded.start(at), folded.end(at + len(match[0])), fold(said).text


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
