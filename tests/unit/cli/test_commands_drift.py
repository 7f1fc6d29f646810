"""Numbers and choices that the options repeat, so that their help need not load the rooms that own them."""

from __future__ import annotations

import re
from typing import get_args

from typer.main import get_command

from app.capabilities.web.scrape_page import LENGTH_MIN, Mode
from app.cli.listing import COMMANDS
from app.cli.main import create_app
from app.evidence.content_size import DEFAULT_BYTES, MOST_BYTES, PREVIEW_BYTES
from app.kernel.request import QUESTION_CHARS_MAX


def _command(*words):
    found = get_command(create_app())
    for word in words:
        found = found.resolve_command(None, [word])[1]
    return found


def _option(command, name):
    return next(one for one in command.params if name in one.opts)


def test_scrape_repeats_the_limits_of_its_capability():
    scrape = _command("scrape")
    length = _option(scrape, "--max-length")
    assert length.default == DEFAULT_BYTES
    assert f"{LENGTH_MIN} to {MOST_BYTES:,}" in length.help
    mode = _option(scrape, "--mode")
    assert all(f"{name}:" in mode.help for name in get_args(Mode))
    assert f"{PREVIEW_BYTES:,} bytes" in mode.help


def test_ask_repeats_the_length_of_a_question():
    question = next(one for one in _command("ask").params if one.name == "question")
    assert f"1 to {QUESTION_CHARS_MAX} characters" in question.help


def test_every_listed_command_can_be_loaded_and_says_one_sentence():
    for listed in COMMANDS:
        command = _command(listed.name)
        assert command.name == listed.name
        assert command.help, listed.name
        assert re.fullmatch(r"[A-Z][^.]*\.", listed.help), listed.name
    assert len({listed.name for listed in COMMANDS}) == len(COMMANDS) > 20
