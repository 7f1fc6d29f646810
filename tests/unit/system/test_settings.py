"""Settings, frozen files, clock and ids."""

from __future__ import annotations

import json
import shutil
import uuid
from pathlib import Path

import pytest

from app.kernel.caps import CapsUnusable
from app.kernel.errors import ContractViolation, RequestInvalid
from app.kernel.providers import ProviderEntry, RatePolicy
from app.system.clock import SystemClock
from app.system.contract_files import contract_dir, read_contract
from app.system.ids import RandomIds
from app.system.provider_files import check_routing, missing_settings, read_providers, routed_providers
from app.system.settings import Settings, settings_from


def test_defaults_and_variables():
    plain = settings_from({"HOME": "/home/x"})
    assert (plain.data_dir, plain.environment) == (Path("/home/x/.local/share/portcullis"), "dev")
    assert plain.research_enabled is True
    assert settings_from({"XDG_DATA_HOME": "/xdg"}).data_dir == Path("/xdg/portcullis")
    chosen = settings_from({"PORTCULLIS_DATA": "/d", "PORTCULLIS_ENV": "prod", "PORTCULLIS_RESEARCH": " OFF "})
    assert (chosen.data_dir, chosen.environment, chosen.research_enabled) == (Path("/d"), "prod", False)
    with pytest.raises(RequestInvalid):
        settings_from({"PORTCULLIS_RESEARCH": "maybe"})


@pytest.mark.ruling("R13")
def test_no_variable_changes_a_cap(monkeypatch):
    before = read_contract()
    for name in type(before.caps.entries[-1].caps).model_fields:
        monkeypatch.setenv(name.upper(), "999")
        monkeypatch.setenv(f"PORTCULLIS_{name.upper()}", "999")
    assert read_contract() == before


@pytest.mark.ruling("R13")
@pytest.mark.parametrize("change", ["missing", "not json", "negative", "incomplete"])
def test_caps_that_cannot_be_read_disable_research(change, tmp_path):
    folder = shutil.copytree(contract_dir(), tmp_path / "contract")
    path = folder / "caps.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    match change:
        case "missing":
            path.unlink()
        case "not json":
            path.write_text("{", encoding="utf-8")
        case "negative":
            data["entries"][-1]["caps"]["budget_units_clamp"] = -1
            path.write_text(json.dumps(data), encoding="utf-8")
        case _:
            path.write_text(json.dumps({**data, "entries": data["entries"][:-1]}), encoding="utf-8")
    assert isinstance(read_contract(folder).caps, CapsUnusable)


@pytest.mark.parametrize("name", ["stop_reasons.json", "actions.json"])
def test_other_files_that_cannot_be_read_refuse_to_open(name, tmp_path):
    folder = shutil.copytree(contract_dir(), tmp_path / "contract")
    (folder / name).write_text("[]", encoding="utf-8")
    with pytest.raises(ContractViolation, match=name):
        read_contract(folder)


def test_clock_and_ids():
    clock = SystemClock()
    moments = [clock.now_ms() for _ in range(1_000)]
    assert moments == sorted(moments)
    ids = {RandomIds().session_id() for _ in range(100)}
    assert len(ids) == 100
    assert {uuid.UUID(one).version for one in ids} == {4}


def test_contact_and_own_services_are_read_and_checked():
    given = {
        "HOME": "/h",
        "PORTCULLIS_CONTACT": " https://gate.example/bot ",
        "PORTCULLIS_OWN_SERVICES": "10.0.0.7:80, a.lan:8888,",
    }
    settings = settings_from(given)
    assert settings.contact == "https://gate.example/bot"
    assert settings.own_services == ("10.0.0.7:80", "a.lan:8888")
    for name, value in (
        ("PORTCULLIS_CONTACT", "a\nb"),
        ("PORTCULLIS_CONTACT", "bücher"),
        ("PORTCULLIS_OWN_SERVICES", "10.0.0.7"),
        ("PORTCULLIS_OWN_SERVICES", "http://10.0.0.7:80"),
        ("PORTCULLIS_OWN_SERVICES", "10.0.0.7:80/x"),
        ("PORTCULLIS_OWN_SERVICES", "0x0a.7:80"),
        ("PORTCULLIS_OWN_SERVICES", "A.lan:80"),
        ("PORTCULLIS_OWN_SERVICES", "me@a.lan:80"),
        ("PORTCULLIS_OWN_SERVICES", "*:80"),
    ):
        with pytest.raises(RequestInvalid):
            settings_from({"HOME": "/h", name: value})


def test_the_sandbox_is_required_only_where_the_operator_says_so():
    assert settings_from({"HOME": "/h"}).sandbox == "any"
    assert settings_from({"HOME": "/h", "PORTCULLIS_SANDBOX": " Full "}).sandbox == "full"
    for said in ("", "off", "none", "rlimits"):
        with pytest.raises(RequestInvalid, match="PORTCULLIS_SANDBOX"):
            settings_from({"HOME": "/h", "PORTCULLIS_SANDBOX": said})


def test_services_are_routed_by_the_operator_alone():
    assert settings_from({"HOME": "/h"}).search_routing == ()
    text = " paper = crossref ; summary=wikipedia,other;; "
    chosen = settings_from({"HOME": "/h", "PORTCULLIS_SEARCH_ROUTING": text})
    assert chosen.search_routing == (("paper", ("crossref",)), ("summary", ("wikipedia", "other")))
    assert (chosen.routed("summary"), chosen.routed("web")) == (("wikipedia", "other"), ())


