"""`screen`, `judge-url` and `extract`: their options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..listing import help_of
from ..options import Json, folder, new_app
from ..work import Work

__all__ = ["check_commands"]


def check_commands() -> typer.Typer:
    """The commands that look at texts and addresses of one's own, without a session."""
    app = new_app()
    app.command("screen", help=help_of("screen"))(_screen)
    app.command("judge-url", help=help_of("judge-url"))(_judge_url)
    app.command("extract", help=help_of("extract"))(_extract)
    return app


def _screen(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A text file. Default: stdin.")] = None,
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help='Read lines {"id", "text"} and print one verdict for each, in order.')
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show every finding with the words around it.")] = False,
    as_json: Json = False,
) -> Work:
    from ..screening import screen

    return partial(screen, file, jsonl=jsonl, explain=explain, as_json=as_json)


def _judge_url(
    url: Annotated[str | None, typer.Argument(help="A URL; its host is assumed to have a public address.")] = None,
    jsonl: Annotated[
        bool,
        typer.Option(
            "--jsonl",
            help="Read cases from stdin, one JSON object per line, as docs/fetching.md describes them.",
        ),
    ] = False,
) -> Work:
    from ..judge_url import judge_url

    return partial(judge_url, url, jsonl=jsonl)


def _extract(
    html_dir: Annotated[
        Path, typer.Option("--html-dir", parser=folder, metavar="DIR", help="Folder of .html or .html.gz files.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help='Write here: {"<id>": {"articleBody": "..."}}.')],
) -> Work:
    from ..extract import extract

    return partial(extract, html_dir, out)
