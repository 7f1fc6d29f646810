"""Wikipedia: what it is asked, and what its answers say."""

from __future__ import annotations

import json

import pytest
from tests.fixtures.recorded import recorded

from app.kernel.providers import Access, Fault, HttpAnswer, HttpRequest, Parsed, ProviderError, ServiceQuery
from app.providers.wikipedia import parse, request

NOBODY = Access()
SUMMARY = {
    "type": "standard",
    "title": "Sour dough",
    "pageid": 77,
    "lang": "en",
    "description": "Dough that ferments",
    "content_urls": {"desktop": {"page": "https://en.wikipedia.org/wiki/Sour_dough"}},
    "extract": "Sour dough rises by wild yeast and keeps for days.",
}


def _answer(value, status=200, url="https://en.wikipedia.org/w/api.php", headers=()):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return HttpAnswer(status=status, url=url, headers=headers, body=body)


@pytest.mark.parametrize(
    ("asked", "url"),
    [
        (
            ServiceQuery(kind="web", query="rye & wheat", limit=5),
            "https://en.wikipedia.org/w/api.php?action=query&format=json&list=search&srsearch=rye+%26+wheat&srlimit=5",
        ),
        (
            ServiceQuery(kind="summary", ids=("Rye bread/Types?",)),
            "https://en.wikipedia.org/api/rest_v1/page/summary/Rye_bread%2FTypes%3F",
        ),
        (
            ServiceQuery(kind="page", ids=("Brot",), options=(("language", "de"),)),
            "https://de.wikipedia.org/w/api.php?action=query&format=json&prop=extracts&exintro=1&explaintext=1"
            "&redirects=1&titles=Brot",
        ),
    ],
)
def test_requests(asked, url):
    assert request(asked, NOBODY) == HttpRequest(url=url)


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"kind": "web"}, Fault.BAD_REQUEST),
        ({"kind": "summary"}, Fault.BAD_REQUEST),
        ({"kind": "summary", "ids": ("a", "b")}, Fault.BAD_REQUEST),
        ({"kind": "summary", "ids": ("a|b",)}, Fault.BAD_REQUEST),
        ({"kind": "summary", "ids": ("x" * 300,)}, Fault.BAD_REQUEST),
        ({"kind": "paper", "ids": ("a",)}, Fault.UNSUPPORTED),
        ({"kind": "web", "query": "a", "options": (("language", "evil.example/"),)}, Fault.BAD_REQUEST),
        ({"kind": "web", "query": "a", "options": (("language", 5),)}, Fault.BAD_REQUEST),
        ({"kind": "web", "query": "a", "options": (("since", "2024"),)}, Fault.UNSUPPORTED),
    ],
)
def test_what_it_cannot_be_asked(asked, fault):
    assert request(ServiceQuery(**asked), NOBODY) == ProviderError(fault=fault)


def test_a_summary():
    read = parse("summary", _answer(SUMMARY))
    (hit,) = read.hits
    assert (hit.locator, hit.title, hit.text) == (
        "https://en.wikipedia.org/wiki/Sour_dough",
        "Sour dough",
        SUMMARY["extract"],
    )
    assert dict(hit.metadata) == {
        "id": "77",
        "page_type": "standard",
        "description": "Dough that ferments",
        "language": "en",
    }


def test_a_summary_is_found_on_the_edition_that_answered_and_nowhere_else():
    said = {**SUMMARY, "content_urls": {"desktop": {"page": "https://evil.example/wiki/Sour_dough"}}}
    read = parse("summary", _answer(said, url="https://de.wikipedia.org/x"))
    assert read.hits[0].locator == "https://de.wikipedia.org/wiki/Sour_dough"
    assert parse("summary", _answer(said, url="")).hits[0].locator.startswith("https://en.wikipedia.org/")


def test_a_search_without_hits_and_a_page_that_is_missing():
    nothing = {"query": {"searchinfo": {"totalhits": 0}, "search": []}}
    assert parse("web", _answer(nothing)) == Parsed(hits=(), total="0")
    assert parse("summary", _answer(b"<html>none</html>", 404)) == ProviderError(fault=Fault.NOT_FOUND)
    pages = {"query": {"pages": {"-1": {"title": "Nope", "missing": ""}}}}
    assert parse("page", _answer(pages)) == Parsed(hits=())


def test_a_record_without_a_snippet_says_what_it_is():
    rows = {"query": {"search": [{"title": "Rye", "snippet": ""}, {"pageid": 5}]}}
    (hit,) = parse("web", _answer(rows)).hits
    assert "Rye" in hit.text


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("ratelimited", Fault.RATE_LIMITED),
        ("maxlag", Fault.PROVIDER_DOWN),
        ("internal_api_error_DBQueryError", Fault.PROVIDER_DOWN),
        ("badvalue", Fault.BAD_REQUEST),
    ],
)
def test_errors_inside_an_answer_with_status_200(code, fault):
    said = _answer({"error": {"code": code, "info": "no"}}, headers=(("retry-after", "5"),))
    assert parse("web", said) == ProviderError(fault=fault, retry_after_s=5)


@pytest.mark.parametrize("body", [b"", b"<html>", b"null", b'{"query": {"search": 5, "pages": 5}}'])
@pytest.mark.parametrize("kind", ["web", "page"])
def test_what_is_not_an_answer(kind, body):
    assert parse(kind, _answer(body)) == ProviderError(fault=Fault.UNREADABLE)


@pytest.mark.parametrize("kind", ["web", "summary", "page"])
def test_an_answer_to_something_else(kind):
    assert parse(kind, _answer({"query": {"general": {}}})) == ProviderError(fault=Fault.UNSUPPORTED)


def test_a_kind_that_it_does_not_serve():
    assert parse("paper", _answer({})) == ProviderError(fault=Fault.UNSUPPORTED)


@pytest.mark.parametrize(
    ("name", "kind", "hits"),
    [
        ("action_extract_summary", "page", 1),
        ("action_missing_page", "page", 0),
        ("rest_summary_standard", "summary", 1),
        ("rest_summary_disambiguation", "summary", 1),
    ],
)
def test_recorded_answers(name, kind, hits):
    body, about = recorded("wikipedia", name)
    url = about["request"]["url"]
    read = parse(kind, HttpAnswer(status=about["status"], url=url, body=body))
    assert len(read.hits) == hits
    for hit in read.hits:
        assert hit.locator.startswith("https://en.wikipedia.org/wiki/")
        assert hit.title
        assert len(hit.text) >= 20
        assert dict(hit.metadata)["id"].isdigit()
