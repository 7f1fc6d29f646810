"""The records of an answer, built the same way for every provider: safe URLs, plain text, one vocabulary of facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from ...kernel.providers import Fault, HttpAnswer, Parsed, ProviderError, ServiceHit
from ..refusal import ParseRefused, Refusal
from ..text.json_values import items_of
from .dois import doi_of, doi_url
from .published import date_facts
from .service_answers import (
    facts,
    lines_of,
    load_records,
    number_of,
    plain_fragment,
    plain_line,
    text_of,
    web_locator,
)

__all__ = [
    "MOST_RECORDS",
    "UNREADABLE",
    "UNSUPPORTED",
    "json_of",
    "paper",
    "parsed",
    "people",
    "record",
    "records",
    "url_of",
]

MOST_RECORDS: Final = 1_000
UNREADABLE: Final = ProviderError(fault=Fault.UNREADABLE)
"""The body is not what the service promises."""
TOO_LARGE: Final = ProviderError(fault=Fault.TOO_LARGE)
UNSUPPORTED: Final = ProviderError(fault=Fault.UNSUPPORTED)
"""The body can be read, and is an answer to something else."""

_FEWEST_LETTERS: Final = 20
_LONGEST_URL: Final = 2_000
_LONGEST_TEXT: Final = 20_000
_MOST_PEOPLE: Final = 30
_NAMED_PEOPLE: Final = 3
# With these some engines mark the words that were searched for.
_MARKS: Final = re.compile("[\ue000\ue001]")
_NUMBERED: Final = ("height", "width")


def json_of(answer: HttpAnswer) -> Any:
    """The JSON value of a body; a `ProviderError` where there is none."""
    try:
        return load_records(answer.body)
    except ParseRefused as exc:
        return TOO_LARGE if exc.refusal is Refusal.TOO_LARGE else UNREADABLE


def url_of(value: Any) -> str:
    """A URL that may be shown and fetched, as it stands there; empty for everything else."""
    return web_locator(value.strip()) if isinstance(value, str) and len(value) <= _LONGEST_URL else ""


def record(url: Any, title: Any, text: Any, *pairs: tuple[str, str]) -> ServiceHit | None:
    """One record; None where its URL is unsafe or missing. A text too short to be evidence is given its title and URL.

    A date among the pairs (`published`) may be in any spelling; one that cannot be read is left out.
    """
    locator = url_of(url)
    if not locator:
        return None
    name, said = _plain(plain_line(title)), _plain(plain_fragment(text))
    if len(said) < _FEWEST_LETTERS:
        said = ". ".join(part for part in (said, name if name != said else "", locator) if part)
    return ServiceHit(locator=locator, title=name, text=said, metadata=tuple(_told(pairs)))


def records(rows: Any, make: Callable[[Any], ServiceHit | None]) -> tuple[ServiceHit, ...]:
    """What becomes of the rows of a list, in their order; the same place with the same picture counts once."""
    found: dict[tuple[str, str], ServiceHit] = {}
    for row in items_of(rows, MOST_RECORDS):
        hit = make(row)
        if hit is not None:
            found.setdefault((hit.locator, dict(hit.metadata).get("image", "")), hit)
    return tuple(found.values())


def parsed(
    rows: Any, make: Callable[[Any], ServiceHit | None], total: str | None = None, next_page: str | None = None
) -> Parsed | ProviderError:
    """The answer behind a list; anything but a list is unreadable, and so are rows of which none can be used."""
    if not isinstance(rows, list):
        return UNREADABLE
    hits = records(rows, make)
    return UNREADABLE if rows and not hits else Parsed(hits=hits, total=total, next_page=next_page)


def people(names: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Authors as facts, the first of a long list."""
    for number, name in enumerate(names):
        if number == _MOST_PEOPLE:
            return
        if text := plain_line(name, 200):
            yield "author", text


def paper(title: Any, abstract: Any, url: Any, doi: Any, *pairs: tuple[str, str]) -> ServiceHit | None:
    """A scholarly work: under its DOI, or else under the URL; without an abstract its text is its reference."""
    number = doi_of(text_of(doi))
    locator = (url_of(doi_url(number)) if number else "") or url_of(url)
    if not locator:
        return None
    name, said = _plain(plain_line(title)), _plain(plain_fragment(abstract))
    about = tuple(_told((("doi", number), *pairs)))
    if len(said) < _FEWEST_LETTERS:
        said = _reference(name, about, locator)
    return ServiceHit(locator=locator, title=name, text=said, metadata=about)


def _reference(title: str, about: tuple[tuple[str, str], ...], locator: str) -> str:
    """Authors, title, journal, date and place in one line."""
    authors = [value for key, value in about if key == "author"]
    named = "; ".join(authors[:_NAMED_PEOPLE]) + (" et al" if len(authors) > _NAMED_PEOPLE else "")
    where = [value for key, value in about if key in ("journal", "published")]
    parts = (named, title or "Work without a title", *where, locator)
    return lines_of(". ".join(part for part in parts if part))


def _plain(text: str) -> str:
    return _MARKS.sub("", text)[:_LONGEST_TEXT]


def _told(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, value in facts(*pairs):
        if name == "published":
            yield from date_facts(value)
        elif name in ("image", "pdf", "thumbnail"):
            if url := url_of(value):
                yield name, url
        elif name in _NUMBERED:
            if number_of(value):
                yield name, value
        else:
            yield name, value
