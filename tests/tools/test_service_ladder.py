"""The ladder of `services` over loopback: order, forced providers, breakers, rate headers, stored answers."""

from __future__ import annotations

import asyncio
import json

import pytest
from pydantic import SecretStr
from tests.fixtures.services import CONTEXT, Store, json_answer, ladder, services
from tests.fixtures.web import HandClock, response

from app.kernel.providers import Fault, RatePolicy
from app.kernel.results import UnavailableKind
from app.system.lens_files import Lens, read_lenses
from app.system.provider_files import read_providers
from app.tools.service_breaker import ProviderBreakers
from app.tools.services import PRICE_UNITS

TEXT = "A loaf that rests in the cold keeps for days"
OK = json_answer({"rows": [{"at": "https://shop.example/1", "title": "Loaf", "text": TEXT}]})
NONE = json_answer({"rows": []})
DOWN = response(b"broken", 500)
THINGS = (("things", ("second", "first")),)
WEB = (("web", ("wikipedia",)),)


class Kept:
    """A response cache in memory."""

    def __init__(self):
        self.rows = {}

    def get(self, tenant, key):
        return self.rows.get((tenant, key))

    def put(self, tenant, key, response):
        self.rows[tenant, key] = response


def _told(got):
    return [(rung.provider, rung.fault and rung.fault.value) for rung in got.rungs]


def _scripted(*answers):
    todo = list(answers)

    async def script(asked, writer):
        writer.write(todo.pop(0) if len(todo) > 1 else todo[0])

    return script


async def test_without_a_ladder_the_order_of_the_operator_is_asked():
    async with services({"first.example": OK, "second.example": DOWN}, routing=THINGS) as desk:
        got = await desk()
    assert _told(got) == [("second", "provider_down"), ("first", None)]
    assert [(offer.kind, offer.name, offer.usable) for offer in got.offered] == [
        ("things", "second", True),
        ("things", "first", True),
    ]


async def test_nobody_is_configured():
    async with services({}, routing=()) as desk:
        got = await desk(kind="web")
    assert (got.status, got.unavailable, got.rungs, got.spent_units) == ("unavailable", UnavailableKind.AUTH, (), 0)
    assert desk.asked == []


async def test_a_forced_provider_never_falls_back():
    async with services({"first.example": OK, "second.example": DOWN}) as desk:
        got = await desk(provider="second")
    assert (got.status, _told(got)) == ("unavailable", [("second", "provider_down")])
    assert [host for host, _ in desk.asked] == ["second.example"]


@pytest.mark.parametrize(
    ("name", "fault", "missing"),
    [
        ("brave", "not_configured", ("PORTCULLIS_KEY_BRAVE",)),
        ("duckduckgo", "not_routed", ()),
        ("bing", "not_routed", ()),
        ("openalex", "not_routed", ()),
    ],
)
async def test_a_forced_provider_that_cannot_be_asked_is_an_error_with_choices(name, fault, missing):
    async with services({}, routing=WEB) as desk:
        got = await desk(kind="web", provider=name)
        assert desk.asked == []
    (rung,) = got.rungs
    assert (got.unavailable, rung.fault.value, rung.missing, got.spent_units) == (
        UnavailableKind.AUTH,
        fault,
        missing,
        0,
    )
    assert [offer.name for offer in got.offered if offer.usable] == ["wikipedia"]
    assert {"brave", "duckduckgo", "wikipedia"} <= {offer.name for offer in got.offered}


def test_the_price_of_the_tool_covers_every_ladder_of_the_catalogue():
    table = read_providers()
    for kind in table.kinds:
        assert sum(entry.price_units for entry in table.providers if kind in entry.kinds) <= PRICE_UNITS, kind


async def test_a_breaker_opens_after_failures_in_a_row_and_lets_one_probe_through():
    clock = HandClock()
    answers = {"first.example": _scripted(*[DOWN] * 6, OK), "second.example": OK}
    async with services(answers, clock=clock) as desk:
        for _ in range(5):
            got = await desk("first", "second")
            assert _told(got) == [("first", "provider_down"), ("second", None)]
        asked = len(desk.asked)
        shut = await desk("first", "second")
        assert _told(shut) == [("first", "circuit_open"), ("second", None)]
        assert (shut.rungs[0].breaker, shut.rungs[0].retry_after_s) == ("open", 30)
        assert len(desk.asked) == asked + 1
        assert [offer.healthy for offer in shut.offered] == [False, True, True]
        clock.now += 30_000
        probe = await desk("first", "second")
        assert (probe.rungs[0].breaker, probe.rungs[0].fault.value) == ("half_open", "provider_down")
        clock.now += 30_000  # a probe that failed doubles the pause
        assert (await desk("first", "second")).rungs[0].fault.value == "circuit_open"
        clock.now += 30_000
        again = await desk("first", "second")
        assert (_told(again), again.rungs[0].breaker) == ([("first", None)], "half_open")
        assert (await desk("first")).rungs[0].breaker is None


