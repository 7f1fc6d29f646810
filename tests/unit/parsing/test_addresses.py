"""Addresses: every special block refused from its first to its last, and the neighbours on both sides left alone."""

from __future__ import annotations

import ipaddress

import pytest

from app.parsing.url.addresses import address_refusal, canonical_address, is_address

# Written from the registries, not taken from the product's table.
V4_BLOCKS = [
    ("0.0.0.0", "0.255.255.255"),  # noqa: S104  an address to refuse, nothing is bound
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("168.63.129.16", "168.63.129.16"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "255.255.255.255"),
]
V6_BLOCKS = [
    ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
]


def _edges(blocks, make, top):
    for first, last in blocks:
        low, high = int(make(first)), int(make(last))
        yield from ((str(make(number)), True) for number in (low, (low + high) // 2, high))
        beside = [number for number in (low - 1, high + 1) if 0 <= number <= top]
        inside = [(int(make(a)), int(make(b))) for a, b in blocks]
        yield from (
            (str(make(number)), any(a <= number <= b for a, b in inside)) for number in beside
        )  # a neighbour may lie in another block


@pytest.mark.parametrize(("address", "refused"), list(_edges(V4_BLOCKS, ipaddress.IPv4Address, 2**32 - 1)))
def test_ipv4_blocks_to_their_edges(address, refused):
    assert (address_refusal(address) is not None) is refused


@pytest.mark.parametrize(("address", "refused"), list(_edges(V6_BLOCKS, ipaddress.IPv6Address, 2**128 - 1)))
def test_ipv6_blocks_to_their_edges(address, refused):
    assert (address_refusal(address) is not None) is refused


@pytest.mark.parametrize("prefix", ["::ffff:", "::", "::ffff:0:", "64:ff9b::"])
@pytest.mark.parametrize("inner", ["127.0.0.1", "10.1.2.3", "8.8.4.4"])
def test_ipv4_in_the_clothes_of_ipv6_is_refused(prefix, inner):
    assert address_refusal(prefix + inner) is not None


def test_tunnels_inside_a_public_prefix_are_judged_by_what_they_lead_to():
    assert address_refusal("2a00:1450:1:1:0:5efe:10.0.0.1") == "isatap"
    assert address_refusal("2a00:1450:1:1:200:5efe:192.168.7.7") == "isatap"
    assert address_refusal("2a00:1450:1:1:0:5efe:8.8.8.8") is None
    assert address_refusal("2002:a00:1::") == "six_to_four"
    assert address_refusal("2001:0:4136:e378:8000:63bf:f5ff:fffe") == "teredo"


@pytest.mark.parametrize(
    "text",
    ["", "fe80::1%eth0", "2a00::1%25en0", "256.1.1.1", "1.2.3", "0x7f.0.0.1", "010.0.0.1", "::g", "::1 "],
)
def test_what_is_no_address_is_refused(text):
    assert address_refusal(text) == "not_an_address"
    assert canonical_address(text) is None
    assert not is_address(text)


def test_one_spelling_per_address():
    assert canonical_address("2A00:0:0:0:0:0:0:1") == "2a00::1"
    assert canonical_address("9.9.9.9") == "9.9.9.9"
