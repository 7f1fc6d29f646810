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
