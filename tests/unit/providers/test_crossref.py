"""Crossref: what it is asked, and what its answers say."""

from __future__ import annotations

import json

import pytest
from tests.fixtures.recorded import recorded

from app.kernel.providers import Access, Fault, HttpAnswer, HttpRequest, ProviderError, ServiceQuery
from app.providers.crossref import parse, request

WORK = {
    "DOI": "10.5555/Loaf<1>",
    "type": "journal-article",
    "title": ["On   <i>sour</i> loaves"],
    "author": [{"given": "Ada", "family": "Miller"}, {"name": "The Bakers"}, {"given": ""}, "odd"],
    "container-title": ["Journal of Crumbs"],
    "issued": {"date-parts": [[2021, 3]]},
    "is-referenced-by-count": 12345678901234567890,
    "score": 1.250,
    "updated-by": [
        {
            "DOI": "10.5555/notice",
            "type": "retraction",
            "source": "retraction-watch",
            "updated": {"date-parts": [[2022, 1, 9]]},
        }
    ],
}


def _answer(value, status=200):
    return HttpAnswer(status=status, body=value if isinstance(value, bytes) else json.dumps(value).encode())


def _work(**changes):
    return parse("paper", _answer({"status": "ok", "message-type": "work", "message": {**WORK, **changes}}))


@pytest.mark.parametrize(
    ("asked", "contact", "url"),
    [
        ({"kind": "papers", "query": "rye", "limit": 7}, "", "?query=rye&rows=7"),
        ({"kind": "papers", "query": "rye"}, "mailto:a@b.example", "?query=rye&rows=10&mailto=a%40b.example"),
        ({"kind": "paper", "ids": ("10.5555/a/b",)}, "https://gate.example/@bot", "/10.5555%2Fa%2Fb"),
        ({"kind": "paper", "ids": ("https://doi.org/10.5555/a",)}, "a@b.example", "/10.5555%2Fa?mailto=a%40b.example"),
        ({"kind": "paper", "ids": (" doi:10.5555/a ",)}, "", "/10.5555%2Fa"),
    ],
)
def test_requests(asked, contact, url):
    got = request(ServiceQuery(**asked), Access(contact=contact))
    assert got == HttpRequest(url=f"https://api.crossref.org/works{url}")


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ({"kind": "papers"}, Fault.BAD_REQUEST),
        ({"kind": "paper"}, Fault.BAD_REQUEST),
        ({"kind": "paper", "ids": ("rye",)}, Fault.BAD_REQUEST),
        ({"kind": "summary", "ids": ("10.5555/a",)}, Fault.UNSUPPORTED),
        ({"kind": "papers", "query": "a", "options": (("language", "de"),)}, Fault.UNSUPPORTED),
    ],
)
def test_what_it_cannot_be_asked(asked, fault):
    assert request(ServiceQuery(**asked), Access()) == ProviderError(fault=fault)


def test_a_work_without_an_abstract_is_a_reference():
    (hit,) = _work().hits
    assert hit.locator == "https://doi.org/10.5555/Loaf%3C1%3E"
    assert hit.title == "On sour loaves"
    assert hit.text == f"Miller, Ada; The Bakers. On sour loaves. Journal of Crumbs. 2021-03. {hit.locator}"
    assert hit.metadata == (
        ("doi", "10.5555/Loaf<1>"),
        ("type", "journal-article"),
        ("author", "Miller, Ada"),
        ("author", "The Bakers"),
        ("journal", "Journal of Crumbs"),
        ("published", "2021-03"),
        ("cited_by", "12345678901234567890"),
        ("retracted", "true"),
        ("updated_by", "retraction 10.5555/notice 2022-01-09 retraction-watch"),
    )


def test_an_abstract_is_read_without_its_markup():
    abstract = "<jats:title>Abstract</jats:title><jats:p>Dough &lt;rests&gt; in the cold.</jats:p><!-- x -->"
    (hit,) = _work(abstract=abstract).hits
    assert hit.text == "Abstract\nDough <rests> in the cold."


@pytest.mark.parametrize("parts", [None, [], [[None]], [["x"]], [[2021, "?"]], "2021"])
def test_dates_that_are_not_whole(parts):
    (hit,) = _work(issued={"date-parts": parts}).hits
    assert dict(hit.metadata).get("published", "2021") == "2021"


def test_works_without_a_place_are_left_out():
    items = [WORK, {"title": ["No DOI"]}, {"DOI": "rye"}, {"DOI": "10.5555/a b"}, None, 5]
    said = {"status": "ok", "message": {"items": items, "total-results": 6, "next-cursor": "abc"}}
    read = parse("papers", _answer(said))
    assert (len(read.hits), read.total, read.next_page) == (1, "6", "abc")


@pytest.mark.parametrize(
    ("kind", "body", "status", "fault"),
    [
        ("papers", b"Resource missing", 404, Fault.NOT_FOUND),
        ("papers", b"<html>", 503, Fault.PROVIDER_DOWN),
        ("paper", b"slow down", 429, Fault.RATE_LIMITED),
        ("paper", b'{"status": "failed", "message-type": "validation-failure"}', 400, Fault.BAD_REQUEST),
        ("paper", b'{"status": "failed", "message-type": "validation-failure"}', 200, Fault.BAD_REQUEST),
        (
            "paper",
            b'{"status": "ok", "message-type": "work-agency", "message": {"DOI": "10.5555/a"}}',
            200,
            "unsupported",
        ),
        ("papers", b'{"status": "ok", "message-type": "member-list", "message": {"items": []}}', 200, "unsupported"),
        ("papers", b'{"status": "failed", "message-type": "validation-failure"}', 404, Fault.BAD_REQUEST),
        ("paper", b'{"status": "failed", "message-type": "resource-failure"}', 404, Fault.NOT_FOUND),
        ("paper", b"Resource not found.", 200, Fault.NOT_FOUND),
        ("paper", b" @article{a, title={Rye}}", 200, "unsupported"),
        ("paper", b'{"status": "ok", "message-type": "work", "message": {"DOI": NaN}}', 200, "unreadable"),
        ("paper", b'{"status": "ok"', 200, "unreadable"),
        ("papers", b'{"message": {"items": {}}}', 200, "unreadable"),
        ("papers", b"\xff\xfe", 200, "unreadable"),
    ],
)
def test_errors(kind, body, status, fault):
    assert parse(kind, _answer(body, status)) == ProviderError(fault=Fault(fault))


@pytest.mark.parametrize(
    ("name", "kind", "hits"),
    [
        ("work_by_doi", "paper", 1),
        ("works_one_id", "paper", 1),
        ("work_update_to_1", "paper", 1),
        ("work_update_to_2", "paper", 1),
        ("works_title_query", "papers", 1),
        ("works_no_hits", "papers", 0),
        ("works_cursor", "papers", 20),
        ("works_select", "papers", 20),
    ],
)
def test_recorded_answers(name, kind, hits):
    body, about = recorded("crossref", name)
    read = parse(kind, HttpAnswer(status=about["status"], url=about["request"]["url"], body=body))
    assert len(read.hits) == hits
    for hit in read.hits:
        assert hit.locator.startswith("https://doi.org/10.")
        assert len(hit.text) >= 20
        assert "<jats" not in hit.text
    if "update_to" in name:
        assert dict(read.hits[0].metadata)["update_to"].startswith("correction 10.1371/")
