"""Every provider on documented shapes beside its usual one: other formats, errors in words, rows nobody can use."""

from __future__ import annotations

import copy
import json

import pytest
from tests.fixtures.provider_bodies import BODIES, JSON_ROWS, body_of

from app.cli.parse_answer import read_recorded
from app.kernel.providers import Fault, Parsed, ProviderError
from app.system.provider_code import AnswerAbout, read_answer
from app.system.provider_files import read_providers

TABLE = read_providers()
PLACE = "https://bakery.example/rye"
S2_ID = "b" * 40


def _read(provider, kind, body, status=200, url=""):
    data = body if isinstance(body, bytes) else body_of(body)
    return read_answer(data, AnswerAbout(provider=provider, kind=kind, status=status, url=url).model_dump_json())


def _told(provider, body, kind="", status=200):
    data = body if isinstance(body, bytes) else body_of(body)
    return read_recorded(TABLE.entry(provider), kind, data, status, "")


@pytest.mark.parametrize(("provider", "kind"), sorted(JSON_ROWS))
def test_rows_of_which_none_can_be_used_are_not_an_empty_answer(provider, kind):
    said = copy.deepcopy(BODIES[provider, kind])
    path, name = JSON_ROWS[provider, kind]
    rows = said
    for step in path.split("."):
        rows = rows[step]
    assert rows
    for odd in ({}, {"renamed": PLACE, name: "ftp://bakery.example/"}):
        rows[:] = [odd, odd]
        assert isinstance(_read(provider, kind, said), ProviderError), odd


@pytest.mark.parametrize(
    ("provider", "kind", "body"),
    [
        ("arxiv", "papers", "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>Rye</title></entry></feed>"),
        ("crossref", "papers", {"message-type": "work-list", "message": {"items": [{"title": ["Rye"]}]}}),
        ("hackernews", "web", {"hits": [{"story": "Rye"}], "nbHits": 1}),
        ("hackernews", "web", ["Rye"]),
        ("pubmed", "papers", "<PubmedArticleSet><PubmedArticle><Renamed/></PubmedArticle></PubmedArticleSet>"),
        ("pubmed", "papers", {"result": {"uids": ["5"], "5": {"pubdate": "2012"}}}),
        ("pubmed", "papers", {"esearchresult": {"count": "1", "idlist": ["rye"]}}),
        ("searxng", "web", {"results": [{"title": "Rye"}], "unresponsive_engines": []}),
        ("semanticscholar", "papers", {"total": 1, "data": [{"paperId": None, "title": "Rye"}]}),
        ("unpaywall", "papers", {"results": [{"score": 1}]}),
        ("wikipedia", "web", {"query": {"search": [{"name": "Rye"}]}}),
        ("wikipedia", "web", ["rye", ["Rye"], [""], []]),
    ],
)
def test_rows_without_a_place_are_unreadable(provider, kind, body):
    assert _read(provider, kind, body) == ProviderError(fault=Fault.UNREADABLE)


@pytest.mark.parametrize(
    "body",
    [
        b'{"type": "article-journal", "DOI": "10.5555/rye", "title": "On rye", "author": [{"family": "Miller"}]}',
        b"@article{Miller_2021, title={On rye}}",
        b" @prefix dc: <http://purl.org/dc/terms/> . <http://dx.doi.org/10.5555/rye> dc:title 'On rye' .",
        b'<http://dx.doi.org/10.5555/rye> <http://purl.org/dc/terms/title> "On rye" .',
        b"TY  - JOUR\nTI  - On rye\nER  - \n",
        b"Miller, A. (2021). Error bars of rye. Crumbs, 3. https://doi.org/10.5555/rye",
        b"Miller A. On rye. Crumbs 2021.",
        b'<?xml version="1.0"?><doi_records><doi_record><crossref/></doi_record></doi_records>',
        b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description/></rdf:RDF>',
    ],
)
def test_citations_of_crossref_are_an_answer_to_something_else(body):
    for kind in TABLE.entry("crossref").kinds:
        assert _read("crossref", kind, body) == ProviderError(fault=Fault.UNSUPPORTED)


@pytest.mark.parametrize(
    "body",
    [
        b"upstream connect error",
        b"Service Unavailable",
        b"<doi_records><doi_record>",
        b"<html><p/></html>",
        b"\x00\x01",
    ],
)
def test_a_text_of_crossref_that_is_no_citation(body):
    assert _read("crossref", "papers", body) == ProviderError(fault=Fault.UNREADABLE)


