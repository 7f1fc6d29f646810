"""Search capabilities in scripted sessions: failures by name, plans within the grant, nothing dropped in silence."""

from __future__ import annotations

import json

import pytest
from tests.fixtures.search_sessions import TOOLS, SearchBench, hit

from app.capabilities.registry import CAPABILITIES
from app.capabilities.searching.routing_meta import routing_of
from app.capabilities.searching.search_calls import SERVICES_UNITS
from app.capabilities.web.gather_plan import PAGE_UNITS

TEXT = "A rye loaf that is wrapped in linen stays moist for about a week."


def _other(number):
    """A text that is no near duplicate of another number's."""
    return " ".join(f"loaf{number}x{word}" for word in range(12))


def _ran(capability, script, case=None, **arguments):
    bench = SearchBench(
        {"capability": capability, "arguments": {"query": "rye", **arguments}, "script": script, **(case or {})}
    )
    outcome = bench.run()
    return bench, outcome, json.loads(bench.result(outcome).model_dump_json())


def _down(kind, *rungs, **more):
    return {"search-1": {"unavailable": kind, "rungs": [dict(rung) for rung in rungs], "spent_units": 0, **more}}


def _rung(provider, fault, **more):
    return {"provider": provider, "fault": fault, **more}


UNKNOWN = "Unknown provider for `web`. Supported: searxng, brave. Configured: searxng."
OFFERED = [{"kind": "web", "name": "searxng"}, {"kind": "web", "name": "brave", "usable": False}]


@pytest.mark.parametrize(
    ("script", "given", "kind", "retryable", "said"),
    [
        (_down("auth"), {}, "config", False, "PORTCULLIS_URL_SEARXNG"),
        (
            _down("auth", _rung("brave", "not_configured", missing=["PORTCULLIS_KEY_BRAVE"])),
            {},
            "config",
            False,
            "KEY_BRAVE is missing",
        ),
        (
            _down(
                "rate_limited",
                _rung("brave", "rate_limited", retry_after_s=9),
                _rung("exa", "rate_limited", retry_after_s=4),
            ),
            {},
            "rate_limited",
            True,
            "4 seconds",
        ),
        (_down("auth", _rung("searxng", "not_configured")), {}, "config", False, "Allow the format `json`"),
        (_down("auth", _rung("searxng", "not_configured")), {"provider": "searxng"}, "config", False, "`json`"),
        (_down("rate_limited", _rung("brave", "quota")), {}, "rate_limited", False, "Quota used up"),
        (
            _down("provider_down", _rung("brave", "slow")),
            {},
            "upstream_unavailable",
            True,
            "no configured provider answered",
        ),
        (
            _down("provider_down", _rung("brave", "unsupported")),
            {},
            "validation",
            False,
            "None of the configured providers supports",
        ),
        (_down("auth", _rung("bing", "not_routed"), offered=OFFERED), {"provider": "bing"}, "config", False, UNKNOWN),
        (
            _down("auth", _rung("brave", "not_routed"), offered=OFFERED),
            {"provider": "brave"},
            "config",
            False,
            "name it for `web` in PORTCULLIS_SEARCH_ROUTING",
        ),
        (
            _down("rate_limited", _rung("brave", "rate_limited")),
            {"provider": "brave"},
            "rate_limited",
            True,
            "Rate limited (brave). Wait 60 seconds",
        ),
        (
            _down("provider_down", _rung("brave", "auth")),
            {"provider": "brave"},
            "auth_required",
            False,
            "did not accept its key",
        ),
        (_down("provider_down", _rung("brave", "blocked")), {"provider": "brave"}, "blocked", False, "robot"),
        (
            _down("provider_down", _rung("brave", "unreachable")),
            {"provider": "brave"},
            "network",
            True,
            "could not be reached",
        ),
        (
            _down("provider_down", _rung("brave", "bad_request")),
            {"provider": "brave"},
            "validation",
            False,
            "refused the query",
        ),
        (
            _down("provider_down", _rung("brave", "unsupported")),
            {"provider": "brave"},
            "validation",
            False,
            "does not support",
        ),
        (
            _down("provider_down", _rung("brave", "circuit_open")),
            {"provider": "brave"},
            "upstream_unavailable",
            True,
            "did not answer",
        ),
        (
            _down("auth", offered=[{"kind": "lens", "name": "docs"}]),
            {"lens": "dogs"},
            "config",
            False,
            "Unknown lens. Available lenses: docs.",
        ),
    ],
)
@pytest.mark.parametrize("capability", ["web_search", "news_search", "image_search"])
def test_failures_have_names(capability, script, given, kind, retryable, said):
    answers = json.loads(json.dumps(script).replace('"web"', f'"{_KINDS[capability]}"'))
    _, _, got = _ran(capability, answers, **given)
    assert (got["error"]["kind"], got["error"]["retryable"]) == (kind, retryable), got
    assert said.replace("`web`", f"`{_KINDS[capability]}`") in got["message"]