@pytest.mark.parametrize("text", ["paper", "=crossref", "paper=", "paper=a,,b", "paper=a;paper=b", "paper=a,a"])
def test_a_routing_that_cannot_be_read_is_refused_by_name(text):
    with pytest.raises(RequestInvalid, match="PORTCULLIS_SEARCH_ROUTING"):
        settings_from({"HOME": "/h", "PORTCULLIS_SEARCH_ROUTING": text})


@pytest.mark.parametrize(
    ("routing", "words"),
    [
        (("recipes", ("crossref",)), "no provider serves `recipes`"),
        (("paper", ("nobody",)), "there is no provider `nobody`"),
        (("paper", ("wikipedia",)), "`wikipedia` does not serve `paper`"),
    ],
)
def test_a_routing_that_the_catalogue_does_not_know_is_refused(routing, words):
    settings = Settings(data_dir=Path("/d"), search_routing=(routing,))
    with pytest.raises(RequestInvalid, match=f"PORTCULLIS_SEARCH_ROUTING: {words}"):
        check_routing(read_providers(), settings)


def test_keys_are_read_in_one_place_and_masked():
    chosen = settings_from({"HOME": "/h", "PORTCULLIS_KEY_BAKERY": " s3cret ", "PORTCULLIS_KEY_EMPTY": " "})
    assert [name for name, _ in chosen.keys] == ["PORTCULLIS_KEY_BAKERY"]
    assert chosen.keys[0][1].get_secret_value() == "s3cret"
    assert "s3cret" not in f"{chosen!r}{chosen}{chosen.model_dump()}{chosen.model_dump_json()}"
    row = {"title": "B", "kinds": ("loaf",), "hosts": ("b.example",), "price_units": 1}
    entry = ProviderEntry(
        name="bakery",
        rate=RatePolicy(requests=1, per_ms=1),
        settings=("PORTCULLIS_KEY_BAKERY", "PORTCULLIS_KEY_MILL"),
        **row,
    )
    assert missing_settings(entry, chosen) == ("PORTCULLIS_KEY_MILL",)


@pytest.mark.parametrize("value", ["rye\u00fc", "a\x00b"])
def test_a_key_that_no_header_can_hold_is_refused_by_name(value):
    with pytest.raises(RequestInvalid, match="PORTCULLIS_KEY_BAKERY") as told:
        settings_from({"HOME": "/h", "PORTCULLIS_KEY_BAKERY": value})
    assert value not in str(told.value)


def test_a_base_url_is_an_own_service():
    chosen = settings_from({"HOME": "/h", "PORTCULLIS_URL_SEARXNG": " http://searx.internal:8080/base/ "})
    assert chosen.urls == (("PORTCULLIS_URL_SEARXNG", "http://searx.internal:8080/base"),)
    assert chosen.services_of_urls == ("searx.internal:8080",)
    assert settings_from({"HOME": "/h", "PORTCULLIS_URL_SEARXNG": " "}).urls == ()


@pytest.mark.parametrize(
    "value",
    ["searx", "ftp://a.example", "https://u:s3cret@a.example", "https://a.example?s3cret", "https://a.example/#b"],
)
def test_a_base_url_that_is_not_one_is_refused_by_name(value):
    with pytest.raises(RequestInvalid, match="PORTCULLIS_URL_SEARXNG") as told:
        settings_from({"HOME": "/h", "PORTCULLIS_URL_SEARXNG": value})
    assert "s3cret" not in str(told.value)


def _routed(kind, routing="", **given):
    chosen = settings_from({"HOME": "/h", "PORTCULLIS_SEARCH_ROUTING": routing, **given})
    return routed_providers(read_providers(), chosen, kind)


BRAVE = {"PORTCULLIS_KEY_BRAVE": "k" * 20}
SEARXNG = {"PORTCULLIS_URL_SEARXNG": "http://searx.internal:8080"}


def test_settings_make_a_provider_usable_and_a_routing_decides():
    assert _routed("web") == ()
    assert _routed("web", **BRAVE) == ("brave",)
    assert _routed("web", **BRAVE, **SEARXNG) == ("searxng", "brave")
    assert _routed("papers", **BRAVE, **SEARXNG) == ("searxng",)
    assert _routed("web", "web=wikipedia,brave", **SEARXNG) == ("wikipedia", "brave")
    assert _routed("web", "news=hackernews", **BRAVE) == ("brave",)
    # One of two keys is none, and a contact alone routes to nobody.
    assert _routed("web", PORTCULLIS_KEY_GOOGLE_CSE="k" * 20) == ()
    assert _routed("open_access", PORTCULLIS_CONTACT="a@b.example") == ()


def test_a_contact_is_needed_as_an_address():
    entry = read_providers().entry("unpaywall")
    for contact, missing in (
        ("", ("PORTCULLIS_CONTACT",)),
        ("https://a.example", ("PORTCULLIS_CONTACT",)),
        ("a@b.c", ()),
    ):
        assert missing_settings(entry, Settings(data_dir=Path("/d"), contact=contact)) == missing
