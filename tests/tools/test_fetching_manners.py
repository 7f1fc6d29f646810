"""Manners: robots.txt, turns per host, the breaker, another try, and the cache."""

from __future__ import annotations

import asyncio
import os
import sqlite3

import pytest
from tests.fixtures.web import IMPATIENT, PUBLIC, HandClock, Names, response, web

from app.kernel.errors import DestinationForbidden
from app.parsing.http.exchange import FetchCode, Fetched, StoredResponse, Unfetched
from app.parsing.http.robots import read_robots
from app.system.stores.web_cache.sqlite import SqliteWebCache
from app.tools.fetch.host_limits import HostLimits, Hosts, TurnTooLate
from app.tools.fetch.ports import FetchConfig

PAGE = response(b"page", fields=[("Content-Type", "text/plain")])
PERSISTENT = FetchConfig(hosts=IMPATIENT, attempts=3)


def _robots(text, status=200):
    return response(text.encode(), status, [("Content-Type", "text/plain")])


# robots.txt


@pytest.mark.parametrize(
    ("robots", "path", "code"),
    [
        (_robots("User-agent: *\nDisallow: /private"), "/open", None),
        (_robots("User-agent: *\nDisallow: /private"), "/private/x", FetchCode.ROBOTS),
        (_robots("User-agent: *\nDisallow: /\nAllow: /open"), "/open", None),
        (_robots("User-agent: *\nDisallow:\n\nUser-agent: Portcullis\nDisallow: /"), "/open", FetchCode.ROBOTS),
        (_robots("User-agent: other\nDisallow: /"), "/open", None),
        (_robots("User-agent: *\nDisallow: /*?secret="), "/open?secret=1", FetchCode.ROBOTS),
        (_robots("<html>not what you think</html>"), "/open", None),
        (_robots("", 404), "/open", None),
        (_robots("", 403), "/open", None),
        (_robots("", 429), "/open", FetchCode.ROBOTS_UNAVAILABLE),
        (_robots("", 500), "/open", FetchCode.ROBOTS_UNAVAILABLE),
        (_robots("", 503), "/open", FetchCode.ROBOTS_UNAVAILABLE),
        (response(b"", 302, [("Location", "/robots.txt")]), "/open", None),
        (response(b"", 302, [("Location", "/open")]), "/open", None),
        (response(b"", 302, [("Location", "ftp://shop.example/robots.txt")]), "/open", None),
        (response(b"", 302), "/open", None),
        (response(b"", 302, [("Location", "http://gone.example/robots.txt")]), "/open", FetchCode.ROBOTS_UNAVAILABLE),
        (b"HTTP/1.1 204 Nothing\r\n\r\n", "/open", None),
        (response(b"no gzip", fields=[("Content-Encoding", "gzip")]), "/open", FetchCode.ROBOTS_UNAVAILABLE),
    ],
)
async def test_robots_are_obeyed(robots, path, code):
    page = {"/robots.txt": robots, path: PAGE}
    async with web(page, names=Names({"gone.example": [[]]})) as net:
        got = await net.fetch(f"http://shop.example{path}", robots=True)
    if code is None:
        assert isinstance(got, Fetched), got
    else:
        assert (got.code, got.kind) == (code, "robots")
        assert path not in net.site.targets
    assert net.site.targets[0] == "/robots.txt"
    assert net.dialler.dialled == [(PUBLIC, 80)]


async def test_robots_are_asked_once_per_site_and_tenant_and_again_after_a_while():
    clock = HandClock()
    async with web({"/robots.txt": _robots("User-agent: *\nDisallow: /x"), "/": PAGE}, clock=clock) as net:
        for tenant in ("t1", "t1", "t2", "t1"):
            await net.fetch(robots=True, tenant=tenant)
        assert net.site.targets.count("/robots.txt") == 2
        clock.now += 3_600_000
        await net.fetch(robots=True)
        assert net.site.targets.count("/robots.txt") == 3