@pytest.mark.parametrize(
    "answer", [response(b"who?", 401), response(b"what?", 400), response(b"later", 429, [("Retry-After", "0")])]
)
async def test_what_a_request_provoked_does_not_count(answer):
    clock = HandClock()
    async with services({"first.example": answer}, clock=clock) as desk:
        for _ in range(8):
            clock.now += 100_000
            await desk("first")
        assert len(desk.asked) == 8


async def test_a_caller_in_a_hurry_closes_no_provider_for_others():
    async def late(asked, writer):
        await asyncio.sleep(5)

    async with services({"first.example": late, "second.example": OK}) as desk:
        hurried = CONTEXT.model_copy(update={"own_deadline_ms": 700})
        for _ in range(6):
            assert _told(await desk("first", "second", context=hurried))[0] == ("first", "slow")


def test_only_one_probe_at_a_time_and_a_withdrawn_one_leaves_room():
    clock = HandClock()
    breakers = ProviderBreakers(clock)
    for _ in range(5):
        assert breakers.admit("first") == "closed"
        breakers.report("first", Fault.SLOW)
    clock.now += 30_000
    assert [breakers.admit("first") for _ in range(3)] == ["half_open", "open", "open"]
    breakers.withdraw("first")
    assert breakers.admit("first") == "half_open"
    breakers.report("first", Fault.UNREADABLE)  # neither alive nor dead
    assert breakers.admit("first") == "half_open"
    breakers.report("first", None)
    assert (breakers.state("first"), breakers.open_for_s("first")) == ("closed", 0)


async def test_rate_headers_take_the_place_of_the_row():
    """Crossref's limits vary; the row says a thousand, the header one in two seconds."""
    clock = HandClock()
    slow = json_answer({"rows": []}, X_Rate_Limit_Limit="1", X_Rate_Limit_Interval="2s")
    async with services({"first.example": slow}, clock=clock) as desk:
        await desk("first")
        assert _told(await desk("first")) == [("first", "rate_limited")]
        clock.now += 2_000
        assert _told(await desk("first")) == [("first", None)]


async def test_a_window_that_is_used_up_closes_a_provider_and_is_recorded():
    clock = HandClock()
    last = json_answer(
        {"rows": []}, X_RateLimit_Limit="1, 15000", X_RateLimit_Remaining="1, 0", X_RateLimit_Reset="1, 90"
    )
    async with services({"first.example": last}, clock=clock) as desk:
        got = await desk("first")
        assert got.rungs[0].rate_left == 0
        shut = await desk("first")
        assert (_told(shut), shut.rungs[0].retry_after_s) == ([("first", "rate_limited")], 90)


async def test_a_throttle_without_retry_after_is_a_pause_that_grows():
    clock = HandClock()
    async with services({"first.example": _scripted(*[response(b"later", 429)] * 2, NONE)}, clock=clock) as desk:
        await desk("first")
        assert (await desk("first")).rungs[0].retry_after_s == 2
        clock.now += 2_000
        await desk("first")
        assert (await desk("first")).rungs[0].retry_after_s == 4
        clock.now += 4_000
        assert (await desk("first")).status == "empty"


async def test_a_used_up_quota_is_not_asked_again_soon():
    clock = HandClock()
    async with services({"first.example": response(b"pay", 402)}, clock=clock) as desk:
        assert _told(await desk("first")) == [("first", "quota")]
        clock.now += 60_000
        assert (await desk("first")).rungs[0].retry_after_s == 540
        assert len(desk.asked) == 1


async def test_a_stored_answer_is_used_within_its_age_by_its_tenant_alone():
    clock, kept = HandClock(), Kept()
    async with services({"first.example": OK}, clock=clock, cache=kept) as desk:
        fresh = await desk("first", max_age_s=60)
        clock.now += 60_000
        stored = await desk("first", max_age_s=60)
        assert (stored.age_ms, stored.max_age_ms, stored.spent_units) == (60_000, 60_000, 0)
        assert (fresh.rungs[0].cached, stored.rungs[0].cached) == (False, True)
        assert stored.items == fresh.items
        assert len(desk.asked) == 1
        clock.now += 1
        assert (await desk("first", max_age_s=60)).age_ms is None
        assert (await desk("first")).age_ms is None  # whoever allows no age gets none
        assert (await desk("first", max_age_s=60, query="rye")).age_ms is None
        other = CONTEXT.model_copy(update={"tenant": "umbrella"})
        assert (await desk("first", context=other, max_age_s=600)).age_ms is None


async def test_nothing_and_errors_are_not_stored():
    clock, kept = HandClock(), Kept()
    async with services({"first.example": NONE, "second.example": DOWN}, clock=clock, cache=kept) as desk:
        await desk("second", "first", max_age_s=60)
    assert kept.rows == {}


