"""Names of several words in a question."""

from __future__ import annotations

import pytest

from app.evidence.grounding.asked_names import last_words_of_names, speaks_of_another
from app.evidence.grounding.bearing import ENOUGH_MILLI, bearing_milli


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("What is the phone of Rosa Gruber?", {"gruber"}),
        ("Rosa Gruber phone", {"gruber"}),
        ("Does Rosa Gruber work here?", {"gruber"}),
        ("Who runs Larsen Tools Ltd?", {"tools"}),
        ("Who runs Larsen Ltd?", set()),
        ("Is Rosa here?", set()),
        ("Which of Rosa Gruber and Hugo Koch is older?", {"gruber", "koch"}),
        ("how long does it take", set()),
    ],
)
def test_the_last_words_of_names(question, last):
    assert last_words_of_names(question, "en") == last


@pytest.mark.parametrize(
    ("text", "another"),
    [
        ("Max Gruber | C3 | 5003", True),
        ("Rosa Gruber | C3 | 5003", False),
        ("Dr. Gruber has the room C3.", False),
        ("The room of Gruber is C3.", False),
        ("Max Gruber sits beside Rosa Gruber in C3.", False),
        ("The rooms are full.", False),
    ],
)
def test_the_same_last_word_behind_another_first_word_is_another_name(text, another):
    assert speaks_of_another(text, "Which room has Rosa Gruber?", "en") is another


def test_a_passage_without_the_last_word_of_a_name_does_not_speak_to_the_question():
    question = "What is the phone of Rosa Gruber?"
    assert bearing_milli(question, "Staff", "", "Rosa Adler has the phone 5018.", {}) == 0
    assert bearing_milli(question, "Staff", "", "Gruber has the phone 5138.", {}) >= ENOUGH_MILLI
    # A statement is looked up; its capitals are often terms.
    stated = "The keys of the cellar are kept by Rosa Gruber."
    assert bearing_milli(stated, "Staff", "", "Rosa keeps the keys of the cellar.", {}) >= ENOUGH_MILLI
