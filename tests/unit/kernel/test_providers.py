"""The values of providers: what they refuse, and that no key can be read off them."""

from __future__ import annotations

import pytest
from pydantic import SecretStr, ValidationError

from app.kernel.providers import (
    Access,
    HttpAnswer,
    HttpRequest,
    Offer,
    ProviderEntry,
    ProviderTable,
    RatePolicy,
    Rung,
    ServiceHit,
    ServiceQuery,
)
from app.kernel.results import RawResult

ROW = {
    "name": "bakery",
    "title": "Bakery",
    "kinds": ("loaf", "crumb"),
    "hosts": ("*.bakery.example",),
    "price_units": 1,
    "rate": RatePolicy(requests=1, per_ms=1_000),
}


def test_a_table_by_name():
    table = ProviderTable(
        catalog_version=1,
        providers=(ProviderEntry(**ROW), ProviderEntry(**{**ROW, "name": "mill", "kinds": ("flour",)})),
    )
    assert table.kinds == ("crumb", "flour", "loaf")
    assert table.entry("mill").kinds == ("flour",)
    assert table.entry("nobody") is None
    with pytest.raises(ValidationError, match="listed twice"):
        ProviderTable(catalog_version=1, providers=(ProviderEntry(**ROW), ProviderEntry(**ROW)))


@pytest.mark.parametrize(
    "change",
    [
        {"price_units": 0},
        {"kinds": ("loaf", "loaf")},
        {"kinds": ()},
        {"hosts": ("localhost",)},
        {"hosts": ("a.example/path",)},
        {"settings": ("bakery_key",)},
        {"name": "Bakery"},
        {"hosts": ()},
        {"settings": ("PORTCULLIS_URL_BAKERY",)},
        {"optional": ("PORTCULLIS_URL_BAKERY",)},
        {"checked_on": "hope"},
        {"documented": ("loaf", "crumb")},
        {"documented": ("flour",)},
    ],
)
def test_rows_that_are_refused(change):
    with pytest.raises(ValidationError):
        ProviderEntry(**{**ROW, **change})


def test_keys_are_masked_and_found_by_their_setting():
    access = Access(contact="a@b.example", keys=(("PORTCULLIS_KEY_BAKERY", SecretStr("s3cret")),))
    assert access.key("PORTCULLIS_KEY_BAKERY") == "s3cret"
    assert access.key("PORTCULLIS_KEY_MILL") == ""
    assert "s3cret" not in f"{access!r}{access}{access.model_dump_json()}"
    assert ProviderEntry(**ROW).keyless
    assert not ProviderEntry(**ROW, settings=("PORTCULLIS_KEY_BAKERY",)).keyless


@pytest.mark.parametrize(
    ("contact", "mail"),
    [("a@b.example", "a@b.example"), ("mailto:a@b.example", "a@b.example"), ("https://a.example/@b", ""), ("", "")],
)
def test_a_contact_is_an_address_or_a_page(contact, mail):
    assert Access(contact=contact).mail == mail


def test_a_service_of_the_operators_own_has_its_host_in_a_setting():
    entry = ProviderEntry(**{**ROW, "hosts": (), "settings": ("PORTCULLIS_URL_BAKERY",)})
    assert (entry.url_setting, entry.keyless) == ("PORTCULLIS_URL_BAKERY", True)
    assert ProviderEntry(**ROW).url_setting == ""
    access = Access(urls=(("PORTCULLIS_URL_BAKERY", "http://bakery.internal/a/"),))
    assert (access.url("PORTCULLIS_URL_BAKERY"), access.url("PORTCULLIS_URL_MILL")) == ("http://bakery.internal/a", "")


def test_a_follow_up_is_the_same_question_by_ids():
    asked = ServiceQuery(kind="loaf", query="rye", limit=3, options=(("language", "de"),), now_ms=5)
    again = asked.followed_by(("1", "2"))
    assert again == ServiceQuery(kind="loaf", ids=("1", "2"), limit=3, options=(("language", "de"),), now_ms=5)


def test_a_key_in_a_query_is_masked():
    request = HttpRequest(url="https://a.example/", secret_query=(("key", SecretStr("s3cret")),))
    assert "s3cret" not in f"{request!r}{request.model_dump_json()}"


def test_options_and_headers():
    asked = ServiceQuery(kind="loaf", options=(("language", "de"),))
    assert (asked.option("language"), asked.option("since")) == ("de", None)
    assert asked.has_only("language", "since")
    assert not asked.has_only()
    answer = HttpAnswer(status=200, headers=(("link", "a"),))
    assert (answer.header("link"), answer.header("age")) == ("a", "")


@pytest.mark.parametrize(
    "hit",
    [
        {"locator": "javascript:alert(1)"},
        {"locator": "https://a.example/ b"},
        {"locator": "https://a.example/", "metadata": (("service:provider", "x"),)},
        {"locator": "https://a.example/", "text": "\ud800"},
    ],
)
def test_records_that_are_refused(hit):
    with pytest.raises(ValidationError):
        ServiceHit(**hit)


def test_a_question_without_some_of_its_options():
    asked = ServiceQuery(kind="web", query="rye", limit=3, options=(("safe", "off"), ("country", "de")), now_ms=5)
    assert asked.without(("safe",)) == ServiceQuery(
        kind="web", query="rye", limit=3, options=(("country", "de"),), now_ms=5
    )
    assert asked.without(()) == asked


def test_a_rung_says_only_what_was_seen():
    assert Rung(provider="brave").model_dump_json() == '{"provider":"brave","fault":null,"retry_after_s":null}'
    needs = ("PORTCULLIS_KEY_X",)
    seen = Rung(provider="brave", breaker="half_open", rate_left=0, cached=True, left_out=("safe",), missing=needs)
    assert Rung.model_validate_json(seen.model_dump_json()) == seen


def test_offers_survive_the_record():
    raw = RawResult(status="empty", offered=(Offer(kind="web", name="brave", healthy=False),))
    assert RawResult.model_validate_json(raw.model_dump_json()) == raw
    assert "offered" not in RawResult(status="empty").model_dump_json()
