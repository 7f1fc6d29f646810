"""Every option that a provider says it knows changes its request, and every other one is refused."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from app.kernel.providers import Access, Fault, HttpRequest, ProviderError, ServiceQuery
from app.parsing.services.search_options import OPTION_VALUES
from app.system.provider_code import load_provider
from app.system.provider_files import read_providers

SAMPLES = {
    "author": "miller",
    "color_type": "gray",
    "country": "at",
    "dominant_color": "red",
    "exact_terms": "cold proof",
    "exclude_terms": "wheat",
    "file_type": "png",
    "journal": "Crumbs",
    "language": "de",
    "open_access": True,
    "safe": "high",
    "sites": "bakery.example",
    "size": "large",
    "sort": "date",
    "source": "nature",
    "time_range": "week",
    "type": "photo",
    "year_from": 2001,
    "year_to": 2003,
}
# A region is both.
TOGETHER = {("duckduckgo", "country"): {"language": "de"}, ("duckduckgo", "language"): {"country": "at"}}
# One that holds works of one source only.
OWN = {("arxiv", "source"): "arxiv", ("pubmed", "source"): "pubmed"}
# News are the newest stories in any case.
ALREADY = {("hackernews", "news", "sort"), ("arxiv", "papers", "source"), ("pubmed", "papers", "source")}
TABLE = read_providers()
SETTINGS = {name for entry in TABLE.providers for name in (*entry.settings, *entry.optional)}
ACCESS = Access(
    contact="a@b.example",
    keys=tuple((name, SecretStr("k" * 20)) for name in sorted(SETTINGS) if "_KEY_" in name),
    urls=tuple((name, "https://search.bakery.example") for name in sorted(SETTINGS) if "_URL_" in name),
)
ASKED = [(entry.name, kind) for entry in TABLE.providers for kind in entry.kinds]
BY_WORDS = [(name, kind) for name, kind in ASKED if kind in ("images", "news", "papers", "web")]
LINKED = {"citations": "cites:W5", "references": "openalex:W5"}


def _request(provider, kind, **options):
    ids = (LINKED[kind],) if provider == "openalex" and kind in LINKED else ()
    asked = ServiceQuery(kind=kind, query="" if ids else "rye", ids=ids, options=tuple(options.items()), now_ms=10**12)
    return load_provider(provider).request(asked, ACCESS)


def test_every_option_has_a_sample():
    assert set(SAMPLES) == set(OPTION_VALUES)


@pytest.mark.parametrize(("provider", "kind"), [pair for pair in ASKED if pair in BY_WORDS or pair[1] in LINKED])
def test_a_known_option_changes_the_request_and_any_other_is_refused(provider, kind):
    known = load_provider(provider).OPTIONS.get(kind, ())
    for name, value in SAMPLES.items():
        value = OWN.get((provider, name), value)
        got = _request(provider, kind, **{name: value}, **TOGETHER.get((provider, name), {}))
        if name in known:
            assert isinstance(got, HttpRequest), name
            assert got != _request(provider, kind) or (provider, kind, name) in ALREADY, name
        else:
            assert got == ProviderError(fault=Fault.UNSUPPORTED), name


@pytest.mark.parametrize(
    ("provider", "kind", "options"),
    [
        ("arxiv", "papers", {"sort": "citations"}),
        ("arxiv", "papers", {"source": "nature"}),
        ("brave", "web", {"exact_terms": "rye " * 60}),
        ("crossref", "papers", {"source": "arxiv"}),
        ("brave", "web", {"time_range": "hour"}),
        ("duckduckgo", "web", {"country": "at"}),
        ("duckduckgo", "web", {"time_range": "hour"}),
        ("exa", "web", {"exact_terms": "one two three four five six"}),
        ("google_cse", "web", {"sort": "citations"}),
        ("hackernews", "web", {"sort": "citations"}),
        ("pubmed", "papers", {"sort": "citations"}),
        ("pubmed", "papers", {"source": "ieee"}),
        ("searchapi", "images", {"size": "huge"}),
        ("searchapi", "images", {"color_type": "mono"}),
        ("searchapi", "images", {"color_type": "gray", "dominant_color": "red"}),
        ("searxng", "web", {"time_range": "hour"}),
        ("tavily", "web", {"time_range": "hour"}),
        ("wikipedia", "web", {"sort": "citations"}),
    ],
)
def test_a_value_that_a_service_cannot_hold_is_refused(provider, kind, options):
    assert _request(provider, kind, **options) == ProviderError(fault=Fault.UNSUPPORTED)


def test_news_of_google_are_pages_by_date():
    url = _request("google_cse", "news", sort="date", sites=("crumbs.example",)).url
    assert "sort=date" in url
    assert "siteSearch=crumbs.example" in url
    assert "searchType" not in url
    assert "sort=" not in _request("google_cse", "news").url


@pytest.mark.parametrize(("provider", "kind"), [("exa", "web"), ("hackernews", "web")])
def test_a_time_without_a_clock_is_refused(provider, kind):
    asked = ServiceQuery(kind=kind, query="rye", options=(("time_range", "day"),))
    assert load_provider(provider).request(asked, ACCESS) == ProviderError(fault=Fault.UNSUPPORTED)


@pytest.mark.parametrize(("provider", "kind"), BY_WORDS)
def test_a_search_without_words_is_refused(provider, kind):
    asked = ServiceQuery(kind=kind)
    assert load_provider(provider).request(asked, ACCESS) == ProviderError(fault=Fault.BAD_REQUEST)


@pytest.mark.parametrize(
    ("provider", "kind", "ids"),
    [
        ("arxiv", "paper", ("rye",)),
        ("arxiv", "paper", ("2101.00001&id_list=x",)),
        ("exa", "contents", ()),
        ("exa", "contents", ("javascript:alert(1)",)),
        ("exa", "contents", ("https://bakery.example/", "http://10.0.0.1/")),
        ("hackernews", "thread", ("../8863",)),
        ("hackernews", "item", ("0",)),
        ("openalex", "paper", ("rye",)),
        ("openalex", "citations", ("cites:W5,is_oa:true",)),
        ("pubmed", "paper", ("5&db=x",)),
        ("pubmed", "paper", ("5", "rye")),
        ("semanticscholar", "paper", ("../author/5",)),
        ("semanticscholar", "citations", ("10.5555/a", "10.5555/b")),
        ("unpaywall", "open_access", ("rye",)),
    ],
)
def test_ids_that_are_none_are_refused(provider, kind, ids):
    asked = ServiceQuery(kind=kind, ids=ids)
    assert load_provider(provider).request(asked, ACCESS) == ProviderError(fault=Fault.BAD_REQUEST)


@pytest.mark.parametrize("provider", ["searxng", "unpaywall"])
def test_what_is_not_set_up_asks_nobody(provider):
    kind = TABLE.entry(provider).kinds[0]
    asked = ServiceQuery(kind=kind, query="rye", ids=("10.5555/a",))
    got = load_provider(provider).request(asked, Access(contact="https://a.example"))
    assert got == ProviderError(fault=Fault.NOT_CONFIGURED)


@pytest.mark.parametrize(("provider", "kind"), BY_WORDS)
def test_a_key_never_stands_in_the_url_that_is_shown(provider, kind):
    assert "k" * 20 not in _request(provider, kind).url
