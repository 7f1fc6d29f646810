"""`portcullis ask` on the loopback world: documents first, the web for what they do not answer, or not at all."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

RYE = "How long does rye bread keep?"
KETTLE = "How fast does the copper kettle boil?"
NOT_SET_UP = {"PORTCULLIS_SEARCH_ROUTING": "", "PORTCULLIS_URL_SEARXNG": ""}


@pytest.fixture
def ask(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "tiny.md").write_text("# Kettles\n\nThe copper kettle boils water in four minutes.\n", encoding="utf-8")

    def asked(question, *options, **env):
        words = [sys.executable, "-m", "tests.fixtures.web_world", "ask", question, "--docs", str(docs), *options]
        return subprocess.run(
            words,
            capture_output=True,
            text=True,
            env={"PORTCULLIS_DATA": str(tmp_path / "data"), "PATH": "/usr/bin", **env},
        )

    return asked


def _view(done):
    return json.loads(done.stdout)


def test_the_web_is_asked_for_what_the_documents_do_not_answer(ask):
    done = ask(RYE, "--json", "--session-key", "rye-1")
    view = _view(done)
    assert (done.returncode, view["capability"], view["action"]) == (0, "research", "GROUNDED")
    assert {source["kind"] for source in view["sources"]} == {"fetched"}
    assert any("eight to ten days" in source["text"] for source in view["sources"])
    again = ask(RYE, "--json", "--session-key", "rye-1")
    assert _view(again)["session_id"] == view["session_id"]


def test_an_answer_from_the_web_for_people(ask):
    done = ask(RYE)
    assert (done.returncode, done.stderr) == (0, "")
    first, _, rest = done.stdout.partition("\n")
    assert "eight to ten days" in first
    assert "https://millers-guild.example/guides/rye-bread" in rest
    assert "confidence" in rest
    told = ask(RYE, "--view", "user").stdout
    assert told.startswith(first)
    assert "session" not in told
    stopped = json.loads(ask(RYE, "--view", "operator").stdout)
    assert stopped["verdict"]["stop"] == "SUCCESS_COMPLETED"


@pytest.mark.parametrize("options", [(KETTLE, "--json"), (RYE, "--json", "--documents-only")])
def test_nothing_is_asked_outside_that_need_not_be(ask, options):
    view = _view(ask(*options))
    assert (view["capability"], view["cost"]["tool_calls"]) == ("ask_documents", 1)


def test_without_a_provider_one_line_says_how_to_get_one(ask):
    hint = "documents only: no provider for the web is set up"
    first, second = ask(KETTLE, **NOT_SET_UP), ask(KETTLE, **NOT_SET_UP)
    assert (first.returncode, first.stderr.count("\n"), second.stderr) == (0, 1, "")
    assert hint in first.stderr
    assert "SearXNG" in first.stderr
    assert "web=wikipedia" in first.stderr
    unanswered = ask(RYE, **NOT_SET_UP)
    assert (unanswered.returncode, unanswered.stderr) == (3, first.stderr)
    for options in (("--json",), ("--documents-only",)):
        assert hint not in ask(RYE, *options, **NOT_SET_UP).stderr


def test_a_keyless_service_that_is_not_named_is_not_asked(ask):
    named = {**NOT_SET_UP, "PORTCULLIS_SEARCH_ROUTING": "papers=openalex;summary=wikipedia"}
    assert _view(ask(RYE, "--json", **named))["capability"] == "ask_documents"
    lacks_its_key = {**NOT_SET_UP, "PORTCULLIS_SEARCH_ROUTING": "web=brave"}
    assert _view(ask(RYE, "--json", **lacks_its_key))["capability"] == "ask_documents"


def test_a_page_of_the_web_with_an_instruction_ends_the_question(ask):
    done = ask("How many megawatts does the Kelder tidal power station have?", "--json")
    view = _view(done)
    assert (done.returncode, view["action"], view["sources"]) == (6, "BASELINE", [])
    assert "Blocked:" in done.stderr