async def test_a_site_that_could_not_answer_about_robots_is_asked_again_soon():
    clock = HandClock()
    script = {"/robots.txt": _robots("", 500), "/": PAGE}
    async with web(script, clock=clock) as net:
        assert (await net.fetch(robots=True)).code is FetchCode.ROBOTS_UNAVAILABLE
        script["/robots.txt"] = _robots("", 404)
        assert (await net.fetch(robots=True)).code is FetchCode.ROBOTS_UNAVAILABLE
        clock.now += 300_000
        assert isinstance(await net.fetch(robots=True), Fetched)


async def test_what_keeps_us_from_robots_keeps_us_from_the_page():
    async def cut(asked, writer):
        writer.close()

    async with web(cut) as net:
        got = await net.fetch(robots=True)
    assert got.code is FetchCode.CUT_SHORT
    assert net.site.targets == ["/robots.txt"]


@pytest.mark.ruling("R16")
async def test_robots_cannot_lead_inside_either():
    async with web({"/robots.txt": response(b"", 302, [("Location", "http://10.0.0.1/robots.txt")]), "/": PAGE}) as net:
        with pytest.raises(DestinationForbidden):
            await net.fetch(robots=True)
    assert net.dialler.dialled == [(PUBLIC, 80)]


async def test_each_site_on_the_way_has_its_own_robots():
    names = Names({"other.example": [["93.184.215.21"]]})

    async def script(asked, writer):
        host = asked.field("host")
        if asked.target == "/robots.txt":
            writer.write(_robots("User-agent: *\nDisallow: /" if host == "other.example" else ""))
        else:
            writer.write(response(b"", 302, [("Location", "http://other.example/")]))

    async with web(script, names=names) as net:
        got = await net.fetch(robots=True)
    assert got.code is FetchCode.ROBOTS
    assert [asked.field("host") for asked in net.site.asked] == ["shop.example", "shop.example", "other.example"]


async def test_a_request_with_a_body_asks_for_robots_like_any_other():
    moved = response(b"", 302, [("Location", "/rules.txt")])
    script = {"/robots.txt": moved, "/rules.txt": _robots("User-agent: *\nDisallow: /x"), "/": PAGE, "/x": PAGE}
    async with web(script) as net:
        assert isinstance(await net.fetch(robots=True, method="POST", body=b"q"), Fetched)
        got = await net.fetch("http://shop.example/x", robots=True, method="POST", body=b"q")
    assert got.code is FetchCode.ROBOTS


def test_a_robots_file_made_to_cost_more_than_it_says_refuses_everything():
    heavy = "\n".join([*(f"user-agent: a{n}" for n in range(2_000)), *(f"disallow: /{n}" for n in range(2_000))])
    assert not read_robots(heavy.encode()).allows("https://shop.example/", "portcullis")
    wild = "user-agent: *\ndisallow: /" + "*a" * 5_000 + "b"
    assert read_robots(wild.encode()).allows("https://shop.example/" + "a" * 5_000, "portcullis")
    assert read_robots(b"\xff\xfe\x00" * 100).allows("https://shop.example/", "portcullis")
    blocklist = "\n".join([*(f"user-agent: bot{n}" for n in range(300)), "disallow: /", "user-agent: *", "allow: /"])
    assert read_robots(blocklist.encode()).allows("https://shop.example/", "portcullis")


def test_a_wish_for_a_pause_is_believed_up_to_a_minute():
    for text, wanted in (("crawl-delay: 2", 2_000), ("crawl-delay: 9999", 60_000), ("crawl-delay: -1", 0), ("", 0)):
        assert read_robots(f"user-agent: *\n{text}".encode()).delay_ms("portcullis") == wanted


# Turns


async def test_few_at_once_and_the_others_wait():
    hosts = Hosts(HandClock(), HostLimits(at_once=2, pause_ms=0))
    inside, most = 0, 0

    async def one():
        nonlocal inside, most
        async with hosts.turn("shop.example", 1_000):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.001)
            inside -= 1

    await asyncio.gather(*(one() for _ in range(20)))
    assert (most, inside) == (2, 0)


