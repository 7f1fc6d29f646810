"""Judges an IP address: public, or the reason why nothing may ever be sent there."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

__all__ = ["address_refusal", "canonical_address", "is_address"]

# Own tables from the registries of special-purpose addresses: `is_global` of the standard library changes between
# Python versions and lets several of these through. Reserved blocks are refused whole, their public islands too.
_V4: Final = (
    ("0.0.0.0/8", "this_network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared_carrier"),
    ("127.0.0.0/8", "loopback"),
    ("168.63.129.16/32", "cloud_control"),  # routable, and answered inside one cloud by the machine's own host
    ("169.254.0.0/16", "link_local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "protocol_assignments"),
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "relay_anycast"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
)
_V4_REFUSED: Final = tuple((IPv4Network(block), why) for block, why in _V4)

# IPv6 the other way round: only what is handed out for the public, without the special blocks inside it.
_V6_PUBLIC: Final = IPv6Network("2000::/3")
_V6: Final = (
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("::ffff:0:0/96", "v4_mapped"),
    ("::ffff:0:0:0/96", "v4_translated"),
    ("::/96", "v4_compatible"),
    ("64:ff9b::/96", "nat64"),
    ("64:ff9b:1::/48", "nat64_local"),
    ("100::/64", "discard"),
    ("2001::/32", "teredo"),
    ("2001:2::/48", "benchmarking"),
    ("2001::/23", "protocol_assignments"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "six_to_four"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment_routing"),
    ("fc00::/7", "unique_local"),
    ("fe80::/10", "link_local"),
    ("fec0::/10", "site_local"),
    ("ff00::/8", "multicast"),
)
_V6_REFUSED: Final = tuple((IPv6Network(block), why) for block, why in _V6)
_ISATAP: Final = (0x0000_5EFE, 0x0200_5EFE)


def address_refusal(text: str) -> str | None:
    """The reason to refuse an address as a resolver or a URL spells it, or None where it is public."""
    address = _parsed(text)
    if address is None:
        return "not_an_address"
    if isinstance(address, IPv4Address):
        return _v4(address)
    for block, why in _V6_REFUSED:
        if address in block:
            return why
    if address not in _V6_PUBLIC:
        return "not_allocated"
    number = int(address)
    # A tunnel that leads to an IPv4 address hides in the lower half of an otherwise public one.
    if (number >> 32) & 0xFFFF_FFFF in _ISATAP and _v4(IPv4Address(number & 0xFFFF_FFFF)) is not None:
        return "isatap"
    return None


def canonical_address(text: str) -> str | None:
    """One spelling per address, or None where the text is no address."""
    address = _parsed(text)
    return None if address is None else str(address)


def is_address(text: str) -> bool:
    """Whether the text is an IPv4 or IPv6 address without a zone."""
    return _parsed(text) is not None


def _v4(address: IPv4Address) -> str | None:
    for block, why in _V4_REFUSED:
        if address in block:
            return why
    return None


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    if "%" in text:  # a zone names an interface of this machine
        return None
    try:
        return IPv6Address(text) if ":" in text else IPv4Address(text)
    except AddressValueError:
        return None
