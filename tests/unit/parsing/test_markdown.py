"""Markdown keeps its source as its text, without what a rendered page hides."""

from __future__ import annotations

import pytest

from app.parsing.text.markdown import read_markdown


def titles(source):
    return [(heading.level, heading.title) for heading in read_markdown(source).headings]


def test_headings_of_both_kinds():
    source = "# One #\n\nText\n\nTwo\n===\n\nThree\n---\n\n### Four\n"
    assert titles(source) == [(1, "One"), (1, "Two"), (2, "Three"), (3, "Four")]


def test_headings_know_their_place():
    sketch = read_markdown("intro\n\n## Part *two*\n\nbody")
    (heading,) = sketch.headings
    assert sketch.text[heading.start : heading.end] == "## Part *two*"


@pytest.mark.parametrize(
    "source", ["```\n# code\n```\n", "~~~ sh\n# code\n```\n~~~\n", "#hashtag\n", "a\nb\n---\n", "#\n"]
)
def test_what_only_looks_like_a_heading(source):
    assert titles(source) == []


def test_the_title_is_the_first_heading_of_the_highest_level():
    assert read_markdown("## Second\n\n# First\n\n# Other\n").title == "First"
    assert read_markdown("no heading at all").title == ""


def test_front_matter_names_the_page_and_is_not_text():
    sketch = read_markdown('---\ntitle: "Rye bread"\ntags:\n  - dark\n---\n# Other\n')
    assert sketch.title == "Rye bread"
    assert sketch.text == "# Other\n"
    assert "tags: - dark" in sketch.hidden[0]


def test_a_rule_above_text_is_no_front_matter():
    source = "---\nJust a sentence.\n---\nmore\n"
    assert read_markdown(source).text == source


@pytest.mark.parametrize(
    ("source", "text", "hidden"),
    [
        ("a <!-- secret\nwords --> b", "a  b", ("secret words",)),
        ('a <span style="display: none">secret</span> b', "a  b", ("secret",)),
        ("a <DIV hidden>secret</div> b", "a  b", ("secret",)),
        ("x\n[//]: # (secret)\ny", "x\ny", ("secret",)),
        ("[comment]: <> (secret)\ny", "y", ("secret",)),
    ],
)
def test_hidden_parts_leave_the_text_and_are_handed_over(source, text, hidden):
    sketch = read_markdown(source)
    assert (sketch.text, sketch.hidden) == (text, hidden)


@pytest.mark.parametrize("source", ["```\n<!-- shown -->\n```\n", "write `<!-- more -->` there", "a <!-- never closed"])
def test_what_a_reader_sees_stays(source):
    sketch = read_markdown(source)
    assert (sketch.text, sketch.hidden) == (source, ())


@pytest.mark.parametrize("unit", ["<!-- ", "<b hidden>", "# ", "[a]: # (", "<", "`<!--"])
def test_hostile_repetition_is_read_to_its_end(unit):
    source = unit * 100_000 + "end"
    assert read_markdown(source).text == source
