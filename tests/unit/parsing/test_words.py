"""One tokenizer for documents and questions."""

from __future__ import annotations

import pytest

from app.parsing.text.words.languages import LANGUAGES
from app.parsing.text.words.tokens import asked_words, language_in, one_edit, word_with_stem, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Proofing DOUGH, proofed doughs!", ["proof", "dough", "proof", "dough"]),
        ("the baker's don't", ["the", "baker", "don't"]),
        ("the baker\u2019s", ["the", "baker"]),
        ("snake_case-and-dash", ["snake", "case", "and", "dash"]),
        ("Stra\u00dfe 42 caf\u00e9", ["stra\u00dfe", "42", "caf\u00e9"]),
        ("\u6771\u4eac\u90fd x", ["\u6771\u4eac", "\u4eac\u90fd", "x"]),
        ("\u6771", ["\u6771"]),
        ("a" * 65 + " b", ["b"]),
        ("... --- !!!", []),
    ],
)
def test_words_are_lowered_cut_and_stemmed(text, words):
    assert words_of(text) == words


def counted(question, languages=("en",)):
    return [(word.stems, word.count) for word in asked_words(question, languages)]


def test_a_question_counts_its_content_words_in_sorted_order():
    assert counted("How does the dough rise, and which doughs rise?") == [(("dough",), 2), (("rise",), 2)]


def test_a_question_of_function_words_keeps_them():
    assert counted("who are you") == [(("are",), 1), (("who",), 1), (("you",), 1)]


def test_a_request_is_not_what_it_asks_for():
    assert counted("Please explain the tangzhong") == [(("tangzhong",), 1)]
    assert counted("explain") == [(("explain",), 1)]
    assert counted("a shopping list") == [(("list",), 1), (("shop",), 1)]


@pytest.mark.parametrize(
    ("question", "marked"),
    [
        ("Why did Sweden drop the case?", {"sweden"}),
        ("Sweden dropped what?", set()),
        ("Who is John Smithe?", {"john", "smithe"}),
        ("How Long Should Bread Rest in the Oven", set()),
        ("What happened in 2014?", {"2014"}),
        ("NASA budget for Mars", {"nasa", "mars"}),
        ("WHY DID SWEDEN DROP IT", set()),
        ("How Long Should Bread Rest", set()),
        ("Wo steht die Regel \u00fcber den Urlaub und das Gehalt?", set()),
        ("Was kostet ein Flug mit der NASA und der ESA", {"nasa", "esa"}),
        ("Well. Sweden dropped it; Norway did not, and Denmark?", {"denmark"}),
    ],
)
def test_names_and_numbers_are_marked(question, marked):
    assert {word.word for word in asked_words(question) if word.marked} == marked


@pytest.mark.parametrize(
    ("language", "text", "one", "other"),
    [
        (
            "de",
            "Die K\u00fcndigungsfristen sind f\u00fcr den Mieter lang",
            "K\u00fcndigungsfrist",
            "K\u00fcndigungsfristen",
        ),
        ("fr", "Les contrats de travail sont dans les dossiers", "l'abonnement", "abonnements"),
        ("es", "Los empleados de la empresa tienen vacaciones", "empleado", "empleadas"),
        (
            "pt",
            "As f\u00e9rias dos funcion\u00e1rios s\u00e3o pagas pelo chefe",
            "funcion\u00e1rio",
            "funcion\u00e1rios",
        ),
        ("it", "Gli abbonamenti della rivista sono nel cassetto", "dell'abbonamento", "abbonamenti"),
        ("nl", "De werknemers hebben een contract met het bedrijf", "werknemer", "werknemers"),
        (
            "ru",
            "\u0412 \u043a\u043e\u043c\u043f\u0430\u043d\u0438\u0438 \u0438 \u043d\u0430 "
            "\u0441\u043a\u043b\u0430\u0434\u0435",
            "\u0441\u043e\u0442\u0440\u0443\u0434\u043d\u0438\u043a",
            "\u0441\u043e\u0442\u0440\u0443\u0434\u043d\u0438\u043a\u043e\u0432",
        ),
        ("en", "The employees of the company have a contract", "employee", "employees"),
    ],
)
def test_inflections_of_eight_languages_meet_in_one_stem(language, text, one, other):
    assert language_in(text) == language
    assert words_of(one, language) == words_of(other, language)
    assert word_with_stem(words_of(one, language)[0], f"x {other}", LANGUAGES) in (other.lower(), "x")


def test_where_nothing_tells_a_text_is_english():
    assert language_in("") == language_in("Zebra 12") == "en"


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("onwership", "ownership", True),
        ("ownershp", "ownership", True),
        ("ownerships", "ownership", True),
        ("ovnership", "ownership", True),
        ("nwership", "ownership", False),
        ("ownership", "ownership", False),
        ("own", "ownership", False),
        ("abcd", "badc", False),
    ],
)
def test_one_edit(one, other, near):
    assert one_edit(one, other) is near
    assert one_edit(other, one) is near


def test_a_word_with_a_stem_that_no_word_has():
    assert word_with_stem("absent", "some words", ("en",)) is None


def test_plain_and_other_text_are_cut_alike():
    assert words_of("the baker's rye-bread") == words_of("the baker's rye-bread \u00bf")


def test_a_table_full_of_vans_is_not_dutch():
    table = "\n".join(f"| Heron van | {number} | Bela Kos |" for number in range(40))
    assert language_in(table) == "en"
    assert language_in(table, "de") == "de"
    prose = "De boot ligt aan de steiger van het dorp, en de schipper slaapt in het ruim. "
    assert language_in(prose * 10) == "nl"
