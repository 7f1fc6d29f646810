"""`portcullis certify`: hands over to the certification gate of the checkout that this code runs from."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

__all__ = ["NoCheckout", "certify_command", "hand_over"]

_ROOT: Final = Path(__file__).resolve().parents[3]


class NoCheckout(Exception):
    """Gate and simulation execute tests, and only a checkout has them."""


def hand_over(module: str, what: str, words: Sequence[str]) -> NoReturn:
    """Let a program of the checkout take this process over, so that nothing of the product runs beside it.

    Raises:
        NoCheckout: this is an installation, which has no such program.
    """
    if not _ROOT.joinpath(*module.split("."), "__main__.py").is_file():
        raise NoCheckout(f"not evaluated: {what} needs a source checkout, and this is an installation")
    os.chdir(_ROOT)
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", module, *words])  # noqa: S606  our own program, no shell


def certify_command(
    check: Annotated[list[str] | None, typer.Option("--check", metavar="ID", help="Run this check only.")] = None,
    list_them: Annotated[bool, typer.Option("--list", help="List the checks and run none.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="The short form for CI: writes nothing.")] = False,
    write: Annotated[bool, typer.Option("--write", help="With --check: refresh its evidence as well.")] = False,
    render: Annotated[bool, typer.Option("--render", help="Write certificate and table of checks again.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Exactly one JSON document on stdout.")] = False,
) -> None:
    """Run the certification gate (in a checkout) and write the certificate."""
    flags = (("--list", list_them), ("--quick", quick), ("--write", write), ("--render", render), ("--json", as_json))
    words = [word for name in check or () for word in ("--check", name)]
    words += [name for name, given in flags if given]
    hand_over("scripts.certify", "the certification gate", words)
