"""What a person is told when the documents cannot answer, and when a word was mistyped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PORTCULLIS = Path(sys.executable).with_name("portcullis")
PAGES = {
    "access.md": "# Signing in\n\nThe company signs people in with a one-time code. It is sent by post.\n",
    "packing.md": "# Packing policy\n\nExplain to the warehouse what is fragile. State the founded value of goods.\n",
    "shares.md": "# Shares\n\nThe ownership of shares passes to the heirs when the register is changed.\n",
    "frist.md": (
        "# Mietvertrag\n\nDie K\u00fcndigungsfristen f\u00fcr den Mieter betragen drei Monate zum Ende des Quartals.\n"
    ),
    "preavis.md": "# Bail\n\nLes pr\u00e9avis sont de trois mois pour les locataires dans la plupart des villes.\n",
    "plazo.md": "# Contrato\n\nLos empleados de la empresa tienen treinta d\u00edas de vacaciones en el a\u00f1o.\n",
    "ferias.md": (
        "# Contrato\n\nOs funcion\u00e1rios da f\u00e1brica t\u00eam o direito de n\u00e3o trabalhar aos domingos.\n"
    ),
    "rivista.md": "# Rivista\n\nGli abbonamenti della rivista scadono alla fine di ogni anno.\n",
    "werk.md": "# Werk\n\nDe werknemers van het bedrijf hebben recht op een pauze van een halfuur.\n",
    "sklad.md": (
        "# \u0421\u043a\u043b\u0430\u0434\n\n\u041d\u0430 \u0441\u043a\u043b\u0430\u0434\u0435 "
        "\u0438 \u0432 \u0446\u0435\u0445\u0435 \u0440\u0430\u0431\u043e\u0442\u0430\u044e\u0442 "
        "\u0441\u043e\u0442\u0440\u0443\u0434\u043d\u0438\u043a\u0438.\n"
    ),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grounding")
    (folder / "docs").mkdir()
    for name, text in PAGES.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    return folder


def portcullis(place, *words):
    line = [PORTCULLIS, *words, "--docs", str(place / "docs"), "--data-dir", str(place / "data")]
    return subprocess.run(line, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("question", ["Explain quantum entanglement", "When was the company founded?", "Who are you?"])
def test_what_the_documents_cannot_answer_is_not_grounded(place, question):
    done = portcullis(place, "ask", question)
    assert done.returncode == 3, done.stdout
    assert "Here is what the sources say." not in done.stdout
    assert f"portcullis search '{question}' --docs" in done.stdout
    operator = json.loads(portcullis(place, "ask", question, "--view", "operator").stdout)
    assert operator["verdict"]["stop"] == "NO_SOURCE"
    assert {rejection["code"] for rejection in operator["rejections"]} <= {"off_topic"}
    assert operator["bundle"]["sources"] == []


def test_a_search_shows_what_came_closest(place):
    done = portcullis(place, "search", "When was the company founded?")
    assert done.returncode == 0
    assert "access.md" in done.stdout


def test_a_mistyped_word_is_looked_for_as_the_nearest_and_told(place):
    done = portcullis(place, "ask", "onwership of shares")
    assert done.returncode == 0, done.stdout
    assert "searched for *ownership*" in done.stdout
    assert "shares.md" in done.stdout
    given = json.dumps({"question": "onwership of shares"})
    called = json.loads(portcullis(place, "call", "ask_documents", given).stdout)
    assert called["searchedFor"] == ["ownership"]


@pytest.mark.parametrize(
    ("question", "page"),
    [
        ("Wie lang ist die K\u00fcndigungsfrist?", "frist.md"),
        ("Combien de mois dure le pr\u00e9avis du locataire ?", "preavis.md"),
        ("\u00bfCu\u00e1ntas vacaciones tiene un empleado?", "plazo.md"),
        ("Quando um funcion\u00e1rio pode n\u00e3o trabalhar no domingo?", "ferias.md"),
        ("Quando scade l'abbonamento alla rivista?", "rivista.md"),
        ("Hoe lang is de pauze van een werknemer?", "werk.md"),
        (
            "\u0413\u0434\u0435 \u0440\u0430\u0431\u043e\u0442\u0430\u0435\u0442 "
            "\u0441\u043e\u0442\u0440\u0443\u0434\u043d\u0438\u043a?",
            "sklad.md",
        ),
    ],
)
def test_inflected_words_of_seven_more_languages_are_found(place, question, page):
    done = portcullis(place, "ask", question)
    assert done.returncode == 0, done.stdout
    assert page in done.stdout


@pytest.fixture(scope="module")
def register(tmp_path_factory):
    """A register of ninety boats as CSV: most rows stand in a passage without the row of headings."""
    folder = tmp_path_factory.mktemp("register")
    (folder / "docs").mkdir()
    kinds = [f"{first} {second}" for first in ("Amber", "Coral", "Ivory", "Onyx", "Topaz") for second in BOATS]
    rows = [f"{name},{40 + at}.50,{at + 3},{('Ines Roth', 'Paul Lind')[at % 2]}" for at, name in enumerate(kinds)]
    text = "\n".join(["Boat,Mooring fee (EUR),Berth,Skipper", *rows])
    (folder / "docs" / "register.csv").write_text(text + "\n", encoding="utf-8")
    return folder


BOATS = [
    "Petrel",
    "Gannet",
    "Tern",
    "Fulmar",
    "Plover",
    "Curlew",
    "Dunlin",
    "Knot",
    "Ruff",
    "Snipe",
    "Avocet",
    "Godwit",
    "Whimbrel",
    "Sanderling",
    "Turnstone",
    "Puffin",
    "Razorbill",
    "Guillemot",
]


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("How much is the mooring fee of the Amber Petrel?", "Amber Petrel | 40.50"),
        ("How much is the mooring fee of the Topaz Guillemot?", "Topaz Guillemot | 129.50"),
        ("Who is the skipper of the Ivory Avocet?", "Ivory Avocet | 86.50 | 49 | Ines Roth"),
        ("What is the mooring fee of the Onyx Snipe?", "Onyx Snipe | 103.50"),
        ("In which berth is the Coral Puffin?", "Coral Puffin | 73.50 | 36"),
    ],
)
def test_a_row_far_below_the_headings_of_its_table_is_an_answer(register, question, row):
    done = portcullis(register, "ask", question)
    assert done.returncode == 0, done.stdout
    answer = done.stdout.partition("[1] register")[0]
    assert row in answer
    assert "Boat | Mooring fee (EUR) | Berth | Skipper" in done.stdout


@pytest.mark.parametrize(
    "question",
    [
        "How much is the mooring fee of the Topaz Pelican?",
        "How long is the Ivory Avocet?",
        "Who is the owner of the Onyx Snipe?",
        "When was the Coral Puffin built?",
    ],
)
def test_what_a_table_does_not_say_is_not_answered_from_it(register, question):
    done = portcullis(register, "ask", question)
    assert done.returncode == 3, done.stdout
