"""Fetching from loopback servers through the whole guard: what is asked, what is pinned, what is refused."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import threading
from pathlib import Path

import pytest
from tests.fixtures.web import IMPATIENT, PUBLIC, Names, Recorded, response, web

from app.kernel.errors import DestinationForbidden, OperationForbidden, RequestInvalid
from app.kernel.results import UnavailableKind
from app.parsing.http.exchange import FetchCode, Fetched, Unfetched, WebRequest
from app.parsing.url.journeys import HopCode
from app.parsing.url.urls import UrlCode, judge_url
from app.system.clock import SystemClock
from app.system.tripwire import install
from app.tools.fetch.fetcher import Fetcher, open_fetcher, result_of
from app.tools.fetch.name_lookup import LookupFailed, SystemResolver
from app.tools.fetch.ports import FetchConfig, FetchPorts
from app.tools.fetch.wire import SystemDialler, Wire, WireFault, WireLimits, trusting

CORPORA = Path(os.environ.get("PORTCULLIS_CORPORA", Path(__file__).parents[3] / "shared" / "corpora"))
CASES = CORPORA / "ssrf" / "cases.jsonl"
PAGE = response(b"<p>Hello</p>", fields=[("Content-Type", "text/html; charset=utf-8"), ("X-Odd", "1"), ("ETag", '"a"')])


def _moved(place, status=302, body=b"moved"):
    return response(body, status, [("Location", place)])


async def test_a_page_comes_back_as_bytes_with_what_is_needed_to_read_them():
    config = FetchConfig(contact="https://gate.example/bot", version="1.2", hosts=IMPATIENT)
    async with web(PAGE, config=config) as net:
        got = await net.fetch("http://Shop.example/a b?q=1#x", accept="text/html", accept_language="de")
    assert isinstance(got, Fetched)
    assert (got.url, got.status) == ("http://shop.example/a%20b?q=1", 200)
    assert got.requested == "http://Shop.example/a b?q=1#x"
    assert (got.body, got.content_type, got.charset, got.truncated) == (b"<p>Hello</p>", "text/html", "utf-8", False)
    assert got.fields == (("content-type", "text/html; charset=utf-8"), ("etag", '"a"'))
    assert all(isinstance(ms, int) for ms in (got.timings.total_ms, got.timings.resolve_ms, got.wire_bytes))
    (asked,) = net.site.asked
    assert (asked.method, asked.target, asked.field("host")) == ("GET", "/a%20b?q=1", "shop.example")
    assert asked.field("user-agent") == "Portcullis/1.2 (+https://gate.example/bot)"
    assert (asked.field("accept"), asked.field("accept-language")) == ("text/html", "de")
    assert asked.field("accept-encoding") == "gzip, deflate, br, zstd"
    assert not asked.field("cookie")
    assert net.dialler.dialled == [(PUBLIC, 80)]


async def test_https_keeps_the_name_for_certificate_and_host():
    async with web(b"", PAGE) as net:
        got = await net.fetch("https://shop.example./")
    assert isinstance(got, Fetched), got
    assert net.sites[1].asked[0].field("host") == "shop.example"
    assert net.dialler.dialled == [(PUBLIC, 443)]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1/", UrlCode.ADDRESS),
        ("http://2130706433/", UrlCode.ADDRESS),
        ("http://localhost/", UrlCode.LOCAL_NAME),
        ("http://router/", UrlCode.SINGLE_LABEL),
        ("ftp://shop.example/", UrlCode.SCHEME),
        ("http://me@shop.example/", UrlCode.USER_INFO),
        ("http://shop.example:22/", UrlCode.PORT),
        ("", UrlCode.EMPTY),
        ("http://\ud800/", UrlCode.INVALID),
    ],
)
@pytest.mark.ruling("R16")
async def test_a_refused_url_asks_nobody_anything(url, code):
    async with web(PAGE) as net:
        got = await net.fetch(url)
    assert isinstance(got, Unfetched)
    assert (got.code, got.kind, got.retryable) == (code, UnavailableKind.REFUSED_DESTINATION, False)
    assert (net.names.asked, net.dialler.dialled) == ([], [])


@pytest.mark.parametrize("answer", [["10.0.0.1"], [PUBLIC, "10.0.0.1"], ["::1", PUBLIC], ["fe80::1%3"], ["::ffff:0:1"]])
@pytest.mark.ruling("R16")
async def test_a_first_look_up_that_is_not_public_is_unavailable(answer):
    async with web(PAGE, names=Names({"shop.example": [answer]})) as net:
        got = await net.fetch()
    assert isinstance(got, Unfetched)
    assert (got.code, got.kind) == (HopCode.ADDRESS, UnavailableKind.REFUSED_DESTINATION)
    assert net.dialler.dialled == []
    raw = result_of(got)
    assert (raw.status, raw.unavailable) == ("unavailable", UnavailableKind.REFUSED_DESTINATION)


async def test_names_that_are_not_there_or_cannot_be_asked_about():
    async with web(PAGE, names=Names({"a.example": [[]], "b.example": ["fails"]})) as net:
        missing, failed = await net.fetch("http://a.example/"), await net.fetch("http://b.example/")
    assert (missing.code, missing.kind, missing.retryable) == (HopCode.NO_ADDRESS, UnavailableKind.UNREACHABLE, False)
    assert (failed.code, failed.retryable) == (FetchCode.NAME_LOOKUP_FAILED, True)


async def test_rebinding_finds_nobody_who_asks_twice():
    names = Names({"shop.example": [[PUBLIC], ["127.0.0.1"]]})
    script = {"/": _moved("/next"), "/next": _moved("https://shop.example/"), "/robots.txt": response(b"", 404)}
    secure = {"/": PAGE, "/robots.txt": response(b"", 404)}
    async with web(script, secure, names=names) as net:
        got = await net.fetch(robots=True)
    assert isinstance(got, Fetched), got
    assert net.names.asked == ["shop.example"]
    assert net.dialler.dialled == [(PUBLIC, 80), (PUBLIC, 443)]  # one connection per origin, robots.txt included
    assert got.redirects == ("http://shop.example/", "http://shop.example/next")


@pytest.mark.parametrize(
    "place",
    [
        "http://127.0.0.1/",
        "//169.254.169.254/latest/",
        "http://2130706433/",
        "http://localhost/",
        "http://printer.local/",
        "http://inner.example/",
        "http://mixed.example/",
        "http://[::ffff:10.0.0.1]/",
    ],
)
@pytest.mark.parametrize("hops", [0, 2])
@pytest.mark.ruling("R16")
async def test_a_redirect_to_a_place_that_is_not_public_breaks_the_sandbox(place, hops):
    script = {"/": _moved("/hop1" if hops else place), "/hop1": _moved("/hop2"), "/hop2": _moved(place)}
    names = Names({"inner.example": [["10.0.0.5"]], "mixed.example": [[PUBLIC, "192.168.1.1"]]})
    async with web(script, names=names) as net:
        with pytest.raises(DestinationForbidden):
            await net.fetch()
    assert set(net.dialler.dialled) == {(PUBLIC, 80)}


@pytest.mark.parametrize(
    ("script", "code", "kind"),
    [
        ({"/": _moved("gopher://127.0.0.1:6379/_x")}, UrlCode.SCHEME, "refused_destination"),
        ({"/": _moved("file:///etc/hosts")}, UrlCode.SCHEME, "refused_destination"),
        ({"/": _moved("http://me@other.example/")}, UrlCode.USER_INFO, "refused_destination"),
        ({"/": _moved("http://other.example:22/")}, UrlCode.PORT, "refused_destination"),
        ({"/": _moved("http://gone.example/")}, HopCode.NO_ADDRESS, "unreachable"),
        ({"/": _moved("/#again")}, HopCode.LOOP, "unreachable"),
        ({"/": _moved("/b"), "/b": _moved("/")}, HopCode.LOOP, "unreachable"),
        ({"/": response(b"", 302)}, FetchCode.REDIRECT_NOT_FOLLOWED, "unreadable"),
        ({"/": response(b"", 300, [("Location", "/b")])}, FetchCode.REDIRECT_NOT_FOLLOWED, "unreadable"),
    ],
)
async def test_redirects_that_are_not_followed(script, code, kind):
    async with web(script, names=Names({"gone.example": [[]]})) as net:
        got = await net.fetch()
    assert isinstance(got, Unfetched), got
    assert (got.code, got.kind) == (code, kind)


async def test_an_endless_row_of_redirects_ends():
    async def onwards(asked, writer):
        writer.write(_moved(f"/{int(asked.target.strip('/') or 0) + 1}"))

    async with web(onwards) as net:
        got = await net.fetch()
    assert got.code is HopCode.TOO_MANY
    assert net.site.targets == ["/", "/1", "/2", "/3", "/4", "/5"]


async def test_keys_stay_with_the_origin_that_they_were_made_for():
    names = Names({"other.example": [["93.184.215.21"]]})
    script = {"/": _moved("http://other.example/x"), "/x": _moved("http://shop.example/back"), "/back": PAGE}
    async with web(script, names=names) as net:
        got = await net.fetch(credentials=(("Authorization", "Bearer secret"),))
    assert isinstance(got, Fetched), got
    there, away, back = net.site.asked
    assert there.field("authorization") == back.field("authorization") == "Bearer secret"
    assert away.field("host") == "other.example"
    assert not away.field("authorization")
    assert net.dialler.dialled == [(PUBLIC, 80), ("93.184.215.21", 80)]


async def test_a_body_is_sent_once_and_never_on_to_another_place():
    async with web({"/": _moved("/x", 307), "/ok": PAGE}) as net:
        moved = await net.fetch(method="POST", body=b'{"q":1}')
        sent = await net.fetch("http://shop.example/ok", method="POST", body=b'{"q":1}')
    assert (moved.code, net.site.asked[0].body) == (FetchCode.REDIRECT_NOT_FOLLOWED, b'{"q":1}')
    assert isinstance(sent, Fetched)


async def test_a_head_is_a_head():
    async with web(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\nContent-Type: application/pdf\r\n\r\n") as net:
        got = await net.fetch(method="HEAD")
    assert isinstance(got, Fetched), got
    assert (got.body, got.content_type, net.site.asked[0].method) == (b"", "application/pdf", "HEAD")


async def test_an_own_service_may_be_private_and_a_link_to_it_may_not():
    config = FetchConfig(own_services=("10.0.0.7:80", "searx.internal:80"), hosts=IMPATIENT)
    names = Names({"searx.internal": [["10.0.0.8"]]})
    async with web({"/": PAGE, "/away": _moved("http://10.0.0.7/")}, names=names, config=config) as net:
        assert isinstance(await net.fetch("http://10.0.0.7/", own_service=True), Fetched)
        assert isinstance(await net.fetch("http://searx.internal/", own_service=True), Fetched)
        unlisted = await net.fetch("http://10.0.0.9/", own_service=True)
        outside = await net.fetch("http://10.0.0.7/")
        moved = await net.fetch("http://10.0.0.7/away", own_service=True)
        with pytest.raises(DestinationForbidden):
            await net.fetch("http://shop.example/away")
    assert unlisted.code is UrlCode.NOT_LISTED
    assert outside.code is UrlCode.ADDRESS
    assert moved.code is FetchCode.REDIRECT_NOT_FOLLOWED
    assert net.dialler.dialled == [("10.0.0.7", 80), ("10.0.0.8", 80), ("10.0.0.7", 80), (PUBLIC, 80)]


async def test_the_next_address_is_tried_when_one_is_dead():
    names = Names({"shop.example": [["2a00:1450::1", PUBLIC]]})
    async with web(PAGE, names=names, dead=["2a00:1450::1"]) as net:
        assert isinstance(await net.fetch(), Fetched)
    assert net.dialler.dialled == [("2a00:1450::1", 80), (PUBLIC, 80)]


async def test_the_wire_itself_knows_no_other_way():
    wire = Wire(Recorded(), trusting(), WireLimits())
    url = judge_url("http://shop.example/")
    with pytest.raises(DestinationForbidden):
        async with wire.exchange(url, "GET", (), b""):
            pass
    for bad in (["10.0.0.1"], [PUBLIC, "::1"], ["shop.example"]):
        with pytest.raises(DestinationForbidden):
            wire.pin("shop.example", bad)
    wire.pin("shop.example", [PUBLIC])
    with pytest.raises(WireFault, match="connect_failed"):
        async with wire.exchange(url, "GET", (), b""):
            pass
    await wire.aclose()


@pytest.mark.ruling("R16")
async def test_a_room_of_a_session_cannot_fetch_and_a_tool_call_can():
    tripwire = install()
    async with web(PAGE) as net:
        with pytest.raises(OperationForbidden), tripwire.armed():
            await net.fetch()
        with tripwire.armed(), tripwire.tool_call():
            assert isinstance(await net.fetch(), Fetched)
    assert net.dialler.dialled == [(PUBLIC, 80)]


async def test_the_environment_has_no_say(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1/")
    async with web(PAGE) as net:
        assert isinstance(await net.fetch(), Fetched)


async def test_the_machine_s_own_dialler_and_a_bad_configuration(tmp_path):
    with pytest.raises(RequestInvalid, match="contact"):
        Fetcher(FetchConfig(contact="a\nb"), FetchPorts(SystemClock(), Names(), Recorded(), trusting()))
    with pytest.raises(RequestInvalid, match="certificates"):
        open_fetcher(FetchConfig(ca_file=str(tmp_path / "none.pem")), SystemClock())
    (tmp_path / "odd.pem").write_text("no certificate")
    with pytest.raises(RequestInvalid, match="certificates"):
        open_fetcher(FetchConfig(ca_file=str(tmp_path / "odd.pem")), SystemClock())
    got = await open_fetcher(FetchConfig(), SystemClock()).fetch(WebRequest("http://127.0.0.1/", "t1", 5_000, 1_000))
    assert got.code is UrlCode.ADDRESS
    async with web(PAGE) as net:
        stream = await SystemDialler().dial("127.0.0.1", net.site.port, 5)
        await stream.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await stream.read(100, 5)).startswith(b"HTTP/1.1 200")
        await stream.aclose()


async def test_look_ups_run_beside_the_loop_and_stuck_ones_are_counted():
    free = threading.Event()

    def ask(name):
        if name == "stuck.example.":
            free.wait(30)
        if name == "broken.example.":
            raise LookupFailed(name)
        return (name,)

    resolver = SystemResolver(ask)
    assert await resolver.addresses("shop.example") == ("shop.example.",)
    with pytest.raises(LookupFailed):
        await resolver.addresses("broken.example")
    stuck = [asyncio.ensure_future(resolver.addresses("stuck.example")) for _ in range(32)]
    await asyncio.sleep(0.05)
    with pytest.raises(LookupFailed, match="too many"):
        await resolver.addresses("shop.example")
    for one in stuck:
        one.cancel()
    await asyncio.gather(*stuck, return_exceptions=True)
    free.set()
    for _ in range(200):
        try:
            assert await resolver.addresses("shop.example")
            break
        except LookupFailed:
            await asyncio.sleep(0.01)
    else:
        pytest.fail("the stuck look-ups were never given back")
    assert await SystemResolver().addresses("no-such-name.invalid") == ()


@pytest.mark.skipif(not CASES.is_file(), reason="the corpora are not beside this clone")
async def test_real_fetches_are_judged_as_the_corpus_says():
    cases = [json.loads(line) for line in CASES.read_bytes().splitlines()]
    assert len(cases) > 300
    wrong = []
    for case in cases:
        default = case.get("resolves_to", [PUBLIC])
        answers = {host: [answer] for host, answer in case.get("resolves_to_by_host", {}).items()}
        names = _Then(answers, default, case.get("resolves_to_then"))
        place = case.get("redirect_to")
        script = _redirecting(case["url"], place)
        async with web(script, script, names=names) as net:
            net.dialler.ports.update({8080: net.dialler.ports[80], 8443: net.dialler.ports[443]})
            net.fetcher = _trusting_anybody(net)
            try:
                got = await net.fetch(case["url"])
            except DestinationForbidden:
                got = None
        verdict = "accept" if isinstance(got, Fetched) else "refuse"
        allowed = {address for answer in [default, *case.get("resolves_to_by_host", {}).values()] for address in answer}
        dialled = {address for address, _ in net.dialler.dialled}
        literal = {case["url"].split("/")[2].strip("[]")} if case["category"].endswith("public") else set()
        once = len(set(net.dialler.dialled)) == len(net.dialler.dialled)
        if verdict != case["expect"] or not dialled <= allowed | literal or not once:
            wrong.append((case["url"], place, verdict, got, net.dialler.dialled))
    assert wrong == []


def _redirecting(url, place):
    """A server that redirects its first visitor, or everybody where the redirect leads to itself."""
    seen = []

    async def script(asked, writer):
        moved = place is not None and (not seen or url == place)
        seen.append(asked)
        writer.write(_moved(place) if moved else PAGE)

    return script


class _Then(Names):
    """A second question about any name is told what comes after a rebinding."""

    def __init__(self, answers, default, then):
        super().__init__(answers, default)
        self._then = then

    async def addresses(self, name):
        if self._then is not None and name in self.asked:
            self.asked.append(name)
            return tuple(self._then)
        return await super().addresses(name)


def _trusting_anybody(net):
    """The corpus names hosts for which nobody has a certificate; what is under test is where connections go."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return Fetcher(FetchConfig(hosts=IMPATIENT, attempts=1), FetchPorts(SystemClock(), net.names, net.dialler, context))
