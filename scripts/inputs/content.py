"""What counts of a file: its code without comments where it is executed, its bytes where it is read as text."""

from __future__ import annotations

import hashlib
import io
import tokenize
from enum import StrEnum
from functools import cache

__all__ = ["Reading", "code_of", "content_digest"]

# A change must be seen, not withstood: whoever can forge a digest can also write the evidence by hand.
SHORT = 16


class Reading(StrEnum):
    """How a file is looked at."""

    CODE = "code"
    BYTES = "bytes"


def content_digest(name: str, data: bytes, reading: Reading) -> str:
    """The digest of one input; only Python files have code apart from their bytes."""
    seen = code_of(data) if reading is Reading.CODE and name.endswith(".py") else data
    return hashlib.sha256(seen).hexdigest()[:SHORT]


@cache
def code_of(data: bytes) -> bytes:
    """Python source without comments, blank lines and trailing spaces; docstrings stay.

    The result is cut out of the source text and not printed from a syntax tree, so that every Python version gives the
    same. A file that cannot be tokenized is answered as it is.
    """
    try:
        text = data.decode("utf-8")
        comments, verbatim = _spans(text)
    except (UnicodeDecodeError, tokenize.TokenError, SyntaxError):
        return data
    kept = []
    for number, line in enumerate(text.split("\n"), 1):
        if number in verbatim:
            kept.append(line)
            continue
        code = line[: comments.get(number, len(line))].rstrip()
        if code:
            kept.append(code)
    return "\n".join(kept).encode()


def _spans(text: str) -> tuple[dict[int, int], set[int]]:
    """Line → column of its comment, and the lines whose end lies inside a string: there, spaces are content."""
    comments: dict[int, int] = {}
    verbatim: set[int] = set()
    # Python 3.12 and later hand out f-strings in pieces.
    opened: list[int] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "COMMENT":
            comments[token.start[0]] = token.start[1]
        elif kind == "STRING":
            verbatim.update(range(token.start[0], token.end[0]))
        elif kind == "FSTRING_START":
            opened.append(token.start[0])
        elif kind == "FSTRING_END":
            verbatim.update(range(opened.pop(), token.end[0]))
    return comments, verbatim
