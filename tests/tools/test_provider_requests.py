"""Every provider over real HTTP on loopback: its request line, parameters, headers and body, and a body read back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from pydantic import SecretStr
from tests.fixtures.recorded import recorded
from tests.fixtures.services import SEARXNG, json_answer, services
from tests.fixtures.web import HandClock, Names, response

from app.system.provider_files import read_providers

MAIL = "ops@gate.example"
TABLE = read_providers()
KEYS = tuple(
    (name, SecretStr(f"key-of-{name[len('PORTCULLIS_KEY_') :].lower()}"))
    for entry in TABLE.providers
    for name in (*entry.settings, *entry.optional)
    if name.startswith("PORTCULLIS_KEY_")
)
PRIVATE = {"searx.internal": [["10.0.0.7"]]}


@dataclass(frozen=True)
class Case:
    """What a plan asks, what has to arrive at the service, and the recorded body that answers."""

    provider: str
    kind: str
    asked: dict
    path: str
    query: dict = field(default_factory=dict)
    headers: dict = field(default_factory=dict)
    body: dict | None = None
    recording: str | dict = ""
    host: str = ""


def _case(row: dict) -> Case:
    """A row of the data file; lists are what a plan would pass as tuples."""
    asked = {name: tuple(value) if isinstance(value, list) else value for name, value in row["asked"].items()}
    return Case(**{**row, "asked": asked})


CASES = tuple(map(_case, json.loads((Path(__file__).parent / "provider_requests.json").read_text(encoding="utf-8"))))


def _said(case: Case) -> bytes:
    if isinstance(case.recording, dict):
        return json_answer(case.recording)
    body, about = recorded(case.provider, case.recording)
    return response(body, about["status"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.provider}-{case.kind}-{len(case.asked)}")
async def test_a_request_and_the_records_of_its_answer(case):
    host = case.host or TABLE.entry(case.provider).hosts[0]
    answers = {host: _said(case)}
    more = {"names": Names(PRIVATE), "clock": HandClock()}
    async with services(answers, keys=KEYS, urls=(SEARXNG,), contact=MAIL, **more) as desk:
        got = await desk(case.provider, kind=case.kind, **{"query": "", **case.asked})
        (asked,) = desk.net.site.asked
    target = urlsplit(asked.target)
    assert (asked.field("host"), unquote(target.path)) == (host, case.path)
    told = dict(parse_qsl(target.query, keep_blank_values=True))
    told.pop("fields", None)
    assert told == case.query
    assert asked.method == ("GET" if case.body is None else "POST")
    assert json.loads(asked.body or "null") == case.body
    for name, value in case.headers.items():
        assert asked.field(name) == value
    assert asked.field("user-agent").endswith(f"(+{MAIL})")
    assert (got.status, got.spent_units) == ("ok", TABLE.entry(case.provider).price_units)
    for item in got.items:
        assert item.locator.startswith(("https://", "http://"))
        assert len(item.body) >= 20


def test_every_kind_of_every_provider_is_asked_here_or_is_a_follow_up():
    asked = {(case.provider, case.kind) for case in CASES}
    known = {name for name, _ in asked}
    served = {(entry.name, kind) for entry in TABLE.providers for kind in entry.kinds if entry.name in known}
    later = {("pubmed", "papers"), ("openalex", "citations"), ("openalex", "references")}
    same = {("exa", "web"), ("google_cse", "news"), ("searxng", "papers"), ("serper", "news")}
    assert asked | later | same == served


def _scripted(*bodies):
    """The bodies in turn."""
    todo = list(bodies)

    async def script(asked, writer):
        writer.write(todo.pop(0))

    return script


async def test_a_search_that_finds_numbers_fetches_the_works():
    first, _ = recorded("pubmed", "esearch_json_3hits")
    second, _ = recorded("pubmed", "efetch_pubmed_xml_2")
    host = "eutils.ncbi.nlm.nih.gov"
    async with services({host: _scripted(response(first), response(second))}, keys=KEYS) as desk:
        got = await desk("pubmed", kind="papers", query="rye", limit=3, year_from=2001)
        one, two = (dict(parse_qsl(urlsplit(asked.target).query)) for asked in desk.net.site.asked)
    assert (one["term"], one["retmax"]) == ("(rye) AND 2001:3000[dp]", "3")
    assert two["id"].split(",")[0] == "32150788"
    assert (got.status, got.spent_units) == ("ok", TABLE.entry("pubmed").price_units)
    assert dict(got.items[0].metadata)["service:total"] == "3"
    assert dict(got.items[0].metadata)["pmid"] == "11748933"


@pytest.mark.parametrize(("kind", "wanted"), [("citations", "cites:W5"), ("references", "openalex:W7|W8")])
async def test_the_works_around_a_work(kind, wanted):
    seed = {"id": "https://openalex.org/W5", "referenced_works": ["https://openalex.org/W7", "https://openalex.org/W8"]}
    found = {"meta": {"count": 9}, "results": [{"id": "https://openalex.org/W9", "title": "A work on rye"}]}
    script = _scripted(json_answer(seed), json_answer(found))
    async with services({"api.openalex.org": script}) as desk:
        got = await desk("openalex", kind=kind, query="", ids=("10.5555/a",), limit=4)
        one, two = desk.net.site.asked
    assert urlsplit(one.target).path == "/works/doi:10.5555/a"
    assert dict(parse_qsl(urlsplit(two.target).query)) == {"filter": wanted, "per_page": "4"}
    assert [item.locator for item in got.items] == ["https://openalex.org/W9"]


async def test_a_follow_up_that_fails_is_the_answer_of_the_provider():
    first = json_answer({"esearchresult": {"count": "1", "idlist": ["5"]}})
    later = response(b'{"error": "API rate limit exceeded", "api-key": "10.1.2.3"}', 429)
    async with services({"eutils.ncbi.nlm.nih.gov": _scripted(first, later)}) as desk:
        got = await desk("pubmed", kind="papers", query="rye")
    assert (got.status, [rung.fault.value for rung in got.rungs]) == ("unavailable", ["rate_limited"])
    assert "10.1.2.3" not in got.model_dump_json()
    assert desk.store.objects == {}


async def test_a_row_without_a_follow_up_takes_no_second_request():
    rows = tuple(
        entry if entry.name != "pubmed" else type(entry)(**{**dict(entry), "follow_up": False})
        for entry in TABLE.providers
    )
    table = type(TABLE)(catalog_version=1, providers=rows)
    first = json_answer({"esearchresult": {"count": "1", "idlist": ["5"]}})
    async with services({"eutils.ncbi.nlm.nih.gov": first}, table=table) as desk:
        got = await desk("pubmed", kind="papers", query="rye")
        assert len(desk.asked) == 1
    assert [rung.fault.value for rung in got.rungs] == ["unreadable"]


async def test_the_operators_own_search_is_asked_by_default_and_may_be_private():
    said = json_answer({"results": [{"url": "https://bakery.example/", "title": "Rye", "content": "Dark and dense."}]})
    names = Names(PRIVATE)
    async with services({"searx.internal": said}, urls=(SEARXNG,), routing=(), names=names) as desk:
        got = await desk("searxng", kind="web")
        other = await desk("wikipedia", kind="web")
    assert got.status == "ok"
    assert [rung.fault.value for rung in other.rungs] == ["not_routed"]


async def test_a_key_makes_a_provider_usable_and_a_routing_of_its_kind_decides():
    said = json_answer({"type": "search", "web": {"results": []}})
    keys = (("PORTCULLIS_KEY_BRAVE", SecretStr("key-of-brave")),)
    async with services({"api.search.brave.com": said}, keys=keys, routing=()) as desk:
        used = await desk("brave", kind="web")
    async with services({}, keys=keys, routing=(("web", ("wikipedia",)),)) as desk:
        refused = await desk("brave", kind="web")
        assert desk.asked == []
    assert used.status == "empty"
    assert [rung.fault.value for rung in refused.rungs] == ["not_routed"]