def test_crossref_with_few_fields_a_count_and_an_exception():
    items = [{"title": ["On rye"], "URL": "http://dx.doi.org/10.5555/rye"}]
    (hit,) = _read("crossref", "papers", {"message-type": "work-list", "message": {"items": items}}).hits
    assert (hit.locator, dict(hit.metadata)["doi"]) == ("https://doi.org/10.5555/rye", "10.5555/rye")
    counted = {"items": [], "total-results": 12, "items-per-page": 0, "facets": {}}
    said = {"status": "ok", "message-type": "work-list", "message": counted}
    assert _read("crossref", "papers", said) == ProviderError(fault=Fault.UNSUPPORTED)
    said = {"status": "error", "message-type": "exception", "message": {"name": "x"}}
    assert _read("crossref", "papers", said) == ProviderError(fault=Fault.PROVIDER_DOWN)


def test_summaries_of_pubmed_in_version_two():
    fields = (
        "<PubDate>2012 Jul</PubDate><Source>J Crumbs</Source><Title>On rye</Title><SortPubDate>2012/07/02 00:00"
        "</SortPubDate><Authors><Author><Name>Miller A</Name></Author></Authors><ArticleIds><ArticleId><IdType>doi"
        "</IdType><Value>10.5555/rye</Value></ArticleId></ArticleIds>"
        "<PubType><flag>Retracted Publication</flag></PubType>"
    )
    gone = '<DocumentSummary uid="7"><error>cannot get document summary</error></DocumentSummary>'
    both = f'<DocumentSummary uid="5">{fields}</DocumentSummary>{gone}'
    (hit,) = _read("pubmed", "paper", _summaries(both)).hits
    assert (hit.locator, hit.title) == ("https://doi.org/10.5555/rye", "On rye")
    about = dict(hit.metadata)
    assert (about["published"], about["author"], about["retracted"]) == ("2012-07-02", "Miller A", "true")
    assert _read("pubmed", "paper", _summaries(gone)) == Parsed(hits=())
    assert _read("pubmed", "paper", {"result": {"uids": ["7"], "7": {"uid": "7", "error": "none"}}}) == Parsed(hits=())
    gene = '<DocumentSummary uid="5"><Name>BRCA1</Name></DocumentSummary>'
    assert _read("pubmed", "paper", _summaries(gene)) == ProviderError(fault=Fault.UNSUPPORTED)


def test_summaries_of_other_databases_in_json():
    gene = {"result": {"uids": ["672"], "672": {"uid": "672", "name": "RYE1", "description": "a gene"}}}
    assert _told("pubmed", gene).outcome == "unsupported"
    said = {"uid": "9", "title": "On rye", "pubdate": "2012 Jul", "pmclivedate": "2012/08/01"}
    said["articleids"] = [{"idtype": "pmid", "value": "5"}]
    (result,) = _told("pubmed", {"result": {"uids": ["9"], "9": said}}).results
    assert (result["url"].rpartition("/articles/")[2], result["pmid"]) == ("PMC9/", "5")


def test_other_feeds_of_arxiv_are_an_answer_to_something_else():
    for root in ("rss", "OAI-PMH"):
        assert _told("arxiv", f"<{root}><channel/></{root}>").outcome == "unsupported"
    assert _told("arxiv", "<html><body/></html>").outcome == "failed"


def _summaries(inside):
    return f'<eSummaryResult><DocumentSummarySet status="OK">{inside}</DocumentSummarySet></eSummaryResult>'


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b"<!DOCTYPE html><html><body>One moment</body></html>", Fault.UNREADABLE),
        (b">sp|P1|RYE\nMKV\n", Fault.UNSUPPORTED),
        (b"LOCUS       RYE1   5 bp", Fault.UNSUPPORTED),
        (b"\nPMID- 5\nOWN - NLM\n", Fault.UNSUPPORTED),
        (b"Pubmed-entry ::= {\n pmid 5 }", Fault.UNSUPPORTED),
        (b"5\n6\n", Fault.UNSUPPORTED),
        (b"1. J Crumbs. 2012 Jul;3(1). On rye.", Fault.UNSUPPORTED),
        (b'{"esearchresult": {"count": "12"}}', Fault.UNSUPPORTED),
        (b'{"error": "error forwarding request", "api-key": "10.1.2.3", "type": "ip"}', Fault.PROVIDER_DOWN),
        (
            b'{"error": "API rate limit exceeded", "api-key": "10.1.2.3", "count": "4", "limit": "3"}',
            Fault.RATE_LIMITED,
        ),
        (b'{"error": "API key not wellformed", "api-key": "x"}', Fault.AUTH),
        (b'{"error": "Invalid uid", "api-key": "10.1.2.3"}', Fault.BAD_REQUEST),
    ],
)
def test_other_answers_of_pubmed(body, fault):
    read = _read("pubmed", "papers", body)
    assert read.fault is fault
    assert "10.1.2.3" not in read.model_dump_json()


