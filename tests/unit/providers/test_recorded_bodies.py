"""Every recorded body of the corpora is read as the table says, and one that is not in the table keeps its promises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fixtures.recorded import CORPORA, recorded

from app.cli.parse_answer import ReadAnswer, read_recorded
from app.system.provider_files import read_providers

TABLE = json.loads((Path(__file__).parent / "recorded_bodies.json").read_text(encoding="utf-8"))
ENTRIES = {entry.name: entry for entry in read_providers().providers}
PROVIDERS = sorted({row["provider"] for row in TABLE})
ERRORS = {"auth_required", "blocked", "config", "invalid_request", "network", "not_found", "quota", "rate_limited"}
ERRORS |= {"upstream_unavailable"}


def _read(provider, name, kind="") -> ReadAnswer:
    body, about = recorded(provider, name)
    return read_recorded(ENTRIES[provider], kind, body, about["status"], about["request"]["url"])


def _names(provider):
    return sorted(path.name.removesuffix(".meta.json") for path in (CORPORA / "api" / provider).glob("*.meta.json"))


def _holds(read: ReadAnswer, status: int) -> None:
    """What holds for any body: results can be found and named, an error has a kind, and never both."""
    for result in read.results:
        assert result["url"].startswith(("https://", "http://"))
        assert result["title"] or result.get("id") or result.get("doi")
        assert len(result["snippet"]) >= 20
        assert "<b>" not in result["title"] + result["snippet"]
        assert "&amp;" not in result["title"]
    assert bool(read.results) is (read.outcome == "ok")
    assert (read.error is not None) is (read.outcome in ("unavailable", "failed"))
    assert read.error is None or read.error.kind in ERRORS
    if status >= 400:
        assert read.outcome in ("unavailable", "failed")


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['provider']}-{row['name']}")
def test_a_body_of_the_table(row):
    read = _read(row["provider"], row["name"])
    assert (read.outcome, read.error and read.error.kind) == (row["outcome"], row["error"])
    _, about = recorded(row["provider"], row["name"])
    _holds(read, about["status"])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_body_of_a_provider_under_every_kind(provider):
    if not (CORPORA / "api" / provider).is_dir():
        pytest.skip("the corpora are not here: set PORTCULLIS_CORPORA")
    names = _names(provider)
    assert names
    for name in names:
        _, about = recorded(provider, name)
        _holds(_read(provider, name), about["status"])
        for kind in ENTRIES[provider].kinds:
            _read(provider, name, kind)


def test_the_table_names_every_provider_and_no_body_twice():
    assert len({row["provider"] for row in TABLE} & set(ENTRIES)) >= 16
    assert len({(row["provider"], row["name"]) for row in TABLE}) == len(TABLE) >= 80
    assert {row["outcome"] for row in TABLE} == {"ok", "empty", "unavailable", "failed", "unsupported"}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_body_that_was_cut_is_never_taken_for_an_empty_answer(provider):
    """Half a JSON or XML document says nothing about what there is."""
    for name in _names(provider):
        body, about = recorded(provider, name)
        if about["status"] != 200 or body.lstrip()[:1] not in b"{[<" or b"<html" in body[:500].lower():
            continue
        read = read_recorded(ENTRIES[provider], "", body[: len(body) // 2], 200, "")
        assert (read.outcome, read.error and read.error.kind) == ("failed", "upstream_unavailable"), name
