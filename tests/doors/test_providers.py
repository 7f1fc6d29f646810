"""`portcullis providers` and `portcullis parse` as processes."""

from __future__ import annotations

import json

import pytest

from app.cli.exits import Exit
from tests.doors.command import portcullis

ROUTING = {"PORTCULLIS_SEARCH_ROUTING": "paper=crossref"}
PAGE = {"title": "Rye", "pageid": 3, "extract": "Rye wants more water than wheat does.", "type": "standard"}
WORK = {"DOI": "10.5555/rye", "title": ["On rye"], "author": [{"family": "Miller", "given": "Ada"}]}
WORKS = {"status": "ok", "message-type": "work-list", "message": {"items": [WORK, {"DOI": "no"}], "total-results": 7}}


def _providers(tmp_path, **env):
    done = portcullis("providers", "--json", data_dir=tmp_path, env=env)
    assert done.returncode == Exit.GROUNDED
    return {row["name"]: row for row in json.loads(done.stdout)["providers"]}


def test_the_catalogue_as_json(tmp_path):
    rows = _providers(tmp_path, **ROUTING)
    assert rows["crossref"]["routed"] == ["paper"]
    assert rows["wikipedia"] == {
        "name": "wikipedia",
        "kinds": ["web", "summary", "page"],
        "keyless": True,
        "configured": True,
        "missing": [],
        "routed": [],
        "why_not": "PORTCULLIS_SEARCH_ROUTING does not name it",
        "price_units": 1,
        "last_asked_at_ms": None,
        "last_fault": None,
    }
    assert (rows["brave"]["configured"], rows["brave"]["missing"]) == (False, ["PORTCULLIS_KEY_BRAVE"])
    assert rows["unpaywall"]["missing"] == ["PORTCULLIS_CONTACT"]
    assert rows["searxng"]["missing"] == ["PORTCULLIS_URL_SEARXNG"]


def test_a_key_and_a_base_url_make_a_provider_usable(tmp_path):
    own = {"PORTCULLIS_URL_SEARXNG": "http://search.internal:8080/", "PORTCULLIS_KEY_BRAVE": "s3cret-key"}
    rows = _providers(tmp_path, **own, PORTCULLIS_SEARCH_ROUTING="news=hackernews")
    assert rows["searxng"]["routed"] == ["web", "images", "papers"]
    assert (rows["brave"]["routed"], rows["brave"]["configured"]) == (["web", "images"], True)
    assert rows["hackernews"]["routed"] == ["news"]
    assert rows["duckduckgo"]["routed"] == []


def test_the_catalogue_for_people(tmp_path):
    done = portcullis("providers", data_dir=tmp_path, env=ROUTING)
    assert done.returncode == Exit.GROUNDED
    assert b"keyless" in done.stdout
    text = b" ".join(done.stdout.split())
    assert text.count(b"not asked:") == 7


def test_a_narrow_terminal_breaks_no_name(tmp_path):
    narrow = {"FORCE_COLOR": "1", "COLUMNS": "60"}  # the former makes it a terminal
    seen = [
        line.rstrip() for line in portcullis("providers", data_dir=tmp_path, env=narrow).stdout.decode().split("\n")
    ]
    assert "    missing: PORTCULLIS_KEY_GOOGLE_CSE_ID" in seen
    assert "    web, news, images · 5 units" in seen
    assert "    papers, paper · 1 unit" in seen
    assert "    not asked: PORTCULLIS_SEARCH_ROUTING does not name it" in seen


def test_a_routing_that_the_catalogue_does_not_know(tmp_path):
    done = portcullis("providers", "--json", data_dir=tmp_path, env={"PORTCULLIS_SEARCH_ROUTING": "paper=nobody"})
    assert done.returncode == Exit.INVALID
    assert "PORTCULLIS_SEARCH_ROUTING" in json.loads(done.stdout)["error"]["message"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORTCULLIS_URL_SEARXNG", "ftp://s3cret.example"),
        ("PORTCULLIS_URL_SEARXNG", "https://user:s3cret@a.example/"),
        ("PORTCULLIS_URL_SEARXNG", "https://a.example/?token=s3cret"),
        ("PORTCULLIS_KEY_BRAVE", "s3cret\u00fc"),
    ],
)
def test_settings_that_cannot_be_used_are_named_and_never_echoed(name, value, tmp_path):
    done = portcullis("providers", "--json", data_dir=tmp_path, env={name: value})
    assert done.returncode == Exit.INVALID
    assert name in json.loads(done.stdout)["error"]["message"]
    assert b"s3cret" not in done.stdout + done.stderr


