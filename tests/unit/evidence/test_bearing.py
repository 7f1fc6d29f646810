"""Whether a passage speaks to a question."""

from __future__ import annotations

import pytest

from app.evidence.grounding.bearing import ENOUGH_MILLI, bearing_milli

LEAVE = ("Staff handbook", "Leave > Parental leave", "Parents take up to 14 weeks of paid leave. Ask Vera Holm first.")


@pytest.mark.parametrize(
    "question",
    [
        "How many weeks of parental leave are paid?",
        "parental leave",
        "Explain parental leave",
        "When may parents usually take their leave?",
        "Does Vera Holm decide about leave?",
        "How long is parental leave, 14 weeks?",
    ],
)
def test_what_the_passage_speaks_to(question):
    assert bearing_milli(question, *LEAVE, {}) >= ENOUGH_MILLI


@pytest.mark.parametrize(
    "question",
    [
        "Explain quantum entanglement",
        "When was the company founded?",
        "Who is the head of staff marketing?",
        "How many employees take leave?",  # what is counted is not there
        "Who painted parental leave?",  # nor what is done
        "What does Vera Holm earn?",  # the name alone
        "Is Sven Lund on parental leave?",  # not the name
        "parental leave in 3.14 weeks",  # not the number
        "How does it work?",
        "Who are you?",
        "",
    ],
)
def test_what_it_does_not_speak_to(question):
    assert bearing_milli(question, *LEAVE, {}) < ENOUGH_MILLI


def test_title_and_headings_count_with_the_text():
    assert bearing_milli("parental leave handbook", "Staff handbook", "Parental leave", "Ask first.", {}) == 1000
    assert bearing_milli("parental leave handbook", "", "", "Ask first.", {}) == 0


def test_a_number_stands_for_itself():
    for text, found in (
        ("version 3.14 is out", True),
        ("version 13.14", False),
        ("version 3.145", False),
        ("3 14", False),
    ):
        assert (bearing_milli("version 3.14", "", "", text, {}) >= ENOUGH_MILLI) is found


def test_another_spelling_counts_for_words_and_not_for_names():
    text = ("", "", "The ownership of shares, says Holm")
    assert bearing_milli("onwership of shares", *text, {}) == 500
    assert bearing_milli("onwership of shares", *text, {"onwership": "ownership"}) == 1000
    assert bearing_milli("shares of Hulm", *text, {"hulm": "holm"}) == 0


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Wie lang ist die K\u00fcndigungsfrist?", "Die K\u00fcndigungsfristen betragen drei Monate und sind fest."),
        (
            "Quelle est la dur\u00e9e du pr\u00e9avis ?",
            "Le pr\u00e9avis a une dur\u00e9e de trois mois pour le locataire.",
        ),
        ("\u00bfCu\u00e1ntos empleados tiene la empresa?", "La empresa tiene 30 empleados en total."),
        ("\u6771\u4eac\u306e\u4eba\u53e3", "\u6771\u4eac\u306e\u4eba\u53e3\u306f\u591a\u3044"),
    ],
)
def test_other_languages(question, text):
    assert bearing_milli(question, "", "", text, {}) >= ENOUGH_MILLI
    assert bearing_milli(question, "", "", "Something about bread.", {}) < ENOUGH_MILLI


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who's the manager?", "The manager is Ms Okafor."),
        ("Why isn't parking free?", "Parking is not free on weekdays."),
        ("Qu'est-ce que la garantie ?", "La garantie est une promesse de la marque."),
        ("Combien de temps dure la garantie ?", "La garantie dure deux ans et couvre les pi\u00e8ces."),
        ("Quanto custa o estacionamento?", "O estacionamento custa dois euros por hora e n\u00e3o tem limite."),
        ("How fast is the kettle?", "The copper kettle boils water in four minutes."),
        ("What is the limit for invoices over 10,000 euros?", "The limit for invoices over 10000 euros is one a day."),
        ("Is the cap 1000 units?", "The cap is 1,000 units."),
    ],
)
def test_the_ways_in_which_people_ask(question, text):
    assert bearing_milli(question, "", "", text, {}) >= ENOUGH_MILLI


def test_a_tool_cannot_call_any_word_a_spelling():
    assert bearing_milli("hotel price", "", "", "water boils", {"hotel": "water", "price": "boils"}) == 0
