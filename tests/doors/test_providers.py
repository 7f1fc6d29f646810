"""`portcullis providers` and `portcullis parse` as processes."""

from __future__ import annotations

import json

import pytest

from app.cli.exits import Exit
from tests.doors.command import portcullis

ROUTING = {"PORTCULLIS_SEARCH_ROUTING": "paper=crossref"}
PAGE = {"title": "Rye", "pageid": 3, "extract": "Rye wants more water than wheat does.", "type": "standard"}


def test_the_catalogue_as_json(tmp_path):
    done = portcullis("providers", "--json", data_dir=tmp_path, env=ROUTING)
    rows = {row["name"]: row for row in json.loads(done.stdout)["providers"]}
    assert done.returncode == Exit.GROUNDED
    assert rows["crossref"]["routed"] == ["paper"]
    assert rows["wikipedia"] == {
        "name": "wikipedia",
        "kinds": ["encyclopedia_intro", "encyclopedia_page", "encyclopedia_search"],
        "keyless": True,
        "missing": [],
        "routed": [],
        "price_units": 1,
    }


def test_the_catalogue_for_people(tmp_path):
    done = portcullis("providers", data_dir=tmp_path, env=ROUTING)
    assert done.returncode == Exit.GROUNDED
    assert b"keyless" in done.stdout


def test_a_routing_that_the_catalogue_does_not_know(tmp_path):
    done = portcullis("providers", "--json", data_dir=tmp_path, env={"PORTCULLIS_SEARCH_ROUTING": "paper=nobody"})
    assert done.returncode == Exit.INVALID
    assert "PORTCULLIS_SEARCH_ROUTING" in json.loads(done.stdout)["error"]["message"]


def test_a_recorded_answer_from_a_file_and_from_stdin(tmp_path):
    body = json.dumps(PAGE).encode()
    path = tmp_path / "page.json"
    path.write_bytes(body)
    read = portcullis("parse", "wikipedia", "encyclopedia_page", path, data_dir=tmp_path)
    words = ("wikipedia", "encyclopedia_page", "-", "--url", "https://de.wikipedia.org/x")
    piped = portcullis("parse", *words, data_dir=tmp_path, stdin=body)
    assert (read.returncode, piped.returncode) == (Exit.GROUNDED, Exit.GROUNDED)
    (hit,) = json.loads(read.stdout)["hits"]
    assert (hit["locator"], hit["text"]) == ("https://en.wikipedia.org/wiki/Rye", PAGE["extract"])
    assert json.loads(piped.stdout)["hits"][0]["locator"] == "https://de.wikipedia.org/wiki/Rye"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("crossref", "paper", "-", "--status", "404"), {"hits": [], "total": None, "next_page": None}),
        (("crossref", "paper_search", "-", "--status", "503"), {"fault": "provider_down", "retry_after_s": None}),
        (("crossref", "paper_search", "-"), {"fault": "unreadable", "retry_after_s": None}),
    ],
)
def test_answers_without_a_record(words, said, tmp_path):
    done = portcullis("parse", *words, data_dir=tmp_path, stdin=b"<html>")
    assert (done.returncode, json.loads(done.stdout)) == (Exit.NO_SOURCES, said)


@pytest.mark.parametrize(
    "words",
    [
        ("nobody", "paper", "-"),
        ("os.path", "paper", "-"),
        ("crossref", "encyclopedia_page", "-"),
        ("crossref", "paper", "/nowhere/at/all"),
        ("crossref", "paper", "-", "--status", "7"),
        ("crossref", "paper", "-", "--url", "https://ü.example/"),
    ],
)
def test_what_cannot_be_parsed_says_why(words, tmp_path):
    done = portcullis("parse", *words, data_dir=tmp_path, stdin=b"{}")
    assert done.returncode == Exit.INVALID
    assert done.stderr.startswith(b"portcullis: ")
    assert done.stdout == b""