@pytest.mark.parametrize(
    ("status", "body", "fault"),
    [
        (404, {"errorKey": "rest-nonexistent-title", "httpCode": 404}, Fault.NOT_FOUND),
        (200, {"errorKey": "rest-nonexistent-title", "httpCode": 404}, Fault.NOT_FOUND),
        (429, {"errorKey": "rest-new-key"}, Fault.RATE_LIMITED),
        (500, {"errorKey": "rest-new-key"}, Fault.PROVIDER_DOWN),
        (400, {"error": {"code": "badvalue"}}, Fault.BAD_REQUEST),
        (503, {"error": {"code": "ratelimited"}}, Fault.RATE_LIMITED),
        (200, {"error": {"code": "cirrussearch-too-busy-error"}}, Fault.PROVIDER_DOWN),
        (200, {"error": {"code": "cirrussearch-backend-error"}}, Fault.PROVIDER_DOWN),
        (200, {"error": {"code": "cirrussearch-regex-syntax-error"}}, Fault.BAD_REQUEST),
        (200, {"type": "https://mediawiki.org/wiki/HyperSwitch/errors/not_found"}, Fault.NOT_FOUND),
        (200, {"type": "https://mediawiki.org/wiki/HyperSwitch/errors/bad_request"}, Fault.BAD_REQUEST),
        (200, {"type": "https://mediawiki.org/wiki/HyperSwitch/errors/internal_error"}, Fault.PROVIDER_DOWN),
        (200, {"type": "https://mediawiki.org/wiki/HyperSwitch/errors/new", "status": 429}, Fault.RATE_LIMITED),
    ],
)
def test_errors_of_wikipedia_by_name_then_by_status(status, body, fault):
    for kind in TABLE.entry("wikipedia").kinds:
        assert _read("wikipedia", kind, body, status).fault is fault


def test_a_summary_says_which_wikipedia_it_is_of():
    page = "https://de.wikipedia.org/wiki/Roggen"
    said = {"title": "Roggen", "lang": "de", "extract": "Ein Gras.", "content_urls": {"desktop": {"page": page}}}
    assert _read("wikipedia", "summary", said).hits[0].locator == page
    # A known place counts more, and a stranger's not at all.
    known = _read("wikipedia", "summary", said, url="https://fr.wikipedia.org/api/rest_v1/page/summary/Roggen")
    assert known.hits[0].locator == "https://fr.wikipedia.org/wiki/Roggen"
    said["content_urls"]["desktop"]["page"] = "https://wiki.example/wiki/Roggen"
    assert _read("wikipedia", "summary", said).hits[0].locator == "https://en.wikipedia.org/wiki/Roggen"


def test_an_error_of_arxiv_under_a_server_error_is_an_outage():
    entry = "<entry><id>http://arxiv.org/api/errors</id><title>Error</title><summary>trace</summary></entry>"
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>'
    assert _read("arxiv", "papers", feed, 500).fault is Fault.PROVIDER_DOWN
    assert _read("arxiv", "papers", feed, 429).fault is Fault.RATE_LIMITED
    assert _read("arxiv", "papers", feed, 400).fault is Fault.BAD_REQUEST