_KINDS = {"web_search": "web", "news_search": "news", "image_search": "images"}


def test_prices_of_plans_are_those_of_the_catalogue():
    assert TOOLS.entry("services").price_units == SERVICES_UNITS
    assert TOOLS.entry("scrape_page").price_units == PAGE_UNITS


def test_a_forced_provider_and_the_options_reach_the_tool():
    bench, _, _ = _ran(
        "web_search",
        {"search-1": {"items": [hit("https://a.example/", TEXT)]}},
        provider="google",
        lens="docs",
        country="DE",
        exact_terms="linen",
    )
    call = bench.tool.asked["search-1"]
    assert dict(call.params) == {
        "kind": "web",
        "query": "rye",
        "limit": 5,
        "max_age_s": 1_800,
        "wishes": ("safe", "country"),
        "provider": "google_cse",
        "lens": "docs",
        "country": "de",
        "exact_terms": "linen",
        "safe": "medium",
    }


@pytest.mark.parametrize(("tier", "pages"), [("PRO", 4), ("MAX", 10)])
def test_gathering_reads_as_many_pages_as_the_grant_covers(tier, pages):
    hits = [hit(f"https://a.example/{n}", _other(n), position=n) for n in range(10)]
    script = {"search-1": {"items": hits}, **{f"page-{n}": {"unavailable": "slow"} for n in range(1, 11)}}
    _, outcome, got = _ran("search_and_scrape", script, {"principal": {"tier": tier}}, num_results=10)
    kinds = [failure["kind"] for failure in got["scrapeFailures"]]
    assert (len(outcome.outcomes), kinds.count("network"), kinds.count("budget_exhausted")) == (
        1 + pages,
        pages,
        10 - pages,
    )
    assert (got["status"], outcome.ended.value) == ("failed", "complete" if pages == 10 else "limit")


def test_gathering_keeps_to_the_units():
    hits = [hit(f"https://a.example/{n}", _other(n), position=n) for n in range(4)]
    script = {"search-1": {"items": hits, "spent_units": 40}, "page-1": {"unavailable": "slow"}, "page-2": {}}
    narrow = {"narrow": {"budget_units_clamp": 42}}
    _, outcome, got = _ran("search_and_scrape", script, narrow, num_results=4)
    assert [call.call_id for call in outcome.outcomes] == ["search-1", "page-1", "page-2"]
    assert [failure["kind"] for failure in got["scrapeFailures"]] == [
        "network",
        "not_found",
        "budget_exhausted",
        "budget_exhausted",
    ]
    assert outcome.verdict.stop.value == "SUCCESS_COMPLETED"


def test_gathering_without_hits_says_so():
    _, _, got = _ran("search_and_scrape", {"search-1": {}})
    assert (got["status"], got["sources"], got["summary"]["urlsSearched"]) == ("failed", [], 0)
    assert "found no pages" in got["note"]


def test_gathering_filters_by_the_query_and_can_hide_sources():
    page = {"kind": "fetched", "locator": "https://a.example/0", "requested": "https://a.example/0", "title": "Cars"}
    script = {
        "search-1": {"items": [hit("https://a.example/0", TEXT)]},
        "page-1": {"items": [{**page, "body": "Cars need oil, and oil needs wells in the ground."}]},
    }
    _, _, strict = _ran("search_and_scrape", script, filter_by_query=True)
    assert (strict["sources"], strict["combinedContent"]) == ([], "")
    assert "filter_by_query" in strict["note"]
    _, _, hidden = _ran("search_and_scrape", script, include_sources=False)
    assert hidden["sources"] == []
    assert "Cars need oil" in hidden["combinedContent"]
    _, _, short = _ran("search_and_scrape", script, total_max_length=40)
    assert short["sizeMetadata"]["truncated"]
    assert len(short["combinedContent"].encode()) <= 40


def test_a_page_that_repeats_another_is_told():
    text = "The same page stands under two addresses, word for word, on the site of the mill."
    urls = [f"https://a.example/{n}" for n in range(2)]
    pages = {
        f"page-{n}": {"items": [{"kind": "fetched", "locator": url, "requested": url, "body": text}]}
        for n, url in enumerate(urls, 1)
    }
    search = {"items": [hit(url, _other(n), position=n) for n, url in enumerate(urls)]}
    _, _, got = _ran("search_and_scrape", {"search-1": search, **pages})
    (failure,) = got["scrapeFailures"]
    assert (got["status"], len(got["sources"]), failure["url"]) == ("partial", 1, urls[1])
    assert "same content" in failure["reason"]


