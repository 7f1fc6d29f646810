"""The options of a search: one vocabulary, checked before a provider sees it."""

from __future__ import annotations

import pytest

from app.kernel.providers import Fault, ProviderError, ServiceQuery
from app.parsing.services.search_options import OPTION_VALUES, SearchOptions, read_options, with_operators

EVERYTHING = {"web": tuple(OPTION_VALUES)}


def _read(known=EVERYTHING, **options):
    return read_options(ServiceQuery(kind="web", query="rye", options=tuple(options.items())), known)


def test_every_option_is_read():
    got = _read(
        language="de-AT",
        country="AT",
        sites=("A.example", "b.example"),
        exact_terms=" cold   proof"[1:],
        exclude_terms="-wheat spelt",
        time_range="week",
        safe="high",
        year_from=2001,
        open_access=True,
        size="xxlarge",
    )
    assert got == SearchOptions(
        language="de-at",
        country="at",
        sites=("a.example", "b.example"),
        exact_terms="cold proof",
        exclude_terms=("wheat", "spelt"),
        time_range="week",
        safe="high",
        year_from=2001,
        open_access=True,
        size="xxlarge",
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("time_range", "decade"),
        ("safe", "strict"),
        ("language", "evil.example/"),
        ("language", 5),
        ("country", "deu"),
        ("sites", "a.example/path"),
        ("sites", "a b"),
        ("sites", ("a.example", 5)),
        ("sites", ("a.example",) * 21),
        ("exact_terms", 'a "quote'),
        ("exact_terms", "a\nb"),
        ("year_from", 99),
        ("year_from", True),
        ("year_to", "2001"),
        ("open_access", "yes"),
        ("sort", "size"),
        ("type", "Photo"),
    ],
)
def test_a_value_outside_the_vocabulary_is_refused(name, value):
    assert _read(**{name: value}) == ProviderError(fault=Fault.BAD_REQUEST)


def test_an_option_that_a_provider_does_not_know_is_never_dropped():
    assert _read(known={}, language="de") == ProviderError(fault=Fault.UNSUPPORTED)
    assert _read(nonsense="x") == ProviderError(fault=Fault.UNSUPPORTED)


@pytest.mark.parametrize("unset", [{"language": None}, {"open_access": False}, {"sort": "relevance"}, {"sites": ()}])
def test_what_every_search_does_by_itself_is_not_a_wish(unset):
    assert _read(known={}, **unset) == SearchOptions()


def test_operators():
    assert with_operators("rye", _read()) == "rye"
    assert with_operators("rye", _read(sites="a.example")) == "rye site:a.example"
    options = _read(sites=("a.example", "b.example"), exact_terms="cold proof", exclude_terms="wheat spelt")
    assert with_operators("rye", options) == 'rye "cold proof" -wheat -spelt (site:a.example OR site:b.example)'
