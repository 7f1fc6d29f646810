"""Inputs of the search capabilities: the limits of the specification, and errors that name the field."""

from __future__ import annotations

import pytest

from app.capabilities.registry import CAPABILITIES
from app.capabilities.searching.search_inputs import provider_name
from app.kernel.errors import RequestInvalid

SEARCHES = ("web_search", "news_search", "image_search", "academic_search", "search_and_scrape")
MOST = {"web_search": 10, "news_search": 50, "image_search": 200, "academic_search": 10, "search_and_scrape": 10}
DEFAULT = {"web_search": 5, "news_search": 5, "image_search": 5, "academic_search": 5, "search_and_scrape": 3}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.parametrize("query", ["", "   ", "x" * 501, "rye\nbread", "rye\x00", 5, None, ["rye"], "\ud800"])
def test_a_query_that_is_none(name, query):
    with pytest.raises(RequestInvalid, match="argument `query` is wrong"):
        CAPABILITIES[name].read({"query": query})


@pytest.mark.parametrize("name", SEARCHES)
def test_a_query_may_have_500_characters(name):
    assert len(CAPABILITIES[name].read({"query": "x" * 500}).query) == 500


@pytest.mark.parametrize("name", SEARCHES)
def test_the_number_of_results(name):
    read = CAPABILITIES[name].read
    assert read({"query": "rye"}).num_results == DEFAULT[name]
    assert read({"query": "rye", "num_results": MOST[name]}).num_results == MOST[name]
    for wrong in (0, -1, MOST[name] + 1, "3", 2.5, True):
        with pytest.raises(RequestInvalid, match="argument `num_results` is wrong"):
            read({"query": "rye", "num_results": wrong})


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("web_search", "time_range", "hour"),
        ("web_search", "safe", "moderate"),
        ("web_search", "language", "english"),
        ("web_search", "country", "deu"),
        ("web_search", "site", "localhost"),
        ("web_search", "site", "10.0.0.1"),
        ("web_search", "site", "a b.example"),
        ("web_search", "site", "bakery.example/path"),
        ("web_search", "exact_terms", 'a "b"'),
        ("web_search", "exclude_terms", " "),
        ("web_search", "lens", ""),
        ("web_search", "claim", "x" * 1_001),
        ("web_search", "provider", ""),
        ("web_search", "page", 2),
        ("news_search", "time_range", "decade"),
        ("news_search", "sort_by", "citations"),
        ("news_search", "safe", "high"),
        ("news_search", "news_source", "reuters"),
        ("image_search", "size", "tiny"),
        ("image_search", "type", "painting"),
        ("image_search", "color_type", "grey"),
        ("image_search", "dominant_color", "beige"),
        ("image_search", "file_type", "tiff"),
        ("academic_search", "year_from", 1899),
        ("academic_search", "year_to", 2031),
        ("academic_search", "source", "elsevier"),
        ("academic_search", "pdf_only", "yes"),
        ("search_and_scrape", "max_length_per_source", 39),
        ("search_and_scrape", "total_max_length", -1),
        ("search_and_scrape", "deduplicate", "no"),
        ("search_and_scrape", "lens", "docs"),
    ],
)
def test_values_that_are_wrong_are_named(name, field, value):
    with pytest.raises(RequestInvalid, match=f"argument `{field}` is wrong"):
        CAPABILITIES[name].read({"query": "rye", field: value})


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("web_search", {"site": "a.example", "lens": "docs"}, "`site` and `lens` exclude each other"),
        ("news_search", {"news_source": "a.example", "lens": "docs"}, "`news_source` and `lens` exclude each other"),
        ("academic_search", {"year_from": 2020, "year_to": 2019}, "`year_from` is later than `year_to`"),
    ],
)
def test_impossible_combinations(name, given, said):
    with pytest.raises(RequestInvalid, match=said):
        CAPABILITIES[name].read({"query": "rye", **given})


def test_defaults_of_the_specification():
    web, news = CAPABILITIES["web_search"].read({"query": "rye"}), CAPABILITIES["news_search"].read({"query": "rye"})
    papers = CAPABILITIES["academic_search"].read({"query": "rye"})
    gather = CAPABILITIES["search_and_scrape"].read({"query": "rye"})
    assert (web.safe, web.time_range, web.site) == ("medium", None, None)
    assert (news.time_range, news.sort_by, news.safe) == ("week", "relevance", None)
    assert (papers.source, papers.pdf_only, papers.open_access, papers.sort_by) == ("all", False, False, "relevance")
    assert (gather.include_sources, gather.deduplicate, gather.filter_by_query) == (True, True, False)
    assert (gather.max_length_per_source, gather.total_max_length) == (50_000, 300_000)
    ages = {name: CAPABILITIES[name].max_age_s for name in SEARCHES}
    assert ages == {
        "web_search": 1_800,
        "news_search": 900,
        "image_search": 1_800,
        "academic_search": 3_600,
        "search_and_scrape": 0,
    }


@pytest.mark.parametrize("name", SEARCHES)
def test_a_session_id_is_in_the_schema_and_survives_the_request(name):
    capability = CAPABILITIES[name]
    assert "sessionId" in capability.input.model_json_schema()["properties"]
    given = capability.read({"query": "rye", "sessionId": "trail"})
    assert capability.input_of(capability.request(given)) == given
    assert capability.cache_key(given) != capability.cache_key(capability.read({"query": "rye"}))


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (None, None),
        ("google", "google_cse"),
        ("Semantic-Scholar", "semantic_scholar"),
        (" Brave ", "brave"),
        ("DDG", "duckduckgo"),
        ("../etc", "unknown"),
        ("b" * 41, "unknown"),
    ],
)
def test_names_of_providers(given, name):
    assert provider_name(given) == name


@pytest.mark.parametrize(
    ("given", "site"), [("https://Bakery.example/", "bakery.example"), ("*.bakery.example", "bakery.example")]
)
def test_a_site_in_other_spellings(given, site):
    assert CAPABILITIES["web_search"].read({"query": "rye", "site": given}).site == site
