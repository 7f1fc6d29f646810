"""URLs by their text: the one spelling, and each reason to refuse."""

from __future__ import annotations

import pytest

from app.parsing.url.journeys import HopCode, HopRefusal, Journey, World, judge_answer, judge_journey
from app.parsing.url.urls import (
    LONGEST_URL,
    JudgedUrl,
    UrlCode,
    UrlRefusal,
    judge_own_service,
    judge_url,
    redirect_target,
)


@pytest.mark.parametrize(
    ("text", "href", "host", "port", "target"),
    [
        ("https://Shop.Example/a b?q=1#top", "https://shop.example/a%20b?q=1", "shop.example", 443, "/a%20b?q=1"),
        ("http://shop.example.:8080", "http://shop.example.:8080/", "shop.example", 8080, "/"),
        ("https://shop.example:443/", "https://shop.example/", "shop.example", 443, "/"),
        ("  https://shop.example/x ", "https://shop.example/x", "shop.example", 443, "/x"),
        ("https://größe.example/", "https://xn--gre-6ka8i.example/", "xn--gre-6ka8i.example", 443, "/"),
        ("http://[2A00:1450::5]:8081/x", "http://[2a00:1450::5]:8081/x", "2a00:1450::5", 8081, "/x"),
        ("http://0x08.8.2056/", "http://8.8.8.8/", "8.8.8.8", 80, "/"),
        ("https://shop.example/a\\b", "https://shop.example/a/b", "shop.example", 443, "/a/b"),
        ("https://sh%6Fp.example/", "https://shop.example/", "shop.example", 443, "/"),
        ("https://a_b.shop.example/", "https://a_b.shop.example/", "a_b.shop.example", 443, "/"),
    ],
)
def test_accepted_urls_have_one_spelling(text, href, host, port, target):
    judged = judge_url(text)
    assert isinstance(judged, JudgedUrl), judged
    assert (judged.href, judged.host, judged.port, judged.target) == (href, host, port, target)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", UrlCode.EMPTY),
        ("   ", UrlCode.EMPTY),
        ("shop.example/x", UrlCode.SCHEME),
        ("//shop.example/x", UrlCode.SCHEME),
        ("ftp://shop.example/", UrlCode.SCHEME),
        ("javascript:alert(1)", UrlCode.SCHEME),
        ("blob:https://shop.example/1", UrlCode.SCHEME),
        ("wss://shop.example/", UrlCode.SCHEME),
        ("http:shop.example", UrlCode.AUTHORITY),
        ("http:/shop.example", UrlCode.AUTHORITY),
        ("http:\\\\shop.example", UrlCode.AUTHORITY),
        ("http://shop.example\\@other.example/", UrlCode.AUTHORITY),
        ("http:///shop.example/", UrlCode.HOST),
        ("http://?x", UrlCode.HOST),
        ("http://me@shop.example/", UrlCode.USER_INFO),
        ("http://@shop.example/", UrlCode.USER_INFO),
        ("http://me:word@shop.example/", UrlCode.USER_INFO),
        ("http://shop.exa\tmple/", UrlCode.CONTROL),
        ("http://shop.example/\r\nX: y", UrlCode.CONTROL),
        ("http://shop.example/\x7f", UrlCode.CONTROL),
        ("http://shop..example/", UrlCode.HOST),
        ("http://shop.example../", UrlCode.HOST),
        ("http://.shop.example/", UrlCode.HOST),
        ("http://a|b.example/", UrlCode.INVALID),
        ("http://shop.example:99999/", UrlCode.INVALID),
        ("http://1.2.3.4.5/", UrlCode.INVALID),
        ("http://shop.4/", UrlCode.INVALID),
        ("http://[fe80::1%25eth0]/", UrlCode.INVALID),
        ("http://\ud800.example/", UrlCode.INVALID),
        ("http://" + "a" * 64 + ".example/", UrlCode.HOST),
        ("http://" + "a." * 130 + "example/", UrlCode.HOST),
        ("http://shop.example/" + "a" * LONGEST_URL, UrlCode.TOO_LONG),
        ("http://shop.example/" + "ä" * (LONGEST_URL // 2), UrlCode.TOO_LONG),
        ("http://shop.example:0/", UrlCode.PORT),
        ("https://shop.example:6697/", UrlCode.PORT),
        ("http://0/", UrlCode.ADDRESS),
        ("http://017700000001/", UrlCode.ADDRESS),
        ("http://\uff11\uff12\uff17.1/", UrlCode.ADDRESS),
        ("http://[::ffff:7f00:1]/", UrlCode.ADDRESS),
        ("http://router/", UrlCode.SINGLE_LABEL),
        ("http://com./", UrlCode.SINGLE_LABEL),
        ("http://a.LOCALHOST./", UrlCode.LOCAL_NAME),
        ("http://nas.home.arpa/", UrlCode.LOCAL_NAME),
        ("http://home.arpa/", UrlCode.LOCAL_NAME),
        ("http://api.default.svc/", UrlCode.LOCAL_NAME),
        ("http://wiki.corp/", UrlCode.LOCAL_NAME),
        ("http://x.onion/", UrlCode.LOCAL_NAME),
        ("http://\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54/", UrlCode.LOCAL_NAME),
    ],
)
def test_refused_urls_name_their_reason(text, code):
    refused = judge_url(text)
    assert isinstance(refused, UrlRefusal), refused
    assert refused.code is code
    assert str(refused).startswith(code.value)


