"""`portcullis judge-url`: says whether a URL would be fetched, and why not; it opens no connection."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import BinaryIO

from ..kernel.errors import RequestInvalid
from ..parsing.url.host_facts import judge_line, verdict_of
from ..parsing.url.journeys import World, judge_journey
from .exits import Exit

__all__ = ["judge_url"]


def judge_url(url: str | None, *, jsonl: bool) -> Exit:
    """Print one verdict for a URL, or for each case on stdin, as lines of JSON."""
    if jsonl is (url is not None):
        raise RequestInvalid("give either a URL or --jsonl")
    if url is not None:
        verdict = verdict_of(url, judge_journey(url, World()))
        _print([verdict])
        return Exit.GROUNDED if verdict["verdict"] == "accept" else Exit.NO_SOURCES
    if sys.stdin is None:
        raise RequestInvalid("there is no stdin to read")
    _print(judge_line(line) for line in _lines(sys.stdin.buffer))
    return Exit.GROUNDED


def _lines(stream: BinaryIO) -> Iterable[bytes]:
    """Lines end at a line feed and nowhere else: a URL may hold every other separator."""
    return (line.removesuffix(b"\n") for line in stream)


def _print(verdicts: Iterable[dict[str, str | None]]) -> None:
    for verdict in verdicts:
        sys.stdout.write(json.dumps(verdict) + "\n")
