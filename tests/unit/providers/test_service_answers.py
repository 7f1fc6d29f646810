"""What all providers read answers with, and the one function that a confined process runs for them."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from app.kernel.errors import ContractViolation
from app.kernel.providers import Access, Fault, HttpAnswer, ProviderError, ServiceQuery
from app.parsing.refusal import ParseRefused
from app.parsing.services.search_options import OPTION_VALUES
from app.parsing.services.service_answers import (
    lines_of,
    load_records,
    plain_fragment,
    status_fault,
    text_of,
    total_of,
    web_locator,
)
from app.system.provider_code import AnswerAbout, load_provider, provider_modules, read_answer
from app.system.provider_files import read_providers

ROOT = Path(__file__).parents[3]
ACCESS = Access(contact="a@b.example", urls=(("PORTCULLIS_URL_SEARXNG", "https://search.bakery.example"),))


def test_numbers_stay_what_they_were_written_as():
    said = load_records(b'\xef\xbb\xbf{"a": 1.50, "b": -0, "c": 1e400, "d": 123456789012345678901234567890, "e": true}')
    assert said == {"a": "1.50", "b": "-0", "c": "1e400", "d": "123456789012345678901234567890", "e": True}


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff", b"NaN", b"[1, Infinity]", b"[" * 100_000, b" " * 5_000_001],
    ids=["empty", "cut", "bytes", "nan", "infinity", "deep", "long"],
)
def test_what_is_not_json_is_refused(body):
    with pytest.raises(ParseRefused):
        load_records(body)


def test_texts():
    assert text_of(" a\n b\ud800 ") == "a b"
    assert (text_of(5), text_of(None), text_of(["a"]), text_of("abc", 2)) == ("", "", "", "ab")
    assert lines_of("a  b\n\n c <b>\u00a0d") == "a b\nc <b> d"
    assert (lines_of(5), plain_fragment(None)) == ("", "")
    assert plain_fragment("x < y<br/>z &amp; <b class='q'>w</b>") == "x < y\nz & w"
    assert (total_of("12"), total_of("1.5"), total_of("1" * 19), total_of(12)) == ("12", None, None, None)
    assert web_locator("https://a.example/b") == "https://a.example/b"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://a.example",
        "javascript:alert(1)",
        "data:text/html,rye",
        "https://a b",
        "https://",
        "https:///path",
        "https://a.example/\n",
        "https://a.example/\x00",
        "https://user:secret@a.example/",
        "https://127.0.0.1/",
        "https://localhost/",
        "https://a.example/" + "x" * 2_000,
    ],
)
def test_places_where_no_source_is(url):
    assert web_locator(url) == ""


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (200, None),
        (299, None),
        (302, Fault.PROVIDER_DOWN),
        (400, Fault.BAD_REQUEST),
        (401, Fault.AUTH),
        (402, Fault.QUOTA),
        (403, Fault.AUTH),
        (409, Fault.BAD_REQUEST),
        (418, Fault.BAD_REQUEST),
        (451, Fault.BLOCKED),
        (429, Fault.RATE_LIMITED),
        (500, Fault.PROVIDER_DOWN),
    ],
)
def test_statuses(status, fault):
    found = status_fault(HttpAnswer(status=status, headers=(("retry-after", "99999999999"),)))
    assert found == (None if fault is None else ProviderError(fault=fault, retry_after_s=10**9))


def test_texts_come_out_clean_and_what_was_taken_out_is_kept_for_the_screen():
    row = {"title": "Lo\u200baf", "snippet": "Rye \x07wants more water\u202e than wheat does"}
    body = json.dumps({"query": {"search": [row]}}).encode()
    about = AnswerAbout(provider="wikipedia", kind="web").model_dump_json()
    (hit,) = read_answer(body, about).hits
    assert (hit.title, hit.text) == ("Loaf", "Rye wants more water than wheat does")
    assert hit.carriers_removed == 2
    assert hit.hidden == ("Lo\u200baf", "Rye wants more water\u202e than wheat does")


def test_a_process_is_asked_once_before_its_doors_close():
    assert read_answer(b"", "") == ProviderError(fault=Fault.UNREADABLE)
    with pytest.raises(ValueError):
        read_answer(b"", "{}")


def test_every_row_of_the_catalogue_has_its_code():
    table = read_providers()
    assert len(table.providers) >= 2
    package = AnswerAbout.__module__.partition(".system.")[0]  # the tests run under two names
    assert provider_modules(table) == tuple(f"{package}.providers.{entry.name}" for entry in table.providers)
    assert [entry.name for entry in table.providers] == sorted(entry.name for entry in table.providers)
    for entry in table.providers:
        code = load_provider(entry.name)
        assert callable(code.request)
        assert callable(code.parse)
        assert set(code.OPTIONS) <= set(entry.kinds)
        assert {name for names in code.OPTIONS.values() for name in names} <= set(OPTION_VALUES)
        for kind in ("nobody", *entry.kinds):  # a kind that the file does not know says so; one of the row never does
            got = code.request(ServiceQuery(kind=kind, query="rye", ids=("10.5555/a",)), ACCESS)
            refused = isinstance(got, ProviderError) and got.fault is Fault.UNSUPPORTED
            assert refused is (kind == "nobody"), (entry.name, kind)


def test_no_provider_knows_another():
    files = sorted((ROOT / "backend" / "app" / "providers").glob("*.py"))
    assert len(files) >= 3
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                # Two dots lead out of the room, to the kernel and to parsing.
                assert (node.level, (node.module or "").partition(".")[0]) in ((2, "kernel"), (2, "parsing")), path.name


def _catalogue(folder, change):
    table = json.loads(read_providers().model_dump_json())
    change(table)
    (folder / "providers.json").write_text(json.dumps(table), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: table.update(catalog_version=2), "catalog_version"),
        (lambda table: table["providers"].append(table["providers"][0]), "listed twice"),
        (lambda table: table["providers"][0].update(price_units=0), "providers.0.price_units"),
        (lambda table: table["providers"][0].update(price_units=-1), "providers.0.price_units"),
        (lambda table: table["providers"][0].update(kinds=["a", "a"]), "a kind is listed twice"),
        (lambda table: table["providers"][0].update(documented=["nobody"]), "`documented` has to leave out a kind"),
        (lambda table: table["providers"][0].update(kinds=[]), "providers.0.kinds"),
        (lambda table: table["providers"][0].update(hosts=[]), "either hosts or the setting of a base URL"),
        (lambda table: table["providers"][0].update(hosts=["*"]), "providers.0.hosts.0"),
        (lambda table: table["providers"][0].update(settings=["HOME"]), "providers.0.settings.0"),
        (lambda table: table["providers"][0].update(name="os.path"), "providers.0.name"),
        (lambda table: table["providers"][0].update(name="nobody"), "`nobody` has no file"),
        (lambda table: table["providers"][0].update(name="__init__"), "providers.0.name"),
        (lambda table: table["providers"][0].update(extra=1), "providers.0.extra"),
    ],
)
def test_a_catalogue_that_does_not_hold_is_refused(change, words, tmp_path):
    with pytest.raises(ContractViolation, match=words):
        read_providers(_catalogue(tmp_path, change))


def test_a_catalogue_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ContractViolation, match=r"providers\.json"):
        read_providers(tmp_path)
    (tmp_path / "providers.json").write_bytes(b"[]")
    with pytest.raises(ContractViolation, match="the file"):
        read_providers(tmp_path)
