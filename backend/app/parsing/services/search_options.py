"""What a plan may ask of a search beside its words: one vocabulary for all providers, read and checked in one place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ...kernel.calls import ParamValue
from ...kernel.models import FrozenModel
from ...kernel.providers import Fault, ProviderError, ServiceQuery

__all__ = ["EARLIEST_YEAR", "OPTION_VALUES", "SearchOptions", "read_options", "with_operators"]

EARLIEST_YEAR: Final = 1000
_LATEST_YEAR: Final = 9999
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Za-z]{2,10}){0,2}")
_COUNTRY: Final = re.compile(r"[A-Za-z]{2}")
_SITE: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}")
_PHRASE: Final = re.compile(r"[^\s\"\x00-\x1f\x7f][^\"\x00-\x1f\x7f]{0,299}")
_MOST_SITES: Final = 20

OPTION_VALUES: Final[Mapping[str, str]] = {
    "author": "a name",
    "color_type": "`color`, `gray`, `mono`, `trans`",
    "country": "ISO 3166-1, two letters",
    "dominant_color": (
        "`black`, `blue`, `brown`, `gray`, `green`, `orange`, `pink`, `purple`, `red`, `teal`, `white`, `yellow`"
    ),
    "exact_terms": "a phrase that has to stand there",
    "exclude_terms": "words that must not stand there",
    "file_type": "`jpg`, `gif`, `png`, `bmp`, `svg`, `webp`",
    "journal": "a name",
    "language": "ISO 639-1",
    "open_access": "true or false",
    "safe": "`off`, `medium`, `high`",
    "sites": "one domain or a list of them",
    "size": "`huge`, `icon`, `large`, `medium`, `small`, `xlarge`, `xxlarge`",
    "sort": "`relevance`, `date`, `citations`",
    "source": "`arxiv`, `pubmed`, `ieee`, `nature`, `springer`",
    "time_range": "`hour`, `day`, `week`, `month`, `year`",
    "type": "`clipart`, `face`, `lineart`, `stock`, `photo`, `animated`",
    "year_from": "a year",
    "year_to": "a year",
}
"""Every option and what may stand in it; `limit` is not one, as every search has it."""

_LISTED: Final = {
    name: frozenset(re.findall(r"`(\w+)`", values)) for name, values in OPTION_VALUES.items() if "`" in values
}
# What every search does by itself is not a wish.
_UNSET: Final = (None, False, (), "", "relevance")
_TEXTS: Final = ("author", "exact_terms", "exclude_terms", "journal")


class SearchOptions(FrozenModel):
    """The options of a question; empty where the plan set none."""

    author: str = ""
    color_type: str = ""
    country: str = ""
    """In lower case, like the language."""
    dominant_color: str = ""
    exact_terms: str = ""
    exclude_terms: tuple[str, ...] = ()
    file_type: str = ""
    journal: str = ""
    language: str = ""
    open_access: bool = False
    safe: str = ""
    sites: tuple[str, ...] = ()
    size: str = ""
    sort: str = ""
    source: str = ""
    """Where a paper was published."""
    time_range: str = ""
    type: str = ""
    year_from: int = 0
    year_to: int = 0


def read_options(asked: ServiceQuery, known: Mapping[str, tuple[str, ...]]) -> SearchOptions | ProviderError:
    """The options, if the provider knows each of them for this kind; one that it does not know is never dropped."""
    given: dict[str, str | int | bool | tuple[str, ...]] = {}
    for name, value in asked.options:
        if value in _UNSET:
            continue
        if name not in known.get(asked.kind, ()):
            return ProviderError(fault=Fault.UNSUPPORTED)
        read = _read(name, value)
        if read is None:
            return ProviderError(fault=Fault.BAD_REQUEST)
        given[name] = read
    return SearchOptions.model_validate(given)


def with_operators(query: str, options: SearchOptions) -> str:
    """The words with the operators that web searches share: `site:`, a quoted phrase, and `-word`."""
    sites = " OR ".join(f"site:{site}" for site in options.sites)
    parts = (
        query,
        f'"{options.exact_terms}"' if options.exact_terms else "",
        *(f"-{word}" for word in options.exclude_terms),
        f"({sites})" if len(options.sites) > 1 else sites,
    )
    return " ".join(part for part in parts if part)


def _read(name: str, value: ParamValue) -> str | int | bool | tuple[str, ...] | None:
    if name == "open_access":
        return True if value is True else None
    if name in ("year_from", "year_to"):
        year = value if isinstance(value, int) and not isinstance(value, bool) else 0
        return year if EARLIEST_YEAR <= year <= _LATEST_YEAR else None
    if name == "sites":
        sites = value if isinstance(value, tuple) else (value,)
        named = tuple(site.lower() for site in sites if isinstance(site, str) and _SITE.fullmatch(site.lower()))
        return named if len(named) == len(sites) and 0 < len(named) <= _MOST_SITES else None
    if not isinstance(value, str):
        return None
    if name in _LISTED:
        return value if value in _LISTED[name] else None
    if name in _TEXTS:
        if not _PHRASE.fullmatch(value):
            return None
        return tuple(value.lstrip("-").split()) if name == "exclude_terms" else " ".join(value.split())
    shape = _LANGUAGE if name == "language" else _COUNTRY
    return value.lower() if shape.fullmatch(value) else None
