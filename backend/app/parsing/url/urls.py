"""Judges a URL by its text alone: what it names, in the one spelling used from then on, or why it is refused."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ada_url import URL

from .addresses import address_refusal, canonical_address

__all__ = [
    "LONGEST_URL",
    "JudgedUrl",
    "UrlCode",
    "UrlRefusal",
    "is_host_and_port",
    "judge_own_service",
    "judge_url",
    "own_service_of",
    "redirect_target",
]

LONGEST_URL: Final = 8_192
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
# The ports that the fetch standard blocks: services that would take a request for one of their own commands.
_BAD_PORTS: Final = frozenset({
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
})  # fmt: skip
# Names that belong to a machine, a building or nobody, whatever a resolver says about them.
_LOCAL_NAMES: Final = frozenset({
    "alt", "corp", "home", "internal", "intranet", "invalid", "lan", "local", "localdomain", "localdomain6",
    "localhost", "onion", "private", "svc",
})  # fmt: skip
_LOCAL_SUFFIXES: Final = ("home.arpa",)
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f]")
_HEAD: Final = re.compile(r"(?i)(https?)://([^/?#]*)")
_SCHEME: Final = re.compile(r"(?i)[a-z][a-z0-9+.-]*:")
_NAME: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_LONGEST_NAME: Final = 253


class UrlCode(StrEnum):
    """Why a URL is refused before anything is asked about it."""

    ADDRESS = "address_not_public"
    AUTHORITY = "ambiguous_authority"
    CONTROL = "control_character"
    EMPTY = "empty"
    HOST = "invalid_host"
    INVALID = "invalid_url"
    LOCAL_NAME = "local_name"
    NOT_LISTED = "not_listed"
    PORT = "blocked_port"
    SCHEME = "scheme"
    SINGLE_LABEL = "single_label_name"
    TOO_LONG = "too_long"
    USER_INFO = "user_info"


@dataclass(frozen=True, slots=True)
class UrlRefusal:
    """A URL that is not fetched; `detail` names the block or the name that decided."""

    code: UrlCode
    detail: str = ""

    @property
    def not_public(self) -> bool:
        """Whether it named a place that is not public, and not merely something odd (R16)."""
        return self.code in (UrlCode.ADDRESS, UrlCode.LOCAL_NAME, UrlCode.SINGLE_LABEL)

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else str(self.code)


@dataclass(frozen=True, slots=True)
class JudgedUrl:
    """A URL whose text is acceptable; its addresses have still to be judged unless the host is one."""

    href: str
    """The whole URL in the standard's spelling, without a fragment."""
    scheme: str
    host: str
    """A name in ASCII without a dot at its end, or an address without brackets."""
    port: int
    target: str
    """What the request line asks for: path and query."""
    literal: bool
    """Whether the host is an address."""

    @property
    def origin(self) -> tuple[str, str, int]:
        """Scheme, host and port: what credentials, robots.txt and connections belong to."""
        return self.scheme, self.host, self.port

    @property
    def host_and_port(self) -> str:
        """As the operator's list of own services spells it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def authority(self) -> str:
        """The value of the Host header."""
        default = self.port == _DEFAULT_PORTS[self.scheme]
        return self.host_and_port.removesuffix(f":{self.port}") if default else self.host_and_port


def judge_url(text: str) -> JudgedUrl | UrlRefusal:
    """Read a URL as the WHATWG standard does, and refuse whatever another reader could understand differently."""
    judged = _read(text)
    if isinstance(judged, UrlRefusal):
        return judged
    return _not_public(judged) or judged


def judge_own_service(text: str, allowed: Collection[str]) -> JudgedUrl | UrlRefusal:
    """The operator's own service, which may be private: its `host:port` stands in the operator's list, exactly.

    For URLs that the configuration holds. One that came from outside goes through `judge_url`, whatever it names.
    """
    judged = _read(text)
    if isinstance(judged, UrlRefusal) or judged.host_and_port in allowed:
        return judged
    return UrlRefusal(UrlCode.NOT_LISTED, judged.host_and_port)


def is_host_and_port(text: str) -> bool:
    """Whether the text is a `host:port` in the spelling that `judge_own_service` compares with."""
    judged = _read(f"http://{text}/")
    return isinstance(judged, JudgedUrl) and judged.host_and_port == text and judged.target == "/"


def own_service_of(url: str) -> str:
    """The `host:port` of a URL of the operator's configuration, as own services are spelled; empty if invalid."""
    judged = _read(url)
    return judged.host_and_port if isinstance(judged, JudgedUrl) else ""


