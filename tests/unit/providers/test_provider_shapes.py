"""Every provider on bodies of our own: records, facts in one vocabulary, hostile rows, and shapes that are off."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from tests.fixtures.provider_bodies import BODIES, HOSTILE_URLS, JSON_ROWS, body_of

from app.kernel.providers import Fault, HttpAnswer, Parsed, ProviderError
from app.system.provider_code import AnswerAbout, load_provider, read_answer
from app.system.provider_files import read_providers

TABLE = read_providers()
SERVED = sorted(BODIES)
NAMES = [entry.name for entry in TABLE.providers]


def _read(provider, kind, body, status=200):
    data = body if isinstance(body, bytes) else body_of(body)
    return read_answer(data, AnswerAbout(provider=provider, kind=kind, status=status).model_dump_json())


def _facts(provider, kind, number=0):
    return dict(_read(provider, kind, BODIES[provider, kind]).hits[number].metadata)


def test_there_is_a_body_for_every_kind_or_a_test_of_its_own():
    known = {name for name, _ in BODIES}
    assert len(known) >= 16
    for entry in TABLE.providers:
        alone = (Path(__file__).parent / f"test_{entry.name}.py").is_file()
        assert {kind for name, kind in BODIES if name == entry.name} == (
            set(entry.kinds) if entry.name in known else set()
        )
        assert alone or entry.name in known


@pytest.mark.parametrize(("provider", "kind"), SERVED)
def test_a_record_has_a_place_a_name_and_a_plain_text(provider, kind):
    read = _read(provider, kind, BODIES[provider, kind])
    assert read.hits
    for hit in read.hits:
        assert hit.locator.startswith("https://")
        assert hit.title
        assert len(hit.text) >= 20
        for text in (hit.title, hit.text):
            assert not any(mark in text for mark in ("<b>", "</", "&amp;", "  "))


@pytest.mark.parametrize(
    ("provider", "kind", "wanted"),
    [
        ("arxiv", "papers", {"id": "2101.00001v2", "doi": "10.5555/rye", "published": "2021-01-02T03:04:05Z"}),
        ("arxiv", "papers", {"pdf": "https://arxiv.org/pdf/2101.00001v2", "category": "physics.food"}),
        ("brave", "web", {"published": "2021-03-04T05:06:07Z"}),
        ("brave", "news", {"published_relative": "2 hours ago"}),
        ("brave", "images", {"image": "https://bakery.example/rye.png", "width": "3", "height": "4"}),
        ("crossref", "paper", {"doi": "10.5555/rye", "published": "2021-03-04"}),
        ("duckduckgo", "web", {"published": "2025-08-07T00:00:00Z", "source": "bakery.example"}),
        ("exa", "news", {"published": "2021-03-04T05:06:07Z"}),
        ("google_cse", "web", {"published": "2021-03-04"}),
        (
            "google_cse",
            "images",
            {"image": "https://bakery.example/rye", "thumbnail": "https://bakery.example/rye.gif"},
        ),
        (
            "hackernews",
            "item",
            {"author": "baker", "published": "2007-04-04T19:16:40Z", "link": "https://bakery.example/rye"},
        ),
        ("hackernews", "web", {"id": "8863", "points": "3", "published": "2021-03-04T05:06:07Z"}),
        ("openalex", "paper", {"id": "W5", "doi": "10.5555/rye", "journal": "Crumbs", "cited_by": "12"}),
        ("openalex", "paper", {"retracted": "true", "open_access": "true", "pdf": "https://bakery.example/rye.pdf"}),
        (
            "pubmed",
            "paper",
            {"pmid": "5", "doi": "10.5555/rye", "journal": "Journal of Crumbs", "author": "Miller, Ada"},
        ),
        ("pubmed", "paper", {"published": "2012-07-02", "retracted": "true", "retraction_notice": "9"}),
        ("searchapi", "images", {"image": "https://bakery.example/rye.png", "source": "Bakery", "width": "3"}),
        ("searchapi", "news", {"published_relative": "3 days ago"}),
        ("searxng", "news", {"published_relative": "13 hours ago", "source": "Crumbs"}),
        ("searxng", "images", {"image": "https://bakery.example/rye.png", "width": "3", "height": "4"}),
        ("searxng", "papers", {"doi": "10.5555/rye", "author": "Ada Miller"}),
        ("semanticscholar", "papers", {"doi": "10.5555/rye", "cited_by": "12", "open_access": "true", "pmid": "5"}),
        ("semanticscholar", "citations", {"intent": "background", "context": "So."}),
        ("semanticscholar", "references", {"influential": "true"}),
        ("serper", "web", {"published": "2021-03-04"}),
        ("serper", "news", {"published_relative": "3 hours ago", "source": "Crumbs"}),
        ("tavily", "news", {"published": "2021-03-04T05:06:07Z"}),
        (
            "unpaywall",
            "open_access",
            {"open_access": "true", "pdf": "https://bakery.example/rye.pdf", "license": "cc-by"},
        ),
        ("wikipedia", "summary", {"id": "3", "page_type": "standard"}),
    ],
)
def test_facts_in_one_vocabulary(provider, kind, wanted):
    told = _facts(provider, kind)
    assert {name: told.get(name) for name in wanted} == wanted


def test_texts_of_abstracts():
    (hit,) = _read("openalex", "paper", BODIES["openalex", "paper"]).hits
    assert hit.text == "Rye wants more water always."
    (hit,) = _read("pubmed", "paper", BODIES["pubmed", "paper"]).hits
    assert hit.text == "METHODS: Rye was baked.\nIt was good."


def test_a_link_by_way_of_a_redirect_is_unescaped_once():
    first, second = _read("duckduckgo", "web", BODIES["duckduckgo", "web"]).hits
    assert (first.locator, second.locator) == ("https://bakery.example/rye?a=%41", "https://bakery.example/rye/2")


@pytest.mark.parametrize(("provider", "kind"), sorted(JSON_ROWS))
def test_a_hostile_place_drops_its_row_alone(provider, kind):
    said = copy.deepcopy(BODIES[provider, kind])
    path, name = JSON_ROWS[provider, kind]
    rows = said
    for step in path.split("."):
        rows = rows[step]
    (good,) = rows
    before = {**good, name: "https://bakery.example/first"}
    rows[:] = [before, *({**good, name: url} for url in HOSTILE_URLS), good]
    read = _read(provider, kind, said)
    assert [hit.locator for hit in read.hits] == ["https://bakery.example/first", good[name]]


@pytest.mark.parametrize(("provider", "kind"), sorted(JSON_ROWS))
def test_the_same_place_counts_once(provider, kind):
    said = copy.deepcopy(BODIES[provider, kind])
    rows = said
    for step in JSON_ROWS[provider, kind][0].split("."):
        rows = rows[step]
    rows *= 3
    assert len(_read(provider, kind, said).hits) == 1


@pytest.mark.parametrize("odd", [None, "rows", 5, {}, True])
@pytest.mark.parametrize(("provider", "kind"), sorted(JSON_ROWS))
def test_rows_of_the_wrong_type_are_unreadable(provider, kind, odd):
    said = copy.deepcopy(BODIES[provider, kind])
    *steps, last = JSON_ROWS[provider, kind][0].split(".")
    at = said
    for step in steps:
        at = at[step]
    at[last] = odd
    assert _read(provider, kind, said).fault in (Fault.UNREADABLE, Fault.UNSUPPORTED)


@pytest.mark.parametrize(("provider", "kind"), SERVED)
def test_a_body_that_is_cut_or_something_else_is_never_an_empty_answer(provider, kind):
    whole = body_of(BODIES[provider, kind])
    bodies = [b"", b"\xff\xfe\x00", b"<html><body>down for repairs</body></html>", b"[" * 100_000, b" " * 5_000_001]
    bodies += [b"{}", b"null", b"[]", b'"rye"', b'{"results"', *([] if provider == "duckduckgo" else [whole[:-20]])]
    for body in bodies:
        read = _read(provider, kind, body)
        nothing = body in (b"null", b"[]") and (provider, kind) in _LISTS
        assert nothing or isinstance(read, ProviderError), (body[:20], read)


_LISTS = {
    ("hackernews", "item"),
    ("hackernews", "web"),
    ("hackernews", "news"),
    ("hackernews", "thread"),
    ("semanticscholar", "paper"),
}


@pytest.mark.parametrize("provider", NAMES)
@pytest.mark.parametrize(
    ("status", "faults"),
    [
        (401, {Fault.AUTH}),
        (402, {Fault.QUOTA}),
        (403, {Fault.AUTH, Fault.BLOCKED, Fault.NOT_CONFIGURED}),
        (404, {Fault.NOT_FOUND}),
        (429, {Fault.RATE_LIMITED}),
        (500, {Fault.PROVIDER_DOWN}),
        (503, {Fault.PROVIDER_DOWN}),
    ],
)
def test_a_status_without_a_word(provider, status, faults):
    code = load_provider(provider)
    entry = TABLE.entry(provider)
    for body in (b"", b"<html>", b"{}"):
        answer = HttpAnswer(status=status, headers=(("retry-after", "7"),), body=body)
        said = code.parse(entry.kinds[0], answer)
        assert said.fault in faults
        assert said.retry_after_s in (7, None)


CODES = [
    ("brave", 429, {"error": {"code": "RATE_LIMITED"}}, Fault.RATE_LIMITED),
    ("brave", 429, {"error": {"code": "QUOTA_LIMITED"}}, Fault.QUOTA),
    ("brave", 402, {"error": {"code": "USAGE_LIMIT_EXCEEDED"}}, Fault.QUOTA),
    ("brave", 400, {"error": {"code": "OPTION_NOT_IN_PLAN"}}, Fault.QUOTA),
    ("brave", 404, {"error": {"code": "API_VERSION_NOT_FOUND"}}, Fault.BAD_REQUEST),
    ("brave", 422, {"error": {"code": "VALIDATION"}}, Fault.BAD_REQUEST),
    ("brave", 422, {"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, Fault.AUTH),
    ("brave", 200, {"error": {"code": "NEW_CODE", "status": 403}}, Fault.AUTH),
    ("brave", 200, {"error": {"code": "NEW_CODE"}}, Fault.PROVIDER_DOWN),
    ("crossref", 404, {"status": "failed", "message-type": "validation-failure"}, Fault.BAD_REQUEST),
    ("exa", 402, {"tag": "NO_MORE_CREDITS", "error": "x"}, Fault.QUOTA),
    ("exa", 401, {"tag": "INVALID_API_KEY", "error": "x"}, Fault.AUTH),
    ("exa", 400, {"tag": "INVALID_REQUEST_BODY", "error": "x"}, Fault.BAD_REQUEST),
    ("google_cse", 400, {"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}, Fault.AUTH),
    ("google_cse", 403, {"error": {"code": 403, "errors": [{"reason": "dailyLimitExceeded"}]}}, Fault.QUOTA),
    ("google_cse", 429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}, Fault.RATE_LIMITED),
    ("google_cse", 429, {"error": {"errors": [{"reason": "rateLimitExceeded"}]}}, Fault.RATE_LIMITED),
    (
        "google_cse",
        429,
        {"error": {"status": "RESOURCE_EXHAUSTED", "message": "limit 'Queries per day' of service"}},
        Fault.QUOTA,
    ),
    ("google_cse", 400, {"error": {"code": 400, "status": "INVALID_ARGUMENT"}}, Fault.BAD_REQUEST),
    ("google_cse", 503, {"error": {"code": 503}}, Fault.PROVIDER_DOWN),
    ("openalex", 403, {"error": "Invalid query parameters error."}, Fault.BAD_REQUEST),
    ("openalex", 429, {"error": "x", "message": "daily budget"}, Fault.QUOTA),
    ("pubmed", 200, {"error": "API rate limit exceeded", "api-key": "10.1.2.3"}, Fault.RATE_LIMITED),
    ("pubmed", 200, {"error": "API key invalid", "api-key": "10.1.2.3"}, Fault.AUTH),
    ("pubmed", 400, {"error": "API key invalid", "api-key": "10.1.2.3"}, Fault.AUTH),
    ("pubmed", 200, {"esearchresult": {"ERROR": "Invalid db name"}}, Fault.BAD_REQUEST),
    ("pubmed", 200, {"esearchresult": {"ERROR": "Search Backend failed"}}, Fault.PROVIDER_DOWN),
    ("searchapi", 429, {"error": "You have used all of the searches for the month."}, Fault.QUOTA),
    ("searchapi", 429, {"error": "Too many requests at once."}, Fault.RATE_LIMITED),
    ("searchapi", 200, {"error": "Invalid API key."}, Fault.AUTH),
    ("searxng", 200, {"results": [], "unresponsive_engines": [["a", "CAPTCHA"]]}, Fault.PROVIDER_DOWN),
    ("searxng", 403, {}, Fault.NOT_CONFIGURED),
    ("semanticscholar", 400, {"error": "Unrecognized or unsupported fields"}, Fault.BAD_REQUEST),
    ("semanticscholar", 200, {"message": "Too Many Requests", "code": "429"}, Fault.RATE_LIMITED),
    ("serper", 400, {"message": "Not enough credits", "statusCode": 400}, Fault.QUOTA),
    ("serper", 403, {"message": "Unauthorized.", "statusCode": 403}, Fault.AUTH),
    ("serper", 200, {"message": "Unauthorized.", "statusCode": 403}, Fault.AUTH),
    ("tavily", 432, {"detail": {"error": "x"}}, Fault.QUOTA),
    ("wikipedia", 200, {"errors": [{"code": "ratelimited", "text": "x"}]}, Fault.RATE_LIMITED),
    ("tavily", 433, {"detail": {"error": "x"}}, Fault.QUOTA),
    ("tavily", 200, {"detail": {"error": "Unauthorized: missing or invalid API key."}}, Fault.AUTH),
    ("unpaywall", 422, {"message": "Please use your own email address in API calls"}, Fault.NOT_CONFIGURED),
    ("unpaywall", 422, {"message": "x"}, Fault.BAD_REQUEST),
    ("unpaywall", 200, {"error": True, "HTTP_status_code": 404}, Fault.NOT_FOUND),
    ("wikipedia", 200, {"error": {"code": "ratelimited"}}, Fault.RATE_LIMITED),
    ("wikipedia", 200, {"error": {"code": "blocked"}}, Fault.BLOCKED),
]


@pytest.mark.parametrize("status", [200, 429, 503])
def test_arxiv_says_in_words_that_it_was_asked_too_fast(status):
    answer = HttpAnswer(status=status, headers=(("retry-after", "7"),), body=b"Rate exceeded.\n")
    said = load_provider("arxiv").parse("papers", answer)
    assert (said.fault, said.retry_after_s) == (Fault.RATE_LIMITED, 7)


@pytest.mark.parametrize(("provider", "status", "body", "fault"), CODES)
def test_what_an_error_says_of_itself(provider, status, body, fault):
    for kind in TABLE.entry(provider).kinds:
        said = _read(provider, kind, body, status)
        if (provider, kind) != ("searxng", "images") or status != 200:
            assert said.fault is fault, kind
        assert "10.1.2.3" not in said.model_dump_json()


@pytest.mark.parametrize(
    ("tag", "fault"),
    [
        ("CRAWL_NOT_FOUND", Fault.NOT_FOUND),
        ("CRAWL_TIMEOUT", Fault.SLOW),
        ("SOURCE_NOT_AVAILABLE", Fault.BLOCKED),
        ("CRAWL_UNKNOWN_ERROR", Fault.PROVIDER_DOWN),
    ],
)
def test_pages_of_which_none_could_be_had(tag, fault):
    said = {"results": [], "statuses": [{"id": "u", "status": "error", "error": {"tag": tag}}]}
    assert _read("exa", "contents", said) == ProviderError(fault=fault)


@pytest.mark.parametrize(
    ("provider", "kind", "body"),
    [
        ("brave", "web", {"type": "search"}),
        ("google_cse", "web", {"kind": "customsearch#search", "searchInformation": {"totalResults": "0"}}),
        ("searchapi", "web", {"error": "Google didn't return any results for this query."}),
        ("searxng", "web", {"results": [], "unresponsive_engines": []}),
        ("serper", "web", {"searchParameters": {"type": "search"}}),
        ("tavily", "web", {"query": "rye", "results": []}),
        ("hackernews", "thread", None),
        ("hackernews", "thread", {"id": 5, "deleted": True}),
        ("semanticscholar", "paper", [None]),
        ("semanticscholar", "papers", {"total": 0, "offset": 0}),
        ("pubmed", "papers", {"esearchresult": {"count": "0", "idlist": []}}),
        ("duckduckgo", "web", '<html><div class="no-results">No results.</div></html>'),
        ("openalex", "references", {"id": "https://openalex.org/W5", "referenced_works": []}),
        ("wikipedia", "page", {"query": {"pages": {"-1": {"title": "X", "missing": ""}}}}),
    ],
)
def test_asked_and_answered_with_nothing(provider, kind, body):
    assert _read(provider, kind, body).hits == ()


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        ("brave", {"type": "local_pois", "results": []}),
        ("brave", {"type": "videos", "results": []}),
        ("brave", {"type": "search", "locations": {"results": []}}),
        ("crossref", {"status": "ok", "message-type": "work-agency", "message": {}}),
        ("exa", {"answer": "Rye.", "citations": []}),
        ("hackernews", {"id": "baker", "created": 5, "karma": 3}),
        ("hackernews", 9130260),
        ("openalex", {"results": [{"id": "https://openalex.org/A5", "display_name": "Ada"}]}),
        ("pubmed", "<eLinkResult><LinkSet/></eLinkResult>"),
        ("pubmed", '<eSummaryResult><DocSum><Id>5</Id><Item Name="Caption">x</Item></DocSum></eSummaryResult>'),
        ("searxng", ["rye", ["rye bread"]]),
        ("semanticscholar", {"data": [{"authorId": "5", "name": "Ada"}]}),
        ("tavily", {"results": [{"url": "https://bakery.example/", "raw_content": "x"}], "failed_results": []}),
    ],
)
def test_answers_to_something_else(provider, body):
    for kind in TABLE.entry(provider).kinds:
        assert _read(provider, kind, body) == ProviderError(fault=Fault.UNSUPPORTED), kind


def test_a_question_from_a_person_is_not_an_empty_page():
    for status, body in ((202, b"<html></html>"), (200, b'<div class="anomaly-modal__modal">'), (403, b"")):
        assert _read("duckduckgo", "web", body, status).fault is Fault.BLOCKED


def test_errors_of_arxiv_are_entries_and_sentences():
    entry = "<entry><id>http://arxiv.org/api/errors#x</id><title>Error</title><summary>no</summary></entry>"
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>'
    for status in (200, 400):
        assert _read("arxiv", "papers", feed, status).fault is Fault.BAD_REQUEST
    assert _read("arxiv", "papers", b"Rate exceeded.").fault is Fault.RATE_LIMITED
    assert _read("arxiv", "papers", b"<feed><!DOCTYPE x [<!ENTITY a 'b'>]></feed>").fault is Fault.UNREADABLE


def test_summaries_of_pubmed_in_both_formats():
    items = (
        '<Item Name="PubDate">2012 Jul 2</Item><Item Name="Title">On rye</Item><Item Name="Source">J Crumbs</Item>'
        '<Item Name="AuthorList"><Item Name="Author">Miller A</Item></Item><Item Name="DOI">10.5555/rye</Item>'
    )
    (hit,) = _read("pubmed", "paper", f"<eSummaryResult><DocSum><Id>5</Id>{items}</DocSum></eSummaryResult>").hits
    said = {"uid": "5", "title": "On rye", "sortpubdate": "2012/07/02 00:00", "source": "J Crumbs"}
    said |= {"authors": [{"name": "Miller A"}], "articleids": [{"idtype": "doi", "value": "10.5555/rye"}]}
    (other,) = _read("pubmed", "paper", {"result": {"uids": ["5"], "5": said}}).hits
    assert (hit.locator, hit.text) == (other.locator, other.text)
    assert hit.locator == "https://doi.org/10.5555/rye"
    assert dict(hit.metadata) == dict(other.metadata)


def test_what_a_search_found_is_asked_for_next():
    found = _read("pubmed", "papers", BODIES["pubmed", "papers"])
    assert (found.follow_up, found.total) == (("5", "6"), "9")
    work = {**BODIES["openalex", "paper"], "referenced_works": ["https://openalex.org/W7", "odd"]}
    assert _read("openalex", "citations", work) == Parsed(hits=(), follow_up=("cites:W5",))
    assert _read("openalex", "references", work) == Parsed(hits=(), follow_up=("openalex:W7",))


def test_a_work_of_which_few_fields_were_asked_for():
    (hit,) = _read("openalex", "paper", {"doi": "https://doi.org/10.5555/rye", "open_access": {"is_oa": False}}).hits
    assert (hit.locator, dict(hit.metadata)["open_access"]) == ("https://doi.org/10.5555/rye", "false")


def test_an_infobox_is_a_record_too():
    box = {"infobox": "Rye", "id": "https://bakery.example/", "content": "A grass that is grown for its grain."}
    (hit,) = _read("searxng", "web", {"results": [], "infoboxes": [box]}).hits
    assert (hit.locator, hit.title) == ("https://bakery.example/", "Rye")


def test_numbers_stay_as_they_were_written():
    said = json.dumps(BODIES["tavily", "web"]).replace("0.5", "0.50000000000000000001").encode()
    assert dict(_read("tavily", "web", said).hits[0].metadata)["score"] == "0.50000000000000000001"


@pytest.mark.parametrize(("provider", "rows"), [("searxng", "results"), ("google_cse", "items")])
def test_pages_among_pictures_are_left_out(provider, rows):
    pictures, pages = BODIES[provider, "images"], BODIES[provider, "web"]
    mixed = {**pictures, rows: [*pages[rows], *pictures[rows]]}
    (hit,) = _read(provider, "images", mixed).hits
    assert "image" in dict(hit.metadata)
    assert _read(provider, "images", pages) == ProviderError(fault=Fault.UNSUPPORTED)
    assert _read(provider, "web", pictures) == ProviderError(fault=Fault.UNSUPPORTED)