@pytest.mark.parametrize(
    ("provider", "status", "body", "fault"),
    [
        ("tavily", 429, {"detail": {"error": "This request exceeds your plan's set usage limit."}}, Fault.QUOTA),
        ("tavily", 429, {"detail": {"error": "Blocked due to excessive requests."}}, Fault.RATE_LIMITED),
        ("tavily", 200, {"detail": {"error": "Exceeds the pay-as-you-go limit."}}, Fault.QUOTA),
        ("google_cse", 429, {"error": {"status": "RESOURCE_EXHAUSTED", "details": [
            {"reason": "RATE_LIMIT_EXCEEDED", "metadata": {"quota_limit": "DefaultPerDayPerProject"}}]}}, Fault.QUOTA),
        ("google_cse", 429, {"error": {"status": "RESOURCE_EXHAUSTED", "details": [
            {"metadata": {"quota_unit": "1/d/{project}"}}]}}, Fault.QUOTA),
        ("google_cse", 429, {"error": {"status": "RESOURCE_EXHAUSTED", "details": [
            {"metadata": {"quota_limit": "DefaultPerMinutePerProject", "quota_unit": "1/min/{project}"}}]}},
            Fault.RATE_LIMITED),
        ("searchapi", 429, {"error": "Too many searches per hour. Please upgrade your plan."}, Fault.RATE_LIMITED),
        ("searchapi", 200, {"error": "You exceeded the hourly limit of your plan."}, Fault.RATE_LIMITED),
        ("searchapi", 200, {"error": "We couldn't get valid results. Please try again later."}, Fault.PROVIDER_DOWN),
        ("searchapi", 200, {"error": "Missing query `q` parameter."}, Fault.BAD_REQUEST),
        ("exa", 200, {"error": "x", "tag": "RATE_LIMIT_EXCEEDED"}, Fault.RATE_LIMITED),
        ("exa", 200, {"error": "You've exceeded your Exa rate limit"}, Fault.RATE_LIMITED),
        ("exa", 200, {"error": "x", "tag": "INTERNAL_ERROR"}, Fault.PROVIDER_DOWN),
        ("exa", 200, {"error": "x", "tag": "INVALID_REQUEST_BODY"}, Fault.BAD_REQUEST),
        ("exa", 409, {"error": "x"}, Fault.BAD_REQUEST),
        ("openalex", 200, {"error": "Rate limit exceeded", "message": "10 per second"}, Fault.RATE_LIMITED),
        ("openalex", 200, {"error": "Rate limit exceeded", "message": "daily budget"}, Fault.QUOTA),
        ("openalex", 200, {"error": "Invalid query parameters error."}, Fault.BAD_REQUEST),
        ("hackernews", 200, {"status": 429, "message": "Too Many Requests"}, Fault.RATE_LIMITED),
        ("hackernews", 200, {"status": 404, "error": "Not Found"}, Fault.NOT_FOUND),
        ("duckduckgo", 418, "<html></html>", Fault.BLOCKED),
    ],
)  # fmt: skip
def test_a_rate_that_passes_and_a_plan_that_is_used_up(provider, status, body, fault):
    for kind in TABLE.entry(provider).kinds:
        assert _read(provider, kind, body, status).fault is fault, kind


@pytest.mark.parametrize(
    ("provider", "kind", "body", "read_as"),
    [
        ("semanticscholar", "papers", [{"paperId": S2_ID, "title": "On rye"}, None], "paper"),
        ("semanticscholar", "paper", {"data": [{"paperId": S2_ID, "title": "On rye", "matchScore": 9.5}]}, "papers"),
        ("exa", "contents", {"results": [{"url": PLACE, "title": "Rye", "text": "Rye."}]}, "contents"),
        ("searxng", "", {"results": [{"url": PLACE, "title": "Rye", "doi": "10.5555/rye"}]}, "papers"),
        ("searxng", "", {"results": [{"url": PLACE, "title": "Rye", "img_src": f"{PLACE}.png", "category": "images"}]},
         "images"),
        ("searxng", "", {"results": [{"url": PLACE, "title": "Rye", "category": "general"}]}, "web"),
    ],
)  # fmt: skip
def test_what_a_recorded_body_is_read_as(provider, kind, body, read_as):
    told = _told(provider, body, kind)
    assert (told.outcome, told.kind, len(told.results)) == ("ok", read_as, 1)


def test_a_work_that_only_says_what_to_ask_for_next_is_no_answer():
    told = _told("openalex", {"id": "https://openalex.org/W5", "title": "On rye"}, "citations")
    assert (told.outcome, told.results) == ("unsupported", ())


def test_counts_by_group_are_an_answer_to_something_else():
    said = {"meta": {"count": 9}, "results": [], "group_by": [{"key": "2021", "count": 9}]}
    assert _told("openalex", said).outcome == "unsupported"


