"""Judgement never raises, never changes its mind about its own spelling, and never accepts what is not public."""

from __future__ import annotations

import ipaddress
import json

from hypothesis import given
from hypothesis import strategies as st

from app.parsing.url.addresses import address_refusal
from app.parsing.url.host_facts import judge_line
from app.parsing.url.journeys import World, judge_journey
from app.parsing.url.urls import JudgedUrl, UrlRefusal, judge_url, redirect_target

PIECES = st.sampled_from([
    "http://", "https://", "HTTP:", "//", "/", "\\", "@", ":", ":80", ":22", "#", "?", "%", "%2e", "%00", "[", "]",
    "::1", "::ffff:",
    "127.0.0.1", "0x7f", "0177", "10.", "169.254.169.254", "localhost", "local", "internal", ".", "..", "。",
    "shop.example", "xn--",
    "\t", "\n", "\x00", " ", "ß", "①", "\u200b", "\ud800", "a",
])  # fmt: skip
URLS = st.one_of(st.text(st.characters(), max_size=60), st.lists(PIECES, max_size=8).map("".join))
BASE = judge_url("https://shop.example/a")
assert isinstance(BASE, JudgedUrl)


@given(URLS)
def test_any_text_gets_a_verdict_and_the_accepted_spelling_is_stable(text):
    judged = judge_url(text)
    if isinstance(judged, UrlRefusal):
        assert str(judged)
        return
    again = judge_url(judged.href)
    assert again == judged
    assert judged.href.isascii()
    assert judged.scheme in ("http", "https")
    if judged.literal:
        assert ipaddress.ip_address(judged.host).is_global  # weaker than our table, and an independent opinion
    else:
        assert "." in judged.host
        assert not judged.host.endswith((".local", ".localhost", ".internal", "."))


@given(URLS)
def test_any_location_gets_a_verdict(text):
    target = redirect_target(BASE, text)
    assert isinstance(target, JudgedUrl | UrlRefusal)
    if isinstance(target, JudgedUrl):
        assert judge_url(target.href) == target


@given(URLS, st.lists(st.text(st.characters(), max_size=20), max_size=3))
def test_any_world_gets_a_verdict(url, answers):
    judged = judge_journey(url, World(tuple(answers), {}, (url,)))
    assert not isinstance(judged, JudgedUrl)  # it redirects to itself, so it can never be accepted


@given(st.binary(max_size=80))
def test_any_line_gets_a_verdict(line):
    assert judge_line(line)["verdict"] in ("refuse", "accept")
    nested = {"url": "https://shop.example/", "resolves_to": line.decode("latin-1"), "redirect_to": [1]}
    assert judge_line(json.dumps(nested).encode())["verdict"] == "refuse"


@given(st.ip_addresses())
def test_no_address_is_called_public_that_the_standard_library_calls_local(address):
    if address_refusal(str(address)) is None:
        assert not any((address.is_private, address.is_loopback, address.is_link_local, address.is_multicast))