async def test_a_cancelled_wait_gives_its_turn_away():
    hosts = Hosts(HandClock(), HostLimits(at_once=1, pause_ms=0))

    async def one():
        async with hosts.turn("shop.example", 1_000):
            await asyncio.sleep(0.01)

    tasks = [asyncio.ensure_future(one()) for _ in range(6)]
    await asyncio.sleep(0)
    for task in tasks[1:4]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.wait_for(one(), 5)


async def test_a_pause_longer_than_the_patience_is_not_waited_for():
    clock = HandClock()
    hosts = Hosts(clock, HostLimits(at_once=4, pause_ms=100))
    async with hosts.turn("shop.example", 50) as waited:
        assert waited == 0
    with pytest.raises(TurnTooLate):
        async with hosts.turn("shop.example", 50):
            pass
    async with hosts.turn("other.example", 50):
        pass  # other hosts are not held up
    clock.now += 100
    async with hosts.turn("shop.example", 50):
        pass
    hosts.ask_for_pause("shop.example", 60_000)  # from now on
    clock.now += 59_000
    with pytest.raises(TurnTooLate):
        async with hosts.turn("shop.example", 900):
            pass


async def test_a_crawl_delay_that_does_not_fit_the_time_is_said_so():
    script = {"/robots.txt": _robots("User-agent: *\nCrawl-delay: 30"), "/": PAGE}
    async with web(script) as net:
        assert isinstance(await net.fetch(robots=True), Fetched)
        got = await net.fetch(robots=True)
    assert (got.code, got.kind) == (FetchCode.POLITENESS, "slow")


def test_hosts_are_not_remembered_for_ever():
    hosts = Hosts(HandClock(), HostLimits())
    for number in range(5_000):
        hosts.failed(f"h{number}.example")
    assert len(hosts._hosts) <= 2_048  # looks inside: nothing else shows how much is kept


# The breaker


async def test_after_many_failures_a_host_is_left_alone_for_a_while():
    clock = HandClock()
    config = FetchConfig(hosts=HostLimits(pause_ms=0, failures_in_a_row=3, closed_for_ms=10_000), attempts=1)
    script = {"/": response(b"", 500)}
    async with web(script, clock=clock, config=config) as net:
        for _ in range(3):
            assert (await net.fetch()).status == 500
        closed = await net.fetch()
        assert (closed.code, closed.kind, closed.retryable) == (FetchCode.BREAKER_OPEN, "unreachable", True)
        assert len(net.site.asked) == 3
        clock.now += 10_000
        crowd = await asyncio.gather(*(net.fetch() for _ in range(5)))
        assert sorted(got.status for got in crowd) == [0, 0, 0, 0, 500]  # one more try, and it is closed again
        assert (await net.fetch()).code is FetchCode.BREAKER_OPEN
        clock.now += 10_000
        script["/"] = PAGE
        assert isinstance(await net.fetch(), Fetched)
        script["/"] = response(b"", 500)
        assert (await net.fetch()).status == 500  # what was held against it is forgotten
        assert (await net.fetch()).status == 500


async def test_a_refusal_is_no_failure_of_the_host():
    config = FetchConfig(hosts=HostLimits(pause_ms=0, failures_in_a_row=1), attempts=1)
    async with web({"/": response(b"", 404)}, config=config) as net:
        for _ in range(3):
            assert (await net.fetch()).status == 404


# Another try


def _in_turn(*answers):
    left = list(answers)

    async def script(asked, writer):
        answer = left.pop(0) if len(left) > 1 else left[0]
        if answer is None:
            writer.close()
        else:
            writer.write(answer)

    return script


@pytest.mark.parametrize(
    "first",
    [
        None,
        response(b"", 503),
        response(b"", 502),
        response(b"", 429, [("Retry-After", "0")]),
        response(b"", 503, [("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")]),
    ],
)
async def test_what_passes_is_tried_again(first):
    async with web(_in_turn(first, PAGE), config=PERSISTENT) as net:
        got = await net.fetch()
    assert isinstance(got, Fetched), got
    assert len(net.site.asked) == 2
    assert net.names.asked == ["shop.example"]  # and nobody looked the name up again