def _parsed(tmp_path, *words, body=b"{}"):
    done = portcullis("parse", *words, data_dir=tmp_path, stdin=body)
    assert (done.returncode, done.stderr) == (Exit.GROUNDED, b"")
    return json.loads(done.stdout)


def test_a_recorded_answer_from_a_file_and_from_stdin(tmp_path):
    body = json.dumps(PAGE).encode()
    path = tmp_path / "page.json"
    path.write_bytes(body)
    read = _parsed(tmp_path, "--provider", "wikipedia", "--kind", "summary", path)
    words = ("--provider", "wikipedia", "-", "--url", "https://de.wikipedia.org/x")
    piped = _parsed(tmp_path, *words, body=body)
    assert (read["outcome"], read["kind"], read["error"]) == ("ok", "summary", None)
    assert read["results"] == [
        {
            "title": "Rye",
            "url": "https://en.wikipedia.org/wiki/Rye",
            "snippet": PAGE["extract"],
            "id": "3",
            "page_type": "standard",
        }
    ]
    assert (piped["kind"], piped["results"][0]["url"]) == ("summary", "https://de.wikipedia.org/wiki/Rye")


def test_another_word_for_what_is_asked(tmp_path):
    body = json.dumps({"doi": "10.5555/rye", "title": "On rye", "is_oa": False, "best_oa_location": None}).encode()
    read = _parsed(tmp_path, "--provider", "unpaywall", "--kind", "paper", "-", body=body)
    assert (read["outcome"], read["kind"], read["results"][0]["doi"]) == ("ok", "open_access", "10.5555/rye")


def test_the_kind_is_told_from_the_body(tmp_path):
    read = _parsed(tmp_path, "--provider", "crossref", "-", body=json.dumps(WORKS).encode())
    (result,) = read["results"]
    assert (read["outcome"], read["kind"], read["total"]) == ("ok", "papers", "7")
    assert (result["doi"], result["author"]) == ("10.5555/rye", ["Miller, Ada"])


@pytest.mark.parametrize(
    ("words", "body", "outcome", "error"),
    [
        (("crossref", "-", "--status", "404"), b"none", "failed", ("not_found", False)),
        (("crossref", "-", "--status", "503"), b"<html>", "unavailable", ("upstream_unavailable", True)),
        (("crossref", "-"), b"<html>", "failed", ("upstream_unavailable", False)),
        (("brave", "-", "--status", "429"), b'{"error": {"code": "QUOTA_LIMITED"}}', "unavailable", ("quota", False)),
        (("tavily", "-", "--status", "401"), b"{}", "unavailable", ("auth_required", False)),
        (("searxng", "-"), b'{"results": [], "unresponsive_engines": []}', "empty", None),
        (("searxng", "-"), b'["rye", ["rye bread"]]', "unsupported", None),
        (("gemini_interactions", "-"), b"{}", "unsupported", None),
    ],
)
def test_answers_without_a_record(words, body, outcome, error, tmp_path):
    read = _parsed(tmp_path, "--provider", *words, body=body)
    told = read["error"] and (read["error"]["kind"], read["error"]["retryable"])
    assert (read["outcome"], told, read["results"]) == (outcome, error, [])


def test_a_kind_that_is_not_served_lists_those_that_are(tmp_path):
    done = portcullis("parse", "--provider", "wikipedia", "--kind", "videos", "-", data_dir=tmp_path, stdin=b"{}")
    assert done.returncode == Exit.GROUNDED
    assert json.loads(done.stdout)["outcome"] == "unsupported"
    assert done.stderr == b"`wikipedia` does not serve `videos`, but web, summary, page\n"


@pytest.mark.parametrize(
    "words",
    [
        ("--provider", "nobody", "-"),
        ("--provider", "os.path", "-"),
        ("--provider", "crossref", "/nowhere/at/all"),
        ("--provider", "crossref", "-", "--status", "7"),
        ("--provider", "crossref", "-", "--url", "https://\u00fc.example/"),
    ],
)
def test_what_cannot_be_parsed_says_why(words, tmp_path):
    done = portcullis("parse", *words, data_dir=tmp_path, stdin=b"{}")
    assert done.returncode == Exit.INVALID
    assert done.stderr.startswith(b"portcullis: ")
    assert done.stdout == b""
