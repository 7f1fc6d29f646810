"""Files that the operator leaves out of an index: patterns kept beside it, so that every later refresh honours them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import re2
from pydantic import ValidationError

from ....kernel.document_index import ExcludedFiles
from ....kernel.errors import RequestInvalid, StoreUnusable
from ....kernel.models import FrozenModel, Text
from ...private_files import private_file, private_folder
from .folder import FoundFile, Scan

__all__ = ["change_exclusions", "exclusions_of", "left_out", "pattern_of"]

_FILE: Final = "excluded.json"
_PATTERNS_MAX: Final = 1_000
_CHARS_MAX: Final = 1_000
_TOKENS: Final = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^]]+]|[^*?[]+|\[")


class _Kept(FrozenModel):
    """The file: a format of its own, apart from that of the index, which is rebuilt where it is damaged."""

    format: int = 1
    patterns: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pattern:
    text: str
    matches: re.Pattern[str]


def exclusions_of(state_dir: Path) -> tuple[str, ...]:
    """The patterns in force, in the order of their names.

    Raises:
        StoreUnusable: the list cannot be read: an index without it would hold what the operator left out.
    """
    try:
        return _Kept.model_validate_json((state_dir / _FILE).read_bytes()).patterns
    except FileNotFoundError:
        return ()
    except (OSError, ValidationError) as exc:
        raise StoreUnusable(f"the list of excluded files `{state_dir / _FILE}` cannot be read") from exc


def change_exclusions(state_dir: Path, exclude: Sequence[str], include: Sequence[str]) -> tuple[str, ...]:
    """Add patterns and take others back.

    Raises:
        RequestInvalid: a pattern is wrong, there are too many, or one that is taken back was never given.
        StoreUnusable: the list cannot be read or written.
    """
    known = exclusions_of(state_dir)
    for text in exclude:
        _compiled(text)
    for text in include:
        if text not in known:
            given = ", ".join(f"`{one}`" for one in known) or "none"
            raise RequestInvalid(f"`{text}` is not among the excluded patterns ({given})")
    patterns = tuple(sorted({*known, *exclude} - set(include)))
    if len(patterns) > _PATTERNS_MAX:
        raise RequestInvalid(f"an index has at most {_PATTERNS_MAX} excluded patterns")
    if patterns != known:
        _write(state_dir, patterns)
    return patterns


def left_out(scan: Scan, patterns: Sequence[str]) -> tuple[Scan, tuple[ExcludedFiles, ...]]:
    """A scan without the files that a pattern names, and how many each pattern names."""
    if not patterns:
        return scan, ()
    compiled = [_Pattern(text, _compiled(text)) for text in patterns]
    counts = dict.fromkeys(patterns, 0)
    kept: list[FoundFile] = []
    for file in scan.files:
        hits = [pattern.text for pattern in compiled if pattern.matches.fullmatch(file.path)]
        for text in hits:
            counts[text] += 1
        if not hits:
            kept.append(file)
    named = tuple(ExcludedFiles(pattern=text, files=count) for text, count in counts.items())
    return Scan(tuple(kept), scan.skipped), named


def pattern_of(path: str) -> str:
    """The pattern that names exactly this file."""
    return re.sub(r"[*?[]", lambda found: f"[{found.group()}]", path)


def _compiled(text: str) -> re.Pattern[str]:
    """A pattern names a file, or a folder with all that is in it; `**/` stands for any folders."""
    wrong = not text or len(text) > _CHARS_MAX or not text.isprintable() or text.startswith("/")
    if wrong or ".." in text.split("/"):
        raise RequestInvalid("a pattern is a path in the folder with `*`, `?`, `[...]` or `**/`, such as `drafts/*.md`")
    written = "".join(_written(token) for token in _TOKENS.findall(text.rstrip("/")))
    try:
        # Linear in the name of a file, which others may have chosen, whatever the pattern.
        options = re2.Options()
        options.log_errors = False
        options.dot_nl = True
        found: re.Pattern[str] = re2.compile(f"{written}(?:/.*)?", options)
    except re2.error as exc:
        raise RequestInvalid(f"the pattern `{text}` cannot be read") from exc
    return found


def _written(token: str) -> str:
    match token:
        case "**/":
            return "(?:[^/]+/)*"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _ if token.startswith("[") and len(token) > 1:
            negated = token.startswith("[!")
            inside = re.sub(r"([\\^[&~|]|-(?=-))", r"\\\1", token[2 if negated else 1 : -1].replace("/", ""))
            return f"[^/{inside}]" if negated else f"[{inside}]"
    return re.escape(token)


def _write(state_dir: Path, patterns: tuple[str, ...]) -> None:
    """In one step, so that a kill leaves the old list or the new one."""
    path = state_dir / _FILE
    beside = path.with_name(f"{_FILE}.{os.getpid()}")
    try:
        private_folder(state_dir)
        private_file(beside)
        beside.write_bytes(_Kept(patterns=patterns).model_dump_json().encode())
        beside.replace(path)
    except OSError as exc:
        raise StoreUnusable(f"the list of excluded files cannot be written: {exc.strerror}") from exc