def test_pages_of_duckduckgo_beside_the_usual_one():
    link = f'<div class="result"><a class="result__a" href="/l/?uddg={PLACE.replace(":", "%3A")}">Rye</a></div>'
    (hit,) = _read("duckduckgo", "web", f"<html>{link}</html>").hits
    assert hit.locator == PLACE
    lite = f"<table><tr><td><a class='result-link' href='{PLACE}'>Rye</a></td></tr></table>"
    for body in (f"<html>{lite}</html>", '{"AbstractText": "", "RelatedTopics": []}'):
        assert _read("duckduckgo", "web", body).fault is Fault.UNSUPPORTED
    for body in ("{}", '{"AbstractText'):
        assert _read("duckduckgo", "web", body).fault is Fault.UNREADABLE


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ({"searchParameters": {"q": "rye"}, "relatedSearches": []}, "empty"),
        ({"searchParameters": {"q": "rye"}, "places": [{"title": "Rye"}]}, "unsupported"),
        ({"searchParameters": {"q": "rye", "type": "scholar"}, "organic": [{"link": PLACE}]}, "unsupported"),
        ({"searchParameters": {"q": "rye"}, "organic": [{"link": PLACE, "title": "Rye"}]}, "ok"),
        ({"credits": 1}, "unsupported"),
    ],
)
def test_answers_of_serper_by_what_was_asked(body, outcome):
    assert _told("serper", body).outcome == outcome


def test_references_that_a_publisher_keeps_back_and_those_nobody_could_resolve():
    kept = {"offset": 0, "data": None, "citingPaperInfo": {"paperId": S2_ID}}
    read = _told("semanticscholar", kept, "references")
    assert (read.outcome, read.error.kind) == ("unavailable", "blocked")
    unknown = {"offset": 0, "data": [{"citedPaper": {"paperId": None, "title": "On rye"}}]}
    assert _told("semanticscholar", unknown, "references").outcome == "empty"
    both = {"data": [*unknown["data"], {"citedPaper": {"paperId": S2_ID, "title": "On wheat"}}]}
    assert len(_told("semanticscholar", both, "references").results) == 1


def test_a_query_that_moderation_refused_says_nothing_about_the_key():
    said = {"requestId": "1", "error": "the query is not allowed", "tag": "PROHIBITED_CONTENT"}
    assert _read("exa", "web", said, 403) == ProviderError(fault=Fault.BAD_REQUEST)


@pytest.mark.parametrize(
    ("provider", "status", "body", "fault"),
    [
        ("brave", 422, {"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_MISSING"}}, Fault.AUTH),
        ("exa", 403, {"error": "not allowed there", "tag": "ROBOTS_FILTER_FAILED"}, Fault.BLOCKED),
        ("google_cse", 400, {"error": {"code": 400, "message": "No such API key"}}, Fault.AUTH),
        ("google_cse", 400, {"error": {"code": 400, "message": "Invalid value"}}, Fault.BAD_REQUEST),
        ("serper", 200, [{"searchParameters": {"q": "rye"}, "organic": []}], Fault.UNSUPPORTED),
    ],
)
def test_errors_by_what_they_say_and_not_by_their_status(provider, status, body, fault):
    assert _read(provider, "web", json.dumps(body).encode(), status).fault is fault


def test_the_integrity_of_one_work_that_was_asked_for_by_itself():
    notice = {"DOI": "10.5555/notice", "type": "retraction", "source": "publisher"}
    work = {"DOI": "10.5555/rye", "title": ["On rye"], "updated-by": [notice]}
    said = {"status": "ok", "message-type": "work", "message": work}
    (hit,) = _read("crossref", "integrity", said).hits
    assert dict(hit.metadata)["retracted"] == "true"


def test_a_comment_that_was_taken_back_is_not_shown_and_those_below_it_are():
    below = {"id": 3, "type": "comment", "author": "ada", "text": "Rye wants more water than wheat."}
    comments = [
        {"id": 2, "type": "comment", "author": None, "text": None, "children": [below]},
        {"id": 4, "type": "comment", "author": "x", "text": "gone", "deleted": True, "children": []},
    ]
    said = {"id": 1, "type": "story", "title": "On rye", "author": "baker", "children": comments}
    read = _read("hackernews", "thread", json.dumps(said))
    assert [dict(hit.metadata)["id"] for hit in read.hits] == ["1", "3"]