def redirect_target(base: JudgedUrl, location: str) -> JudgedUrl | UrlRefusal:
    """Where a Location header leads, judged like a URL from a stranger, which is what it is."""
    trimmed = location.strip(" \t")
    if _CONTROLS.search(trimmed):
        return UrlRefusal(UrlCode.CONTROL)
    if _SCHEME.match(trimmed):
        return judge_url(trimmed)
    if "\\" in re.split(r"[?#]", trimmed, maxsplit=1)[0]:
        return UrlRefusal(UrlCode.AUTHORITY, "backslash")
    if trimmed.startswith("//"):
        return judge_url(f"{base.scheme}:{trimmed}")
    try:
        return judge_url(URL(trimmed, base=base.href).href)
    except ValueError:
        return UrlRefusal(UrlCode.INVALID)


def _read(text: str) -> JudgedUrl | UrlRefusal:
    refusal = _odd(text)
    if refusal is not None:
        return refusal
    try:
        url = URL(text)
        url.hash = ""
        scheme, host, named_port = url.protocol.removesuffix(":"), url.hostname, url.port
        secret = bool(url.username or url.password)
        href, target = url.href.removesuffix("#"), f"{url.pathname}{url.search}"
    except ValueError:  # also a lone surrogate, which no URL can hold
        return UrlRefusal(UrlCode.INVALID)
    if scheme not in _DEFAULT_PORTS:
        return UrlRefusal(UrlCode.SCHEME, scheme)
    if secret:
        return UrlRefusal(UrlCode.USER_INFO)
    if len(href) > LONGEST_URL:
        return UrlRefusal(UrlCode.TOO_LONG)
    port = int(named_port) if named_port else _DEFAULT_PORTS[scheme]
    if port in _BAD_PORTS:
        return UrlRefusal(UrlCode.PORT, str(port))
    address = canonical_address(host.removeprefix("[").removesuffix("]"))
    if address is not None:
        return JudgedUrl(href, scheme, address, port, target, literal=True)
    name = host.removesuffix(".")
    if len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        return UrlRefusal(UrlCode.HOST)
    return JudgedUrl(href, scheme, name, port, target, literal=False)


def _odd(text: str) -> UrlRefusal | None:
    """What readers of URLs are known to disagree about."""
    if len(text) > LONGEST_URL:
        return UrlRefusal(UrlCode.TOO_LONG)
    trimmed = text.strip(" ")
    if not trimmed:
        return UrlRefusal(UrlCode.EMPTY)
    if _CONTROLS.search(text):
        return UrlRefusal(UrlCode.CONTROL)
    head = _HEAD.match(trimmed)
    if head is None:
        scheme = _SCHEME.match(trimmed)
        if scheme is None:
            return UrlRefusal(UrlCode.SCHEME, "none")
        name = scheme.group().lower().removesuffix(":")
        # `http:host`, `http:/host` and `http:\\host` are read as a host by some and as a path by others.
        return UrlRefusal(UrlCode.AUTHORITY, "slashes") if name in _DEFAULT_PORTS else UrlRefusal(UrlCode.SCHEME, name)
    authority = head.group(2)
    if not authority:
        return UrlRefusal(UrlCode.HOST, "none")
    if "\\" in authority:
        return UrlRefusal(UrlCode.AUTHORITY, "backslash")
    if "@" in authority:
        return UrlRefusal(UrlCode.USER_INFO)
    return None


def _not_public(url: JudgedUrl) -> UrlRefusal | None:
    if url.literal:
        why = address_refusal(url.host)
        return None if why is None else UrlRefusal(UrlCode.ADDRESS, why)
    labels = url.host.split(".")
    if labels[-1] in _LOCAL_NAMES:
        return UrlRefusal(UrlCode.LOCAL_NAME, labels[-1])
    if len(labels) == 1:
        return UrlRefusal(UrlCode.SINGLE_LABEL)
    for suffix in _LOCAL_SUFFIXES:
        if url.host == suffix or url.host.endswith(f".{suffix}"):
            return UrlRefusal(UrlCode.LOCAL_NAME, suffix)
    return None
