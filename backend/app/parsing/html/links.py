"""Resolves a page's links, by the same rules on every Python: only http and https come out."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["absolute_url", "host_of", "path_of"]

_ADDRESS: Final = re.compile(r"(https?):/{0,2}([^/?#]*)([^?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_LONGEST: Final = 2_000
_ESCAPES: Final = {" ": "%20", '"': "%22", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\\": "/", "|": "%7C"}
_SPECIAL: Final = re.compile(r'[ "()<>\\|]')
_IGNORED: Final = re.compile(r"[\x00-\x1f\x7f]")


def absolute_url(base: str, link: str) -> str:
    """The link, seen from `base`, as an address that is safe inside Markdown; nothing where it is none."""
    if len(link) > _LONGEST or len(base) > _LONGEST:
        return ""
    link = _SPECIAL.sub(lambda found: _ESCAPES[found.group()], _IGNORED.sub("", link).strip())
    if not link:
        return ""
    if (whole := _ADDRESS.fullmatch(link)) is not None:
        return _joined(whole.group(1), whole.group(2), whole.group(3) or "/", whole.group(4))
    if _SCHEME.match(link) is not None:
        return ""
    seen_from = _ADDRESS.fullmatch(_SPECIAL.sub(lambda found: _ESCAPES[found.group()], base.strip()))
    if seen_from is None:
        return ""
    scheme, host, path, rest = seen_from.groups()
    if link.startswith("//"):
        return absolute_url("", f"{scheme}:{link}")
    if link.startswith("#"):
        return _joined(scheme, host, path or "/", rest.partition("#")[0] + link)
    if link.startswith("?"):
        return _joined(scheme, host, path or "/", link)
    cut = len(link) if (found := re.search(r"[?#]", link)) is None else found.start()
    place, rest = link[:cut], link[cut:]
    if not place.startswith("/"):
        place = f"{path[: path.rfind('/') + 1] or '/'}{place}"
    return _joined(scheme, host, place, rest)


def host_of(url: str) -> str:
    """The host of an http address in lower case, without user, port and a leading `www.`."""
    found = _ADDRESS.fullmatch(url.strip()[:_LONGEST])
    if found is None:
        return ""
    host = found.group(2).rpartition("@")[2].lower().rstrip(".")
    host = host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]
    return host.removeprefix("www.")


def path_of(url: str) -> str:
    """The path of an http address."""
    found = _ADDRESS.fullmatch(url.strip()[:_LONGEST])
    return found.group(3) if found is not None else ""


def _joined(scheme: str, host: str, path: str, rest: str) -> str:
    return f"{scheme.lower()}://{host.lower()}{_without_dots(path)}{rest}" if host else ""


def _without_dots(path: str) -> str:
    parts: list[str] = []
    segments = path.split("/")
    for place, segment in enumerate(segments):
        if segment in (".", ".."):
            if segment == ".." and len(parts) > 1:
                parts.pop()
            if place == len(segments) - 1:
                parts.append("")
        else:
            parts.append(segment)
    return "/".join(parts)
