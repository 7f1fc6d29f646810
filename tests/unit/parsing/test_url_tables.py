"""The tables of URL judgement to their last entry: ports, names, blocks with their reasons, limits and words."""

from __future__ import annotations

import pytest

from app.parsing.url.addresses import address_refusal, is_address
from app.parsing.url.journeys import HopCode, HopRefusal, Journey, World, judge_answer, judge_journey
from app.parsing.url.urls import (
    JudgedUrl,
    UrlCode,
    UrlRefusal,
    is_host_and_port,
    judge_own_service,
    judge_url,
    redirect_target,
)

# Written from the fetch standard's list, not taken from the product's table.
PORTS = (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 "
    "135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 "
    "995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
)
NAMES = "alt corp home internal intranet invalid lan local localdomain localdomain6 localhost onion private svc"
# First, last, and what the reason is called.
BLOCKS = [
    ("0.0.0.0", "0.255.255.255", "this_network"),  # noqa: S104  an address to refuse, nothing is bound
    ("10.0.0.0", "10.255.255.255", "private"),
    ("100.64.0.0", "100.127.255.255", "shared_carrier"),
    ("127.0.0.0", "127.255.255.255", "loopback"),
    ("168.63.129.16", "168.63.129.16", "cloud_control"),
    ("169.254.0.0", "169.254.255.255", "link_local"),
    ("172.16.0.0", "172.31.255.255", "private"),
    ("192.0.0.0", "192.0.0.255", "protocol_assignments"),
    ("192.0.2.0", "192.0.2.255", "documentation"),
    ("192.88.99.0", "192.88.99.255", "relay_anycast"),
    ("192.168.0.0", "192.168.255.255", "private"),
    ("198.18.0.0", "198.19.255.255", "benchmarking"),
    ("198.51.100.0", "198.51.100.255", "documentation"),
    ("203.0.113.0", "203.0.113.255", "documentation"),
    ("224.0.0.0", "239.255.255.255", "multicast"),
    ("240.0.0.0", "255.255.255.255", "reserved"),
    ("::", "::", "unspecified"),
    ("::1", "::1", "loopback"),
    ("::2", "::ffff:ffff", "v4_compatible"),
    ("::ffff:0:0", "::ffff:ffff:ffff", "v4_mapped"),
    ("::ffff:0:0:0", "::ffff:0:ffff:ffff", "v4_translated"),
    ("64:ff9b::", "64:ff9b::ffff:ffff", "nat64"),
    ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "nat64_local"),
    ("100::", "100::ffff:ffff:ffff:ffff", "discard"),
    ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "teredo"),
    ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", "benchmarking"),
    ("2001:3::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "protocol_assignments"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "six_to_four"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
    ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "segment_routing"),
    ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "unique_local"),
    ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link_local"),
    ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site_local"),
    ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"),
    ("1:2::", "1:2::3", "not_allocated"),
    ("4000::", "5eff::", "not_allocated"),
]


def test_exactly_the_listed_ports_are_blocked():
    listed = {int(port) for port in PORTS.split()}
    blocked = set()
    for port in range(10_100):
        judged = judge_url(f"http://mill.example:{port}/")
        if isinstance(judged, UrlRefusal):
            assert (judged.code, judged.detail) == (UrlCode.PORT, str(port))
            blocked.add(port)
        else:
            assert judged.port == port
    assert blocked == listed


@pytest.mark.parametrize("name", NAMES.split())
def test_every_local_name_is_refused_alone_and_below_others(name):
    for host in (name, f"oven.{name}", f"a.b.{name}."):
        assert judge_url(f"http://{host}/") == UrlRefusal(UrlCode.LOCAL_NAME, name)


@pytest.mark.parametrize(("first", "last", "why"), BLOCKS)
def test_every_block_says_why(first, last, why):
    assert (address_refusal(first), address_refusal(last)) == (why, why)


@pytest.mark.parametrize(
    ("text", "code", "detail"),
    [
        ("mill.example", UrlCode.SCHEME, "none"),
        ("FTP://mill.example/", UrlCode.SCHEME, "ftp"),
        ("https:mill.example", UrlCode.AUTHORITY, "slashes"),
        ("http://mill.example\\x/", UrlCode.AUTHORITY, "backslash"),
        ("http:///x", UrlCode.HOST, "none"),
        ("http://oven.home.arpa/", UrlCode.LOCAL_NAME, "home.arpa"),
        ("http://10.0.0.1/", UrlCode.ADDRESS, "private"),
        ("http://mill/", UrlCode.SINGLE_LABEL, ""),
        (" ", UrlCode.EMPTY, ""),
    ],
)
def test_a_refusal_names_what_decided(text, code, detail):
    assert judge_url(text) == UrlRefusal(code, detail)