@pytest.mark.parametrize(
    ("first", "more"),
    [
        (response(b"", 404), {}),
        (response(b"", 500), {}),
        (response(b"", 503), {"method": "POST", "body": b"x"}),
        (response(b"", 429, [("Retry-After", "3600")]), {}),
        (response(b"", 429, [("Retry-After", "Fri, 01 Jan 2100 00:00:00 GMT")]), {}),
        (response(b"", 503), {"deadline_ms": 400}),
    ],
)
async def test_what_would_not_help_or_not_be_in_time_is_not_tried_again(first, more):
    async with web(_in_turn(first, PAGE), config=PERSISTENT) as net:
        got = await net.fetch(**more)
    assert isinstance(got, Unfetched)
    assert len(net.site.asked) == 1


async def test_three_tries_are_all():
    async with web(_in_turn(response(b"", 429, [("Retry-After", "0")])), config=PERSISTENT) as net:
        got = await net.fetch()
    assert (got.status, got.kind, len(net.site.asked)) == (429, "rate_limited", 3)


# The cache


def _page(body=b"page", *fields, status=200):
    return response(body, status, [("Content-Type", "text/plain; charset=utf-8"), *fields])


@pytest.fixture
def cache(tmp_path):
    kept = SqliteWebCache(tmp_path / "cache")
    yield kept
    kept.close()


async def test_a_fresh_copy_is_used_without_asking_anybody(cache):
    clock = HandClock()
    async with web(_page(b"page", ("Cache-Control", "max-age=60")), clock=clock, kept=cache) as net:
        first = await net.fetch()
        clock.now += 59_000
        second = await net.fetch()
        clock.now += 1_000
        third = await net.fetch()
    assert [got.cache for got in (first, second, third)] == ["none", "fresh", "none"]
    assert (second.body, second.charset, second.age_ms) == (first.body, "utf-8", 59_000)
    assert len(net.site.asked) == 2
    assert len(net.names.asked) == 2


