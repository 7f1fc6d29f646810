"""What the project contains, it wrote: no tracked text shares an eight-word run with the third-party corpora."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORPORA = Path(os.environ.get("PORTCULLIS_CORPORA", ROOT.parent / "shared" / "corpora"))
RUN = 8
SUFFIXES = (".md", ".py", ".json", ".txt", ".html", ".toml", ".ini")
WORD = re.compile(r"[^\W\d_]+")  # numbers are nobody's wording
# Grammar and licences are nobody's own: runs that stand in the licence text are left out.
ESCAPED = re.compile(r"\\u([0-9a-f]{4})")
COMMON = ROOT / "LICENSE"


def _runs(text: str) -> Iterator[str]:
    words = WORD.findall(text.lower())
    return (" ".join(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


def _tracked() -> dict[str, str]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    found = {}
    for name in map(os.fsdecode, filter(None, names)):
        path = ROOT / name
        if path.suffix in (".md", ".py", ".json", ".txt", ".html", ".toml", ".ini") and not name.startswith(
            "requirements/"
        ):
            # An escaped letter is that letter, and not a word of its own.
            found[name] = ESCAPED.sub(lambda one: chr(int(one[1], 16)), path.read_text(encoding="utf-8"))
    return found


def _texts() -> Iterator[str]:
    for path in sorted(CORPORA.rglob("*")):
        if path.suffix == ".jsonl" or path.name.endswith(".jsonl.gz"):
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            for line in data.splitlines():
                yield from _strings(json.loads(line))


def _strings(value) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for item in value.values() for text in _strings(item))
    elif isinstance(value, list):
        yield from (text for item in value for text in _strings(item))


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora are not beside this clone")
def test_no_run_of_eight_words_comes_from_the_corpora():
    common = set(_runs(COMMON.read_text(encoding="utf-8")))
    ours: dict[str, str] = {}
    for name, text in _tracked().items():
        if name != "LICENSE":
            ours.update(dict.fromkeys((run for run in _runs(text) if run not in common), name))
    assert len(ours) > 10_000, "the scanner found too little"
    texts = 0
    shared = {}
    for text in _texts():
        texts += 1
        shared.update({run: ours[run] for run in _runs(text) if run in ours})
    assert texts > 1_000
    assert shared == {}
