"""Servers that misbehave: each has its named outcome, nothing hangs, and no connection stays open."""

from __future__ import annotations

import asyncio
import datetime
import gc
import gzip
import os
import ssl
import zlib
from functools import cache

import brotli
import pytest
import trustme
from backports import zstd
from tests.fixtures.web import PUBLIC, Names, response, web

from app.kernel.errors import OutputTooLarge
from app.kernel.results import UnavailableKind
from app.parsing.http.exchange import FetchCode, Fetched, Unfetched
from app.tools.fetch.wire import WireLimits, trusting

QUICK = WireLimits(connect_ms=2_000, read_ms=200)


def _gzip(data):
    return gzip.compress(data, mtime=0)  # the same bytes in every process: they become names of tests


def _coded(coding, data, body=None, **more):
    packed = {"gzip": _gzip, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd.compress}
    return response(packed[coding](data) if body is None else body, fields=[("Content-Encoding", coding)], **more)


async def _hang(asked, writer):
    await asyncio.sleep(30)


async def _drip_head(asked, writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(10_000):
        writer.write(f"X-{number}: y\r\n".encode())
        await writer.drain()
        await asyncio.sleep(0.02)


async def _drip_body(asked, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(10_000):
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


async def _endless(asked, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n")
    while True:
        writer.write(b"x" * 10_000)
        await writer.drain()


async def _endless_text(asked, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"2710\r\n" + b"x" * 10_000 + b"\r\n")
        await writer.drain()


async def _many_heads(asked, writer):
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(100_000):
        writer.write(f"X-{number}: y\r\n".encode())
        if number % 500 == 0:
            await writer.drain()
    writer.write(b"\r\n")


async def _endless_head(asked, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        writer.write(b"y" * 10_000)
        await writer.drain()


async def _endless_early_hints(asked, writer):
    while True:
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.001)


def _then_close(data):
    async def script(asked, writer):
        writer.write(data)
        await writer.drain()
        writer.close()

    return script


async def _reset(asked, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
    await writer.drain()
    writer.transport.abort()


FEW = response(b"x", fields=[(f"X-{n}", "y") for n in range(300)])
CUT = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this"
CUT_CHUNK = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
TWO_LENGTHS = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"
BAD_CHUNK = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n"
GZIPPED = _gzip(b"whole" * 1000)


@pytest.mark.parametrize(
    ("script", "code", "kind"),
    [
        (_hang, FetchCode.READ_TIMEOUT, "slow"),
        (_drip_head, FetchCode.DEADLINE, "slow"),
        (_drip_body, FetchCode.DEADLINE, "slow"),
        (_endless_early_hints, FetchCode.DEADLINE, "slow"),
        (_endless, FetchCode.TOO_LARGE, "too_large"),
        (_many_heads, FetchCode.HEADERS_TOO_LARGE, "too_large"),
        (_endless_head, FetchCode.HEADERS_TOO_LARGE, "too_large"),
        (FEW, FetchCode.HEADERS_TOO_LARGE, "too_large"),
        (response(b"x" * 200_000, fields=[("Content-Type", "application/zip")]), FetchCode.TOO_LARGE, "too_large"),
        (_then_close(b""), FetchCode.CUT_SHORT, "unreachable"),
        (_then_close(b"HTTP/1.1 200 OK\r\nContent-"), FetchCode.CUT_SHORT, "unreachable"),
        (_then_close(CUT), FetchCode.CUT_SHORT, "unreachable"),
        (_then_close(CUT_CHUNK), FetchCode.CUT_SHORT, "unreachable"),
        (_reset, FetchCode.CUT_SHORT, "unreachable"),
        (_then_close(b"SSH-2.0-OpenSSH_9.9\r\n\r\n"), FetchCode.PROTOCOL, "unreadable"),
        (b"\x00\x01\x02\x03\r\n\r\n" * 10, FetchCode.PROTOCOL, "unreadable"),
        (TWO_LENGTHS, FetchCode.PROTOCOL, "unreadable"),
        (BAD_CHUNK, FetchCode.PROTOCOL, "unreadable"),
        (response(b"x", fields=[("Content-Length", "-1")], length=False), FetchCode.PROTOCOL, "unreadable"),
        (_coded("gzip", b"", b"this is no gzip"), FetchCode.BROKEN_CODING, "unreadable"),
        (_coded("gzip", b"", GZIPPED[:-20]), FetchCode.BROKEN_CODING, "unreadable"),
        (_coded("br", b"", b"\xff\xff\xff\xff"), FetchCode.BROKEN_CODING, "unreadable"),
        (_coded("zstd", b"", zstd.compress(b"whole" * 99)[:-3]), FetchCode.BROKEN_CODING, "unreadable"),
        (_coded("deflate", b"", b"\x78\x9c\xff\xff"), FetchCode.BROKEN_CODING, "unreadable"),
        (response(b"x", fields=[("Content-Encoding", "gzip, br")]), FetchCode.BROKEN_CODING, "unreadable"),
        (response(b"x", fields=[("Content-Encoding", "compress")]), FetchCode.BROKEN_CODING, "unreadable"),
        (b"HTTP/1.1 304 Not Modified\r\n\r\n", FetchCode.NOT_MODIFIED, "unreadable"),
        (response(b"part", 206), FetchCode.PROTOCOL, "unreadable"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", FetchCode.NO_CONTENT, None),
        (response(b"no", 404), FetchCode.HTTP_STATUS, None),
        (response(b"no", 410), FetchCode.HTTP_STATUS, None),
        (response(b"no", 400), FetchCode.HTTP_STATUS, "blocked"),
        (response(b"no", 401), FetchCode.HTTP_STATUS, "auth"),
        (response(b"no", 402), FetchCode.HTTP_STATUS, "paywall"),
        (response(b"no", 403), FetchCode.HTTP_STATUS, "blocked"),
        (response(b"no", 407), FetchCode.HTTP_STATUS, "auth"),
        (response(b"no", 408), FetchCode.HTTP_STATUS, "slow"),
        (response(b"no", 429), FetchCode.HTTP_STATUS, "rate_limited"),
        (response(b"no", 451), FetchCode.HTTP_STATUS, "blocked"),
        (response(b"no", 500), FetchCode.HTTP_STATUS, "provider_down"),
        (response(b"no", 503), FetchCode.HTTP_STATUS, "provider_down"),
        (response(b"no", 999), FetchCode.HTTP_STATUS, "provider_down"),
    ],
)
@pytest.mark.ruling("R2")
@pytest.mark.ruling("R3")
async def test_every_fault_has_its_name(script, code, kind):
    slow = kind == "slow"
    async with web(script, limits=QUICK if slow else WireLimits()) as net:
        got = await net.fetch(deadline_ms=1_000 if slow else 60_000)
    assert isinstance(got, Unfetched), got
    assert (got.code, got.kind) == (code, kind)


async def test_a_dead_port_and_a_black_hole():
    async def silent(address, port, timeout_s):
        await asyncio.sleep(60)

    async with web(b"") as net:
        refused = await net.fetch("http://shop.example:81/")
        net.dialler.dial = silent
        stuck = await net.fetch(deadline_ms=100)
    assert (refused.code, refused.kind, refused.retryable) == (FetchCode.CONNECT_FAILED, "unreachable", True)
    assert (stuck.code, stuck.kind) == (FetchCode.DEADLINE, "slow")


async def test_certificates_are_checked():
    wrong_name = trustme.CA()
    cases = {
        "another name": (wrong_name, wrong_name.issue_cert("other.example")),
        "an unknown authority": (trustme.CA(), trustme.CA().issue_cert("shop.example")),
        "no longer valid": _expired(),
    }
    for what, (authority, certificate) in cases.items():
        async with web(b"", response(b"secret"), authority=authority, certificates=certificate) as net:
            got = await net.fetch("https://shop.example/")
            assert not net.sites[1].asked, what
        assert isinstance(got, Unfetched), what
        assert (got.code, got.kind) == (FetchCode.TLS_FAILED, UnavailableKind.UNREACHABLE), what


async def test_a_server_that_answers_tls_with_something_else():
    async def plain(reader, writer):
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    async with web(b"", b"") as net:
        net.dialler.ports[443] = server.sockets[0].getsockname()[1]
        got = await net.fetch("https://shop.example/")
    server.close()
    assert got.code is FetchCode.TLS_FAILED


async def test_a_handshake_that_never_ends_is_cut_and_closed():
    async with web(_hang, _hang) as net:
        net.dialler.ports[443] = net.dialler.ports[80]
        cut = await net.fetch("https://shop.example/", deadline_ms=200)
    assert cut.code is FetchCode.DEADLINE
    assert len(net.dialler.streams) == 1
    async with web(_hang, _hang, limits=WireLimits(connect_ms=100)) as net:
        net.dialler.ports[443] = net.dialler.ports[80]
        slow = await net.fetch("https://shop.example/")
    assert slow.code is FetchCode.CONNECT_TIMEOUT


def _expired():
    authority = trustme.CA()
    past = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    return authority, authority.issue_cert("shop.example", not_before=past, not_after=past + datetime.timedelta(days=1))


async def test_old_and_odd_servers_that_can_still_be_read():
    old = _then_close(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end")
    longer = response(b"abc", fields=[("Content-Type", "text/plain")]) + b"more than was said"
    hints = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + response(b"after hints")
    bare = _then_close(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nok")
    for script, body in ((old, b"until the end"), (longer, b"abc"), (hints, b"after hints"), (bare, b"ok")):
        async with web(script) as net:
            got = await net.fetch()
        assert isinstance(got, Fetched), (script, got)
        assert got.body == body


@pytest.mark.parametrize("kind", ["", "Text/HTML;charset='x", "nonsense", "application/x/y; charset=elf", "image/png"])
async def test_a_wrong_type_is_passed_on_and_left_to_those_who_read(kind):
    async with web(response(b"{}", fields=[("Content-Type", kind)])) as net:
        got = await net.fetch()
    assert isinstance(got, Fetched)
    assert got.body == b"{}"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
async def test_codings_are_undone(coding):
    text = os.urandom(20_000) + b"text " * 2_000
    async with web(_coded(coding, text)) as net:
        got = await net.fetch()
    assert isinstance(got, Fetched), got
    assert got.body == text
    assert got.wire_bytes < len(text)


async def test_members_and_frames_one_after_the_other_are_one_body():
    for coding, body in (
        ("gzip", gzip.compress(b"one ") + gzip.compress(b"two") + b"\x00" * 9),
        ("x-gzip", gzip.compress(b"one two")),
        ("zstd", zstd.compress(b"one ") + zstd.compress(b"two")),
        ("deflate", zlib.compress(b"one two")[2:-4]),
        ("identity", b"one two"),
    ):
        async with web(response(body, fields=[("Content-Encoding", coding)])) as net:
            got = await net.fetch()
        assert isinstance(got, Fetched), (coding, got)
        assert got.body == b"one two"


@cache
def _bomb(coding):
    return _coded(coding, b"\x00" * 20_000_000)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
@pytest.mark.parametrize("kind", ["text/html", "application/pdf"])
@pytest.mark.ruling("R16")
async def test_a_bomb_breaks_the_sandbox_before_it_has_gone_off(coding, kind):
    script = _bomb(coding).replace(b"Content-Enc", f"Content-Type: {kind}\r\nContent-Enc".encode())
    async with web(script) as net:
        with pytest.raises(OutputTooLarge):
            await net.fetch()


@pytest.mark.ruling("R16")
async def test_a_long_text_is_cut_and_a_long_archive_is_too_large():
    text = bytes(range(32, 127)) * 3_000
    for kind, cut in (("text/html", True), ("text/csv", True), ("", True), ("application/json", False)):
        for script in (
            response(text, fields=[("Content-Type", kind)]),
            response(gzip.compress(os.urandom(150_000)), fields=[("Content-Type", kind), ("Content-Encoding", "gzip")]),
        ):
            async with web(script) as net:
                got = await net.fetch(max_bytes=100_000)
            if cut:
                assert isinstance(got, Fetched), got
                assert (len(got.body), got.truncated) == (100_000, True)
            else:
                assert got.code is FetchCode.TOO_LARGE
    async with web(_endless_text) as net:
        got = await net.fetch(max_bytes=100_000)
    assert (len(got.body), got.truncated) == (100_000, True)
    async with web(response(b"x" * 100_000)) as net:  # the cap is inclusive
        got = await net.fetch(max_bytes=100_000)
    assert (len(got.body), got.truncated) == (100_000, False)


async def test_an_error_says_what_its_body_says_and_when_to_come_back():
    later = [("Retry-After", "7"), ("Content-Type", "application/json")]
    async with web(response(b'{"code": "quota"}', 429, later)) as net:
        got = await net.fetch()
    assert (got.status, got.retry_after_ms, got.body, got.retryable) == (429, 7_000, b'{"code": "quota"}', True)


async def test_a_cancelled_fetch_leaves_nothing_behind():
    started = asyncio.Event()

    async def dripping(asked, writer):
        started.set()
        await _drip_body(asked, writer)

    async with web(dripping) as net:
        before = asyncio.all_tasks()
        fetch = asyncio.ensure_future(net.fetch())
        await asyncio.wait_for(started.wait(), 10)
        fetch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetch
        assert net.dialler.open == 0
        servers = {task for task in asyncio.all_tasks() - before if "_serve" in repr(task)}
        assert asyncio.all_tasks() - before == servers


async def test_many_fetches_with_faults_leave_no_descriptor():
    faults = [_then_close(CUT), _reset, response(b"no", 500), _coded("gzip", b"", b"x"), _many_heads]

    async def script(asked, writer):
        number = int(asked.target.strip("/"))
        if number % 20:
            writer.write(response(b"page", fields=[("Content-Type", "text/plain")]))
            return
        fault = faults[number // 20 % len(faults)]
        if isinstance(fault, bytes):
            writer.write(fault)
        else:
            await fault(asked, writer)

    async def one(net, number):
        return await net.fetch(f"http://shop{number % 40}.example/{number}", deadline_ms=60_000)

    async with web(script) as net:
        counts = []
        for start in (0, 200, 400):
            got = await asyncio.gather(*(one(net, number) for number in range(start, start + 200)))
            assert sum(isinstance(each, Unfetched) for each in got) == 10
            await asyncio.sleep(0.05)
            gc.collect()
            counts.append(len(os.listdir("/proc/self/fd")))
        assert counts[2] <= counts[0]


def test_tls_is_never_older_than_1_2():
    assert trusting().minimum_version is ssl.TLSVersion.TLSv1_2
    assert trusting().verify_mode is ssl.CERT_REQUIRED
    assert trusting().check_hostname


async def test_a_name_with_many_addresses_is_not_tried_for_ever():
    many = [f"93.184.215.{n}" for n in range(1, 200)]
    async with web(b"", names=Names({"shop.example": [many]}), dead=many) as net:
        got = await net.fetch()
    assert got.code is FetchCode.CONNECT_FAILED
    assert len(net.dialler.dialled) == 3
    assert PUBLIC in many