async def test_a_stale_copy_is_asked_about(cache):
    clock = HandClock()
    marks = (("ETag", '"v1"'), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"), ("Cache-Control", "max-age=1"))
    same = b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\nCache-Control: max-age=30\r\nContent-Type: odd/type\r\n\r\n'
    script = {"/": _page(b"one", *marks)}
    async with web(script, clock=clock, kept=cache) as net:
        await net.fetch()
        script["/"] = same
        clock.now += 5_000
        again = await net.fetch()
        clock.now += 29_000
        fresh = await net.fetch()
        script["/"] = _page(b"two", ("ETag", '"v2"'))
        clock.now += 5_000
        changed = await net.fetch()
    assert (again.cache, again.body, again.content_type, again.age_ms) == ("revalidated", b"one", "text/plain", 0)
    assert (fresh.cache, changed.cache, changed.body) == ("fresh", "none", b"two")
    _, conditional, _ = net.site.asked
    assert conditional.field("if-none-match") == '"v1"'
    assert conditional.field("if-modified-since") == "Sun, 06 Nov 1994 08:49:37 GMT"


async def test_a_304_that_nobody_asked_for_brings_no_copy_back(cache):
    clock = HandClock()
    script = {"/": _page(b"one", ("Cache-Control", "max-age=1"))}
    async with web(script, clock=clock, kept=cache) as net:
        await net.fetch()
        script["/"] = b"HTTP/1.1 304 Not Modified\r\n\r\n"
        clock.now += 5_000
        assert (await net.fetch()).code is FetchCode.NOT_MODIFIED


@pytest.mark.ruling("R20")
async def test_copies_are_kept_apart_by_tenant_and_by_all_that_matters(cache):
    async with web(_page(b"page", ("Cache-Control", "max-age=60")), kept=cache) as net:
        await net.fetch()
        for other in (
            {"tenant": "t2"},
            {"accept": "text/markdown"},
            {"accept_language": "de"},
            {"max_bytes": 50_000},
            {"url": "http://shop.example/?x"},
            {"use_cache": False},
            {"credentials": (("Authorization", "x"),)},
        ):
            got = await net.fetch(**other)
            assert (got.cache, other) == ("none", other)
        assert (await net.fetch("http://shop.example/#part")).cache == "fresh"
        cache.forget("t1")
        assert (await net.fetch()).cache == "none"


@pytest.mark.parametrize(
    "answer",
    [
        _page(b"page"),
        _page(b"page", ("Cache-Control", "no-store, max-age=60")),
        _page(b"page", ("Cache-Control", "max-age=60"), ("Vary", "*")),
        _page(b"page", ("Cache-Control", "max-age=60"), status=203),
        _page(b"page", ("Cache-Control", "max-age=60"), ("Age", "60")),
        _page(b"page", ("Expires", "0"), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")),
        _page(b"x" * 200_000, ("Cache-Control", "max-age=60")),
    ],
)
async def test_what_may_not_be_kept_is_fetched_again(answer, cache):
    async with web(answer, kept=cache) as net:
        for _ in range(2):
            assert (await net.fetch()).cache == "none"


async def test_each_hop_has_its_own_copy_and_a_redirect_is_never_kept(cache):
    there = response(b"", 301, [("Location", "/b"), ("Cache-Control", "max-age=60")])
    async with web({"/a": there, "/b": _page(b"page", ("Cache-Control", "max-age=60"))}, kept=cache) as net:
        await net.fetch("http://shop.example/a")
        again = await net.fetch("http://shop.example/a")
    assert (again.cache, again.url, again.redirects) == ("fresh", "http://shop.example/b", ("http://shop.example/a",))
    assert net.site.targets == ["/a", "/b", "/a"]


def _stored(body=b"body", at=1_000):
    return StoredResponse("https://shop.example/", (("etag", '"a"'),), body, at, at + 5)


def test_the_store_makes_room_and_forgets_what_is_damaged(tmp_path):
    cache = SqliteWebCache(tmp_path, max_bytes_per_tenant=3_000)
    for number in range(4):
        cache.put("t1", f"k{number}", _stored(os.urandom(900), 1_000 + number))
    assert [cache.get("t1", f"k{number}") is not None for number in range(4)] == [False, True, True, True]
    cache.put("t1", "huge", _stored(os.urandom(5_000)))
    assert cache.get("t1", "huge") is None
    assert cache.get("t1", "k3") is not None
    assert cache.get("t2", "k3") is None
    cache.close()
    path = tmp_path / "t1" / "responses.sqlite3"
    path.write_bytes(b"this is no database" * 100)
    assert cache.get("t1", "k3") is None
    cache.put("t1", "k3", _stored())
    for bad in ("../t1", "", "a/b", "."):
        with pytest.raises(ValueError):
            cache.get(bad, "k3")
    cache.close()


def test_a_body_that_changed_on_the_disk_is_not_believed(tmp_path):
    cache = SqliteWebCache(tmp_path)
    cache.put("t1", "k", _stored())
    cache.put("t1", "j", _stored())
    with sqlite3.connect(tmp_path / "t1" / "responses.sqlite3") as db:
        db.execute("UPDATE responses SET digest = 'x' WHERE key = 'k'")
        db.execute("UPDATE responses SET fields = '[1]' WHERE key = 'j'")
    db.close()
    assert cache.get("t1", "k") is None
    assert cache.get("t1", "j") is None
    cache.put("t1", "k", _stored(b"new"))
    assert cache.get("t1", "k").body == b"new"
    locked = sqlite3.connect(tmp_path / "t1" / "responses.sqlite3", isolation_level=None)
    locked.execute("BEGIN EXCLUSIVE")
    assert cache.get("t1", "k") is None  # nobody waits for a cache
    cache.put("t1", "k", _stored())
    locked.execute("ROLLBACK")
    locked.close()
    assert cache.get("t1", "k").body == b"new"
    newer = sqlite3.connect(tmp_path / "t1" / "responses.sqlite3", isolation_level=None)
    newer.execute("PRAGMA user_version = 9")
    newer.close()
    cache.close()
    assert cache.get("t1", "k") is None
    cache.close()
