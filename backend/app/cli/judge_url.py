"""`portcullis judge-url`: says whether a URL would be fetched, and why not; it opens no connection."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Annotated, BinaryIO

import typer

from ..kernel.errors import RequestInvalid
from ..parsing.url.host_facts import judge_line, verdict_of
from ..parsing.url.journeys import World, judge_journey
from .exits import Exit

__all__ = ["judge_url_command"]


def judge_url_command(
    url: Annotated[str | None, typer.Argument(help="A URL; its name is taken to resolve to a public address.")] = None,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Read one case per line from stdin.")] = False,
) -> None:
    """Say whether the fetcher would accept a URL; each verdict is one line of JSON.

    A case is `{"url", "resolves_to"?, "resolves_to_by_host"?, "redirect_to"?}`: what a resolver and a server would say.
    """
    if jsonl is (url is not None):
        raise RequestInvalid("give either a URL or --jsonl")
    if url is not None:
        verdict = verdict_of(url, judge_journey(url, World()))
        _print([verdict])
        raise typer.Exit(Exit.GROUNDED.value if verdict["verdict"] == "accept" else Exit.NO_SOURCES.value)
    if sys.stdin is None:
        raise RequestInvalid("there is no stdin to read")
    _print(judge_line(line) for line in _lines(sys.stdin.buffer))


def _lines(stream: BinaryIO) -> Iterable[bytes]:
    """Lines end at a line feed and nowhere else: a URL may hold every other separator."""
    return (line.removesuffix(b"\n") for line in stream)


def _print(verdicts: Iterable[dict[str, str | None]]) -> None:
    for verdict in verdicts:
        sys.stdout.write(json.dumps(verdict) + "\n")
