"""Text on a terminal: cut between words, continued under its own beginning; whole lines where there is no terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from app.cli.render import print_facts, print_wrapped


def _printed(text, *, width=40, terminal=True, indent=4):
    out = StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system=None, highlight=False)
    print_wrapped(console, text, indent=indent)
    return out.getvalue().splitlines()


def test_words_stay_whole_and_continuation_lines_keep_the_indentation():
    text = "The copper kettle on the stove boils a litre of water in about four minutes."
    lines = _printed(text)
    assert len(lines) > 1
    assert all(line.startswith("    ") and not line.startswith("     ") for line in lines)
    assert max(map(len, lines)) <= 40
    assert " ".join(line.strip() for line in lines) == text


@pytest.mark.parametrize(
    ("text", "under"),
    [
        ("- a point that is longer than one line of this small terminal", 6),
        ("  3. a numbered point that is longer than one line of the terminal", 9),
        ("        indented code that is longer than one line of the terminal", 12),
    ],
)
def test_a_list_item_continues_under_its_first_word(text, under):
    first, *rest = _printed(text)
    assert first.startswith(f"    {text[:10]}")
    assert rest
    assert {len(line) - len(line.lstrip()) for line in rest} == {under}


def test_without_a_terminal_a_line_stays_whole():
    text = "A line that is a good deal longer than forty characters, as a script would look for it."
    assert _printed(f"{text}\n\n{text}", terminal=False) == [f"    {text}", "    ", f"    {text}"]


def test_wide_characters_and_long_words_are_cut_where_they_must_be():
    assert max(map(len, _printed("麦" * 60, indent=0))) == 20
    assert "".join(_printed("x" * 100, indent=0)) == "x" * 100


def test_control_characters_are_not_obeyed():
    assert _printed("a\x1b[2Jb", indent=0) == ["a\ufffd[2Jb"]


def test_facts_stand_on_lines_of_their_own_where_they_do_not_fit():
    out = StringIO()
    print_facts(
        Console(file=out, width=30, force_terminal=True, color_system=None),
        ("calls 1 · units 1", "session " + "a" * 22),
    )
    assert out.getvalue().splitlines() == ["calls 1 · units 1", "session " + "a" * 22]
