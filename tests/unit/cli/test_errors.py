"""An error in one line on a terminal: cut between words, unless that would break what somebody wants to copy."""

from __future__ import annotations

import re

import pytest

from app.cli.errors import told
from app.kernel.errors import RequestInvalid

PATH = "/srv/data/" + "a-long-name/" * 8


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        (
            "the folder cannot be read, and nothing was changed",
            ["portcullis: the folder cannot be read,", "and nothing was changed"],
        ),
        (f"the folder `{PATH}` cannot be read", [f"portcullis: the folder `{PATH}` cannot be read"]),
    ],
)
def test_an_error_on_a_terminal(message, lines, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    assert told(RequestInvalid(message)) == 2
    assert [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().err).splitlines()] == lines