def test_names_that_only_look_local_are_public():
    for name in ("localhost.shop.example", "my-internal.example", "lan.shop.example", "shop.test", "x.home.example"):
        assert isinstance(judge_url(f"https://{name}/"), JudgedUrl)


def test_the_host_header_names_the_port_only_where_it_must():
    wanted = {
        "https://shop.example/": "shop.example",
        "https://shop.example:8443/": "shop.example:8443",
        "http://[2a00::1]/": "[2a00::1]",
        "http://[2a00::1]:81/": "[2a00::1]:81",
    }
    for text, authority in wanted.items():
        judged = judge_url(text)
        assert isinstance(judged, JudgedUrl)
        assert judged.authority == authority


@pytest.mark.parametrize(
    ("location", "wanted"),
    [
        ("/next", "https://shop.example/next"),
        ("next?x", "https://shop.example/dir/next?x"),
        ("?page=2", "https://shop.example/dir/page?page=2"),
        ("//other.example/y", "https://other.example/y"),
        ("http://other.example/", "http://other.example/"),
        (" /spaced ", "https://shop.example/spaced"),
        ("/über", "https://shop.example/%C3%BCber"),
        ("//127.0.0.1/", UrlCode.ADDRESS),
        ("//me@other.example/", UrlCode.USER_INFO),
        ("/\\other.example/", UrlCode.AUTHORITY),
        ("\\\\other.example/", UrlCode.AUTHORITY),
        ("/a\r\nSet-Cookie: x", UrlCode.CONTROL),
        ("file:///etc/hosts", UrlCode.SCHEME),
        ("https:other.example", UrlCode.AUTHORITY),
        ("//[", UrlCode.INVALID),
    ],
)
def test_redirects_are_judged_like_urls_from_strangers(location, wanted):
    base = judge_url("https://shop.example/dir/page?q#f")
    assert isinstance(base, JudgedUrl)
    target = redirect_target(base, location)
    assert (target.href if isinstance(target, JudgedUrl) else target.code) == wanted


def test_an_own_service_is_known_by_its_exact_host_and_port():
    allowed = ("10.0.0.7:8080", "searx.internal:443", "[fd00::5]:8080")
    for text in ("http://10.0.0.7:8080/search?q=x", "https://searx.internal/", "http://[fd00::5]:8080/"):
        assert isinstance(judge_own_service(text, allowed), JudgedUrl)
        assert isinstance(judge_url(text), UrlRefusal)  # the list means nothing for a URL from outside
    for text in ("http://10.0.0.7/", "http://10.0.0.8:8080/", "http://me@10.0.0.7:8080/", "ftp://10.0.0.7:8080/"):
        assert isinstance(judge_own_service(text, allowed), UrlRefusal)


def test_one_address_that_is_not_public_spoils_the_answer():
    assert judge_answer(("9.9.9.9", "2A00:0::1", "9.9.9.9")) == ("9.9.9.9", "2a00::1")
    assert judge_answer(()) == HopRefusal(HopCode.NO_ADDRESS)
    for answer in (("9.9.9.9", "10.0.0.1"), ("::1", "9.9.9.9"), ("9.9.9.9", "fe80::1%1"), ("nonsense",)):
        judged = judge_answer(answer)
        assert isinstance(judged, HopRefusal)
        assert judged.not_public


@pytest.mark.ruling("R16")
def test_a_journey_ends_at_its_limit_and_in_no_loop():
    journey = Journey(max_redirects=2)
    at = journey.start("https://shop.example/0")
    assert isinstance(at, JudgedUrl)
    for hop in (1, 2):
        step = journey.follow(at, f"/{hop}")
        assert isinstance(step, JudgedUrl)
        at = step
    assert journey.redirects == 2
    assert journey.follow(at, "/3") == HopRefusal(HopCode.TOO_MANY)
    assert journey.follow(at, "/1#again") == HopRefusal(HopCode.LOOP)
    step = journey.follow(at, "http://169.254.169.254/")
    assert isinstance(step, UrlRefusal)
    assert step.not_public


def test_a_written_world_is_judged_hop_by_hop():
    world = World(("9.9.9.9",), {"inner.example": ("10.0.0.5",)}, ("https://inner.example/",))
    refused = judge_journey("https://shop.example/", world)
    assert isinstance(refused, HopRefusal)
    assert refused.detail == "private"
    assert isinstance(judge_journey("https://shop.example/", World(redirects=("/a", "/b"))), JudgedUrl)
    assert judge_journey("https://shop.example/", World(())) == HopRefusal(HopCode.NO_ADDRESS)
    assert isinstance(judge_journey("https://9.9.9.9/", World(())), JudgedUrl)  # nobody asks for an address