def test_papers_stop_looking_up_where_the_calls_end():
    hits = [
        hit(
            f"https://doi.org/10.5555/{n}",
            _other(n),
            provider="openalex",
            position=n,
            doi=f"10.5555/{n}",
        )
        for n in range(8)
    ]
    first = {
        "items": hits,
        "rungs": [{"provider": "openalex"}],
        "offered": [{"kind": "open_access", "name": "unpaywall"}],
    }
    script = {"papers-1": first, **{f"open-access-{n}": {"unavailable": "slow"} for n in range(1, 9)}}
    _, outcome, got = _ran("academic_search", script, num_results=8)
    assert len(outcome.outcomes) == 5
    assert (got["resultCount"], outcome.verdict.stop.value) == (8, "SUCCESS_COMPLETED")
    assert "the limit of this session was reached" in got["notes"][0]


def test_papers_are_not_looked_up_where_nobody_can_be_asked():
    work = hit("https://doi.org/10.5555/1", TEXT, provider="openalex", doi="10.5555/1", retracted="true")
    script = {"papers-1": {"items": [work], "rungs": [{"provider": "openalex"}]}}
    _, outcome, got = _ran("academic_search", script)
    assert len(outcome.outcomes) == 1
    assert got["papers"][0]["retractionStatus"] == {"retracted": True, "type": "retraction"}
    assert "notes" not in got


def test_an_empty_register_is_an_answer():
    script = {"papers-1": {"rungs": [{"provider": "openalex"}], "offered": [{"kind": "web", "name": "searxng"}]}}
    _, outcome, got = _ran("academic_search", script, year_from=2020)
    assert [call.call_id for call in outcome.outcomes] == ["papers-1"]
    assert (got["papers"], got["source"], got["hints"]["filtersApplied"]) == ([], "openalex", ["year_from"])


@pytest.mark.parametrize(
    ("provider", "call_id", "kind"), [("brave", "web-1", "web"), ("openalex", "papers-1", "papers")]
)
def test_a_forced_provider_of_papers_is_asked_for_what_it_has(provider, call_id, kind):
    down = {"unavailable": "provider_down", "rungs": [{"provider": provider, "fault": "provider_down"}]}
    bench, outcome, got = _ran("academic_search", {call_id: down}, provider=provider, source="arxiv")
    assert [call.call_id for call in outcome.outcomes] == [call_id]
    call = bench.tool.asked[call_id]
    assert (call.param("kind"), call.param("provider")) == (kind, provider)
    assert call.param("sites") == (("arxiv.org",) if kind == "web" else None)
    assert (got["error"]["kind"], got["error"]["provider"]) == ("upstream_unavailable", provider)


@pytest.mark.parametrize(
    ("register", "web", "kind"),
    [
        ("auth", "auth", "config"),
        ("auth", "provider_down", "upstream_unavailable"),
        ("provider_down", "auth", "upstream_unavailable"),
    ],
)
def test_neither_register_nor_web(register, web, kind):
    def down(outage):
        return {"unavailable": outage, "rungs": [] if outage == "auth" else [{"provider": "exa", "fault": "slow"}]}

    _, _, got = _ran("academic_search", {"papers-1": down(register), "web-1": down(web)})
    assert got["error"]["kind"] == kind


def test_routing_is_for_operators_and_not_in_the_result():
    first = [
        {"provider": "brave", "fault": "circuit_open", "breaker": "open"},
        {"provider": "exa", "fault": "unsupported"},
    ]
    script = {"search-1": {"items": [hit("https://a.example/", TEXT)], "rungs": [*first, {"provider": "searxng"}]}}
    _, outcome, got = _ran("web_search", script)
    meta = routing_of(outcome)
    assert (meta.provider_used, meta.providers_attempted) == ("searxng", ("brave", "searxng"))
    assert (meta.fallback, meta.fallback_reason, meta.cache_hit) == (True, "circuit_open", False)
    assert "searxng" not in json.dumps(got)
    assert "brave" not in json.dumps(got)
    assert set(CAPABILITIES["web_search"].output.model_json_schema()["properties"]) == {
        "urls", "query", "resultCount", "results", "hints", "notes", "trust", "_meta",
    }  # fmt: skip


@pytest.mark.parametrize(("length", "sites"), [(10, 17), (60, 14), (500, 6)])
def test_scholarly_sites_fit_into_one_question(length, sites):
    down = {"unavailable": "auth", "rungs": []}
    bench, _, _ = _ran("academic_search", {"papers-1": down, "web-1": down}, query="x" * length)
    assert len(bench.tool.asked["web-1"].param("sites")) == sites
