"""How long a stored response may be used, and how to ask whether it still holds: RFC 9111 for a private cache."""

from __future__ import annotations

from typing import Final

from .fields import Fields, cache_directives, field_value, http_date_ms, whole_number
from .rate_fields import RATE_FIELDS

__all__ = ["KEPT_FIELDS", "conditions", "fresh_until_ms", "may_be_kept"]

# What later readers need of a response's header; everything else is dropped at once.
KEPT_FIELDS: Final = RATE_FIELDS | frozenset({
    "age", "cache-control", "content-disposition", "content-language", "content-type", "date", "etag", "expires",
    "last-modified", "link", "retry-after", "vary", "x-robots-tag",
})  # fmt: skip
_LONGEST_MS: Final = 24 * 3_600_000
_GUESS_MAX_MS: Final = 3_600_000


def may_be_kept(fields: Fields) -> bool:
    """Whether the server allows a private copy; one that can neither stay fresh nor be asked about is not worth it."""
    directives = cache_directives(field_value(fields, "cache-control"))
    if "no-store" in directives or "*" in field_value(fields, "vary"):
        return False
    return bool(conditions(fields)) or fresh_until_ms(fields, 0) > 0


def fresh_until_ms(fields: Fields, received_at_ms: int) -> int:
    """Until when it may be used unasked: as it says, else a tenth of its age at an hour at most; a day is the limit."""
    return received_at_ms + max(0, min(_LONGEST_MS, _lifetime_ms(fields) - _age_ms(fields)))


def conditions(fields: Fields) -> tuple[tuple[str, str], ...]:
    """The request fields that ask for a newer copy only."""
    etag, modified = field_value(fields, "etag"), field_value(fields, "last-modified")
    asked = []
    if etag:
        asked.append(("If-None-Match", etag))
    if http_date_ms(modified) is not None:
        asked.append(("If-Modified-Since", modified))
    return tuple(asked)


def _lifetime_ms(fields: Fields) -> int:
    directives = cache_directives(field_value(fields, "cache-control"))
    if "no-cache" in directives:
        return 0
    if "max-age" in directives:
        return (whole_number(directives["max-age"]) or 0) * 1000
    sent = http_date_ms(field_value(fields, "date"))
    expires = field_value(fields, "expires")
    if expires:
        ends = http_date_ms(expires)
        return ends - sent if ends is not None and sent is not None else 0
    modified = http_date_ms(field_value(fields, "last-modified"))
    if sent is None or modified is None:
        return 0
    return min(_GUESS_MAX_MS, (sent - modified) // 10)


def _age_ms(fields: Fields) -> int:
    return (whole_number(field_value(fields, "age")) or 0) * 1000