async def test_a_wish_is_left_out_where_it_is_not_known_and_that_is_recorded():
    said = {"query": {"search": [{"title": "Rye", "pageid": 1, "snippet": "Rye is a grass that is grown as a grain"}]}}
    async with services({"en.wikipedia.org": json_answer(said)}, routing=WEB) as desk:
        got = await desk(kind="web", safe="medium", wishes=("safe",))
        assert (_told(got), got.rungs[0].left_out) == ([("wikipedia", None)], ("safe",))
        assert _told(await desk(kind="web", safe="medium")) == [("wikipedia", "unsupported")]


LENS = Lens(name="bakeries", title="Bakeries", description="x", sites=("bakery.example", "mill.example"))


async def test_a_lens_becomes_sites_or_goes_to_its_own_engine():
    google = json_answer({"kind": "customsearch#search", "items": [{"link": "https://bakery.example/", "title": "B"}]})
    brave = json_answer({"type": "search", "web": {"results": []}})
    keys = tuple((f"PORTCULLIS_KEY_{name}", SecretStr(f"secret-of-{name}")) for name in ("BRAVE", "GOOGLE_CSE"))
    answers = {"api.search.brave.com": brave, "www.googleapis.com": google}
    async with services(answers, routing=(), keys=keys, lenses=(LENS,)) as desk:
        got = await desk(kind="web", lens="bakeries")
        assert _told(got) == [("brave", None)]
        assert "site%3Abakery.example+OR+site%3Amill.example" in desk.asked[0][1]
    engine = (("PORTCULLIS_KEY_GOOGLE_CSE_ID_BAKERIES", SecretStr("engine-17")),)
    async with services(answers, routing=(), keys=(*keys, *engine), lenses=(LENS,)) as desk:
        got = await desk(kind="web", lens="bakeries")
        assert _told(got) == [("google_cse", None)]
        ((_, target),) = desk.asked
    assert "cx=engine-17" in target
    assert "siteSearch" not in target
    own = LENS.model_copy(update={"cx": "engine-of-the-file"})
    async with services(answers, routing=(), keys=keys, lenses=(own,)) as desk:
        assert _told(await desk(kind="web", lens="bakeries")) == [("google_cse", None)]
        assert _told(await desk(kind="web", lens="bakeries", provider="brave")) == [("brave", None)]
        assert "cx=engine-of-the-file" in desk.asked[0][1]


async def test_an_unknown_lens_lists_the_choices():
    async with services({}, routing=WEB, lenses=(LENS,)) as desk:
        got = await desk(kind="web", lens="butchers")
        assert desk.asked == []
    assert [(offer.kind, offer.name) for offer in got.offered] == [("lens", "bakeries")]


def test_the_lenses_of_the_catalogue():
    names = [lens.name for lens in read_lenses()]
    assert len(names) >= 8
    assert names == sorted(names)


async def test_a_host_of_the_table_carries_its_reputation():
    rows = [
        {"at": "https://www.nature.com/a", "title": "A", "text": TEXT},
        {"at": "https://shop.example/1", "title": "B", "text": f"{TEXT} and nights"},
    ]
    async with services({"first.example": json_answer({"rows": rows})}) as desk:
        got = await desk("first")
    known, unknown = (dict(item.metadata) for item in got.items)
    assert known["service:reputation"] == "high"
    assert known["service:reputation_basis"]
    assert "service:reputation" not in unknown


async def test_the_address_of_the_operator_is_masked_where_a_service_repeats_it():
    mail = "ops@gate.example"
    said = json_answer({"rows": [{"at": "https://shop.example/1", "title": mail, "text": f"{TEXT}, says {mail}"}]})
    store = Store()
    async with services({"first.example": said}, contact=mail, store=store) as desk:
        got = await desk("first")
    assert mail not in got.model_dump_json()
    assert all(mail.encode() not in body for body in store.objects.values())


async def test_six_providers_none_is_asked_while_its_breaker_is_open():
    """Whatever the others do, one that works gives its results every time."""
    clock = HandClock()
    table = ladder(first={"rate": RatePolicy(requests=1_000, per_ms=1)})
    answers = {"first.example": DOWN, "second.example": response(b"<html>", 200), "third.example": OK}
    async with services(answers, clock=clock, table=table) as desk:
        for _ in range(20):
            clock.now += 1_000
            got = await desk("first", "second", "third")
            assert got.rungs[-1].provider == "third"
            assert got.rungs[-1].fault is None
        hosts = [host for host, _ in desk.asked]
    assert hosts.count("first.example") == 5
    assert hosts.count("third.example") == 20
    assert json.loads(got.model_dump_json())["rungs"][0]["breaker"] == "open"
