"""The tool `services` over loopback: the ladder in order, each fault named, nothing passed over in silence."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from pydantic import SecretStr
from tests.fixtures.services import CONTEXT, Store, json_answer, ladder, services
from tests.fixtures.web import Names, response

from app import Settings
from app.kernel.calls import ToolCall
from app.kernel.canonical import sha256_hex
from app.kernel.errors import ContractViolation, DestinationForbidden, RequestInvalid
from app.kernel.providers import Fault, RatePolicy
from app.kernel.results import RawResult, SourceKind, UnavailableKind
from app.system.catalog_files import read_catalog
from app.system.clock import SystemClock
from app.tools.services import PRICE_UNITS
from app.tools.toolbox import open_toolbox

SEARCH = {
    "query": {
        "searchinfo": {"totalhits": 2},
        "search": [
            {
                "title": "Cold proof",
                "pageid": 11,
                "wordcount": 420,
                "snippet": 'Dough that <span class="searchmatch">rests</span> in the cold &amp; rises slowly',
                "timestamp": "2025-01-02T03:04:05Z",
            },
            {"title": "Bread & butter", "pageid": 12, "snippet": "A plain loaf with butter, as northern people eat it"},
        ],
    },
    "continue": {"sroffset": 2},
}
TEXT = "A loaf that rests in the cold keeps for days"


def _rows(*texts, **more):
    rows = [{"at": f"https://shop.example/{n}", "title": f"Loaf {n}", "text": text} for n, text in enumerate(texts)]
    return json_answer({"rows": rows, **more})


OK = _rows(TEXT)
LATER = response(b"later", 429)


async def _cut_off(asked, writer):
    writer.write(b"HTTP/1.1 200 Said\r\nContent-Length: 500\r\n\r\ncut")
    writer.close()


def _told(got):
    return [(rung.provider, rung.fault and rung.fault.value) for rung in got.rungs]


async def test_a_search_of_wikipedia_end_to_end():
    async with services({"en.wikipedia.org": json_answer(SEARCH)}, contact="ops@gate.example") as desk:
        got = await desk("wikipedia", kind="web", query="cold proof", limit=2)
        (asked,) = desk.net.site.asked
        body = json.dumps(SEARCH).encode()
        assert desk.store.get("acme", sha256_hex(body)) == body
    assert asked.target == "/w/api.php?action=query&format=json&list=search&srsearch=cold+proof&srlimit=2"
    assert asked.field("user-agent").startswith("Portcullis/")
    assert asked.field("user-agent").endswith("(+ops@gate.example)")
    assert (got.status, got.spent_units, _told(got)) == ("ok", 1, [("wikipedia", None)])
    first, second = got.items
    assert (first.kind, first.payload) == (SourceKind.HIT, "record")
    assert (first.locator, first.title) == ("https://en.wikipedia.org/wiki/Cold_proof", "Cold proof")
    assert second.locator == "https://en.wikipedia.org/wiki/Bread_%26_butter"
    assert first.body == "Dough that rests in the cold & rises slowly"
    assert (first.content_hash, first.text_hash) == (sha256_hex(body), sha256_hex(first.body.encode()))
    facts = dict(first.metadata)
    assert (facts["words"], facts["service:provider"], facts["service:total"]) == ("420", "wikipedia", "2")
    assert (facts["service:position"], facts["service:next_page"]) == ("0", "2")


async def test_a_search_of_crossref_says_how_to_be_reached():
    work = {"DOI": "10.5555/loaf.1", "title": ["On <i>cold</i> loaves"], "abstract": f"<jats:p>{TEXT}.</jats:p>"}
    said = {"status": "ok", "message-type": "work-list", "message": {"total-results": 1, "items": [work]}}
    async with services({"api.crossref.org": json_answer(said)}, contact="ops@gate.example") as desk:
        got = await desk("crossref", kind="papers", query="cold loaves", limit=3)
    assert desk.asked == [("api.crossref.org", "/works?query=cold+loaves&rows=3&mailto=ops%40gate.example")]
    (item,) = got.items
    assert (item.locator, item.title, item.body) == ("https://doi.org/10.5555/loaf.1", "On cold loaves", f"{TEXT}.")


@pytest.mark.ruling("R3")
@pytest.mark.ruling("R11")
@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (LATER, "rate_limited"),
        (response(b"later", 429, [("Retry-After", "7")]), "rate_limited"),
        (response(b"broken", 500), "provider_down"),
        (response(b"who?", 401), "auth"),
        (response(b"pay", 402), "quota"),
        (response(b"what?", 400), "bad_request"),
        (response(b"", 204), "unreadable"),
        (response(b"<html>down for repairs</html>", fields=[("Content-Type", "text/html")]), "unreadable"),
        (response(b'{"rows": [{"at"', fields=[("Content-Type", "application/json")]), "unreadable"),
        (response(b"[" * 200_000, fields=[("Content-Type", "application/json")]), "unreadable"),
        (json_answer({"rows": [{}]}), "unreadable"),
        (json_answer({"error": "quota"}), "quota"),
        (json_answer({"error": "provider_down"}), "provider_down"),
        (response(b"{}", fields=[("Content-Encoding", "gzip")]), "unreadable"),
        (response(b"moved", 302, [("Location", "https://elsewhere.example/")]), "refused_destination"),
        (response(b"moved", 302, [("Location", "http://first.example/")]), "refused_destination"),
        (_cut_off, "unreachable"),
    ],
)
async def test_a_provider_that_cannot_answer_is_passed_over_and_told(answer, fault):
    async with services({"first.example": answer, "second.example": OK, "third.example": OK}) as desk:
        got = await desk("first", "second", "third")
    assert (got.status, _told(got)) == ("ok", [("first", fault), ("second", None)])
    assert got.spent_units == 4
    assert [host for host, _ in desk.asked] == ["first.example", "second.example"]
    assert got.items[0].body == TEXT


async def test_the_order_is_that_of_the_plan():
    async with services(dict.fromkeys(("first.example", "third.example"), OK)) as desk:
        got = await desk("third", "first")
    assert _told(got) == [("third", None)]


async def test_a_huge_body_is_passed_over():
    async def endless(asked, writer):
        writer.write(b"HTTP/1.1 200 Said\r\nContent-Type: application/json\r\n\r\n")
        for _ in range(7):
            writer.write(b" " * 1_000_000)
            await writer.drain()

    async with services({"first.example": endless, "second.example": OK}) as desk:
        got = await desk("first", "second")
    assert _told(got) == [("first", "too_large"), ("second", None)]


@pytest.mark.ruling("R2")
async def test_one_that_hangs_leaves_time_for_the_next():
    async def hangs(asked, writer):
        await asyncio.sleep(30)

    context = CONTEXT.model_copy(update={"own_deadline_ms": 2_000})
    async with services({"first.example": hangs, "second.example": OK}) as desk:
        got = await desk("first", "second", context=context)
        assert _told(got) == [("first", "slow"), ("second", None)]
        started = time.monotonic()
        alone = await desk("first", context=context)
    assert time.monotonic() - started < 10
    assert (alone.status, alone.unavailable) == ("unavailable", UnavailableKind.PROVIDER_DOWN)
    assert (_told(alone), alone.spent_units) == ([("first", "slow")], 2)


@pytest.mark.ruling("R2")
async def test_a_deadline_that_is_hardly_one_is_slow_and_not_a_crash():
    context = CONTEXT.model_copy(update={"own_deadline_ms": 1})
    async with services({"first.example": OK}) as desk:
        got = await desk("first", context=context)
    assert (got.unavailable, _told(got)) == (UnavailableKind.PROVIDER_DOWN, [("first", "slow")])
    assert (desk.asked, got.spent_units) == ([], 0)


@pytest.mark.ruling("R3")
@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ((LATER, LATER), UnavailableKind.RATE_LIMITED),
        ((LATER, response(b"pay", 402)), UnavailableKind.RATE_LIMITED),
        ((LATER, response(b"broken", 503)), UnavailableKind.PROVIDER_DOWN),
        ((response(b"broken", 500), response(b"broken", 500)), UnavailableKind.PROVIDER_DOWN),
    ],
)
async def test_a_ladder_without_an_answer_is_never_the_absence_of_a_source(answers, kind):
    async with services(dict(zip(("first.example", "second.example"), answers, strict=True))) as desk:
        got = await desk("first", "second")
    assert (got.status, got.unavailable, got.spent_units) == ("unavailable", kind, 4)
    assert [rung.provider for rung in got.rungs] == ["first", "second"]


@pytest.mark.ruling("R2")
async def test_asked_and_answered_with_nothing_is_empty():
    async with services({"first.example": json_answer({"rows": []}), "second.example": OK}) as desk:
        searched = await desk("first", "second")
        unknown = await desk("crossref", kind="paper", query="", ids=("10.5555/none",))
    assert (searched.status, _told(searched), searched.spent_units) == ("empty", [("first", None)], 2)
    assert (unknown.status, _told(unknown)) == ("empty", [("crossref", "not_found")])
    assert desk.store.objects == {}


async def test_a_redirect_on_the_same_host_is_followed():
    async def moved(asked, writer):
        there = asked.target.startswith("/there")
        writer.write(OK if there else response(b"", 302, [("Location", "/there")]))

    async with services({"first.example": moved}) as desk:
        got = await desk("first")
    assert _told(got) == [("first", None)]


@pytest.mark.ruling("R16")
async def test_a_redirect_to_a_private_place_ends_the_session():
    moved = response(b"moved", 302, [("Location", "https://127.0.0.1/")])
    async with services({"first.example": moved, "second.example": OK}) as desk:
        with pytest.raises(DestinationForbidden):
            await desk("first", "second")


@pytest.mark.ruling("R16")
async def test_a_provider_whose_name_leads_inside_is_passed_over():
    names = Names({"first.example": [["10.0.0.1"]]})
    async with services({"second.example": OK}, names=names) as desk:
        got = await desk("first", "second")
    assert _told(got) == [("first", "refused_destination"), ("second", None)]


async def test_a_request_beyond_the_hosts_of_its_row_asks_nobody():
    async with services({"elsewhere.example": OK}) as desk:
        got = await desk("first", query="elsewhere")
        assert desk.net.names.asked == []
    assert _told(got) == [("first", "refused_destination")]


async def test_a_body_and_a_key_go_to_the_provider_alone():
    keys = (("PORTCULLIS_KEY_FIRST", SecretStr("s3cret")), ("PORTCULLIS_KEY_OTHER", SecretStr("other")))
    table = ladder(first={"settings": ("PORTCULLIS_KEY_FIRST",)})
    async with services({"first.example": OK}, table=table, keys=keys) as desk:
        got = await desk("first", query="post")
        (asked,) = desk.net.site.asked
    assert (asked.method, asked.body, asked.field("x-key")) == ("POST", b'{"q": "post"}', "s3cret")
    assert "s3cret" not in got.model_dump_json()


async def test_nobody_is_asked_unless_the_operator_says_so():
    table = ladder(second={"settings": ("PORTCULLIS_KEY_SECOND",)})
    async with services({"third.example": OK}, table=table, routing=(("things", ("second", "third")),)) as desk:
        got = await desk("first", "second")
        assert desk.asked == []
        mixed = await desk("first", "second", "nobody", "third")
    assert (got.status, got.unavailable, got.spent_units) == ("unavailable", UnavailableKind.AUTH, 0)
    assert _told(got) == [("first", "not_routed"), ("second", "not_configured")]
    assert _told(mixed)[2:] == [("nobody", "not_routed"), ("third", None)]
    assert mixed.spent_units == 2


@pytest.mark.ruling("R11")
async def test_a_ladder_never_costs_more_than_the_tool():
    table = ladder(first={"price_units": 35}, second={"price_units": 6}, third={"price_units": 5})
    async with services({"first.example": LATER, "second.example": OK, "third.example": OK}, table=table) as desk:
        got = await desk("first", "second", "third")
    assert _told(got) == [("first", "rate_limited"), ("second", "over_price"), ("third", None)]
    assert got.spent_units == 40


async def test_a_question_that_a_provider_cannot_be_asked_costs_nothing():
    async with services({}) as desk:
        got = await desk("first", query="unsupported")
    assert (_told(got), got.spent_units, got.unavailable) == (
        [("first", "unsupported")],
        0,
        UnavailableKind.PROVIDER_DOWN,
    )


async def test_who_asks_to_be_left_alone_is_left_alone():
    later = response(b"later", 429, [("Retry-After", "60")])
    async with services({"first.example": later, "second.example": OK}) as desk:
        one, two = await desk("first", "second"), await desk("first", "second")
    assert one.rungs[0].retry_after_s == 60
    assert two.rungs[0].fault is Fault.RATE_LIMITED
    assert 0 < two.rungs[0].retry_after_s <= 60
    assert [host for host, _ in desk.asked] == ["first.example", "second.example", "second.example"]
    assert two.spent_units == 2


async def test_a_date_of_return_reaches_the_parser_in_seconds():
    later = response(b"later", 429, [("Retry-After", "Fri, 31 Dec 2100 23:59:59 GMT")])
    async with services({"first.example": later}) as desk:
        got = await desk("first")
    assert got.rungs[0].retry_after_s > 10**6


async def test_the_rate_of_a_row_is_kept():
    table = ladder(first={"rate": RatePolicy(requests=1, per_ms=60_000)})
    async with services({"first.example": OK, "second.example": OK}, table=table) as desk:
        one, two = await desk("first", "second"), await desk("first", "second")
    assert _told(one) == [("first", None)]
    assert _told(two) == [("first", "rate_limited"), ("second", None)]


async def test_a_short_wait_for_a_turn_is_waited():
    table = ladder(first={"rate": RatePolicy(requests=1, per_ms=200)})
    async with services({"first.example": OK}, table=table) as desk:
        started = time.monotonic()
        await desk("first")
        got = await desk("first")
    assert _told(got) == [("first", None)]
    assert time.monotonic() - started >= 0.2


@pytest.mark.parametrize(
    "params",
    [
        {"providers": ()},
        {"providers": "first"},
        {"providers": ("../first",)},
        {"providers": ("first",) * 17},
        {"limit": 0},
        {"limit": 201},
        {"kind": "no such"},
        {"query": 5},
    ],
)
async def test_parameters_that_no_plan_may_set(params):
    async with services({}) as desk:
        with pytest.raises(ContractViolation):
            await desk("first", **params)
        assert desk.asked == []


async def test_an_option_that_a_provider_does_not_know_is_not_dropped():
    async with services({"de.wikipedia.org": json_answer(SEARCH)}) as desk:
        german = await desk("wikipedia", kind="web", language="de")
        dated = await desk("wikipedia", kind="web", since="2024")
    assert german.items[0].locator == "https://de.wikipedia.org/wiki/Cold_proof"
    assert _told(dated) == [("wikipedia", "unsupported")]


async def test_one_process_reads_the_answers_of_all_providers():
    async with services({"first.example": OK, "en.wikipedia.org": json_answer(SEARCH)}) as desk:
        await desk("first")
        pids = desk.tool._reader.pids  # the pool is the tool's own
        await desk("wikipedia", kind="web")
        assert desk.tool._reader.pids == pids
    assert len(pids) == 1


async def test_the_tool_of_the_toolbox_reads_with_the_catalogue_alone(tmp_path):
    routing = (("web", ("wikipedia",)),)
    async with services({"en.wikipedia.org": json_answer(SEARCH)}) as desk:
        settings = Settings(data_dir=tmp_path, search_routing=routing)
        toolbox = open_toolbox(settings, (), SystemClock(), desk.store, None, desk.net.machine)
        params = (("kind", "web"), ("query", "rye"), ("providers", ("wikipedia", "crossref")))
        try:
            got = await toolbox["services"].call(ToolCall(call_id="c1", tool="services", params=params), CONTEXT)
        finally:
            await toolbox.aclose()
    assert (got.status, len(got.items)) == ("ok", 2)


async def test_a_toolbox_without_routing_asks_nobody(tmp_path):
    async with services({}) as desk:
        settings = Settings(data_dir=tmp_path)
        toolbox = open_toolbox(settings, (), SystemClock(), desk.store, None, desk.net.machine)
        params = (("kind", "paper"), ("ids", ("10.5555/a",)), ("providers", ("crossref",)))
        try:
            got = await toolbox["services"].call(ToolCall(call_id="c1", tool="services", params=params), CONTEXT)
        finally:
            await toolbox.aclose()
        assert desk.asked == []
    assert (got.unavailable, _told(got)) == (UnavailableKind.AUTH, [("crossref", "not_routed")])


def test_a_toolbox_with_a_routing_that_is_wrong_does_not_open(tmp_path):
    settings = Settings(data_dir=tmp_path, search_routing=(("paper", ("wikipedia",)),))
    with pytest.raises(RequestInvalid, match="PORTCULLIS_SEARCH_ROUTING"):
        open_toolbox(settings, (), SystemClock(), Store())


def test_the_row_of_the_tool_costs_what_a_ladder_may():
    entry = read_catalog().tools.entry("services")
    assert entry is not None
    assert entry.price_units == PRICE_UNITS
    assert entry.effect == "none"


def test_a_result_without_a_ladder_is_written_as_before():
    assert "rungs" not in RawResult(status="empty").model_dump_json()


UNKNOWN = json_answer({"error": "not_found"})


@pytest.mark.ruling("R3")
@pytest.mark.parametrize(
    ("answers", "ids", "status"),
    [
        ((UNKNOWN, OK), ("a",), "ok"),
        ((UNKNOWN, UNKNOWN), ("a",), "empty"),
        ((UNKNOWN, response(b"broken", 503)), ("a",), "unavailable"),
        ((UNKNOWN, UNKNOWN), (), "unavailable"),
    ],
)
async def test_an_id_does_not_exist_where_everybody_says_so(answers, ids, status):
    async with services(dict(zip(("first.example", "second.example"), answers, strict=True))) as desk:
        got = await desk("first", "second", ids=ids)
    assert (got.status, got.rungs[0].fault) == (status, Fault.NOT_FOUND)


async def test_an_answer_to_something_else_is_not_a_question_that_is_not_supported():
    async with services({"first.example": json_answer({"error": "unsupported"})}) as desk:
        got = await desk("first")
    assert _told(got) == [("first", "unreadable")]
    assert got.spent_units == 2