def test_the_longest_url_and_the_longest_name_are_allowed():
    longest = "http://mill.example/".ljust(8_192, "a")
    assert isinstance(judge_url(longest), JudgedUrl)
    assert judge_url(f"{longest}a") == UrlRefusal(UrlCode.TOO_LONG)
    stretched = "http://mill.example/".ljust(8_191, "a") + "\u00e4"  # three letters each, once it is escaped
    assert judge_url(stretched) == UrlRefusal(UrlCode.TOO_LONG)
    labels = ".".join(["b" * 63] * 3)
    assert isinstance(judge_url(f"http://{labels}.{'c' * 61}/"), JudgedUrl)
    assert judge_url(f"http://{labels}.{'c' * 62}/") == UrlRefusal(UrlCode.HOST)


def test_words_and_places():
    words = (
        "address_not_public ambiguous_authority control_character empty invalid_host invalid_url local_name not_listed"
    )
    assert [str(UrlRefusal(code)) for code in UrlCode] == [
        *words.split(), "blocked_port", "scheme", "single_label_name", "too_long", "user_info",
    ]  # fmt: skip
    assert str(UrlRefusal(UrlCode.PORT, "22")) == "blocked_port: 22"
    places = {code.value for code in UrlCode if UrlRefusal(code).not_public}
    assert places == {"address_not_public", "local_name", "single_label_name"}
    judged = judge_url("https://mill.example/a?b")
    assert isinstance(judged, JudgedUrl)
    assert (judged.origin, judged.host_and_port) == (("https", "mill.example", 443), "mill.example:443")
    assert not judged.literal
    assert judge_own_service("http://mill:80/", ()) == UrlRefusal(UrlCode.NOT_LISTED, "mill:80")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("mill:8080", True), ("10.0.0.7:81", True), ("[fd00::5]:8080", True), ("mill.example:443", True),
        ("mill", False), ("Mill:8080", False), ("mill:8080/x", False), ("mill:22", False), ("", False),
    ],
)  # fmt: skip
def test_an_entry_of_the_operators_list(text, is_one):
    assert is_host_and_port(text) is is_one


def test_a_journey_has_five_redirects_unless_it_is_told_otherwise():
    journey = Journey()
    at = journey.start("https://mill.example/0")
    assert journey.redirects == 0
    for step in range(5):
        assert isinstance(at, JudgedUrl)
        at = journey.follow(at, f"/{step + 1}")
        assert journey.redirects == step + 1
    assert isinstance(at, JudgedUrl)
    assert journey.follow(at, "/6") == HopRefusal(HopCode.TOO_MANY)


def test_before_its_start_a_journey_has_no_redirects():
    assert Journey().redirects == 0


@pytest.mark.parametrize(
    ("location", "wanted"),
    [
        ("~oven", "https://mill.example/a/~oven"),
        ("/b?c\\d", "https://mill.example/b?c\\d"),
        ("/b#c\\d", "https://mill.example/b"),
        ("/b\\c?d", UrlRefusal(UrlCode.AUTHORITY, "backslash")),
    ],
)
def test_backslashes_and_other_marks_in_a_location(location, wanted):
    base = judge_url("https://mill.example/a/b")
    assert isinstance(base, JudgedUrl)
    target = redirect_target(base, location)
    assert (target.href if isinstance(target, JudgedUrl) else target) == wanted


def test_a_mark_is_not_trimmed_away():
    assert judge_url("~") == UrlRefusal(UrlCode.SCHEME, "none")


def test_a_tunnel_is_known_by_every_bit():
    assert address_refusal("2a00:1450:1:1:0:5efe:168.63.129.16") == "isatap"
    assert address_refusal("2a00:1450:1:1:0:5efe:168.63.129.17") is None
    assert address_refusal("2a00:1450:1:1:0:5eff:10.0.0.1") is None
    assert is_address("9.9.9.9") is True


def test_a_journey_that_may_not_start_says_so():
    assert judge_journey("http://10.0.0.1/", World(())) == UrlRefusal(UrlCode.ADDRESS, "private")


def test_words_of_a_hop():
    words = ["address_not_public", "redirect_loop", "name_not_found", "too_many_redirects"]
    assert [str(HopRefusal(code)) for code in HopCode] == words
    assert str(HopRefusal(HopCode.ADDRESS, "private")) == "address_not_public: private"
    assert UrlRefusal(UrlCode.EMPTY).detail == HopRefusal(HopCode.LOOP).detail == ""
    assert judge_answer(("9.9.9.9", "nonsense")) == HopRefusal(HopCode.ADDRESS, "not_an_address")


def test_a_world_that_says_nothing_resolves_to_a_public_address():
    judged = judge_url("https://mill.example/")
    assert isinstance(judged, JudgedUrl)
    assert judge_answer(World().addresses(judged)) == World().addresses(judged)
