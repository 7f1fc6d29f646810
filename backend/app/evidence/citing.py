"""Cites a web page in APA (7th edition) and MLA (9th edition), as plain text, whatever the page says about itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pydantic import ConfigDict, Field

from ..kernel.models import FrozenModel, Text
from ..parsing.html.links import host_of
from ..parsing.text.clean_text import cleaned
from ..parsing.text.dates import iso_date_of_ms, iso_prefix, known_date
from ..parsing.text.text_cuts import cut_text
from .author_names import Author, read_authors

__all__ = ["Citation", "CitationFormats", "CitationMetadata", "cite"]

_LONGEST: Final = 500  # bytes of a title or a site's name
_LONGEST_BYLINE: Final = 2_000
_LONGEST_URL: Final = 8_192
_NO_TITLE: Final = "[Web page]"
_MOST_NAMED: Final = 20
_NAMED_OF_MORE: Final = 19
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_SHORT: Final = ("Jan.", "Feb.", "Mar.", "Apr.", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec.")
# Headlines carry the markup of their page now and then. Other words in angle brackets may be what a title is about.
_PASSES: Final = 4
_NO_BRACKETS: Final = dict.fromkeys(map(ord, "<>"))
_MARKUP: Final = re.compile(
    r"</?(?:a|abbr|b|br|cite|code|em|font|i|img|mark|p|q|script|small|span|strong|style|sub|sup|u|wbr)"
    r"(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_NO_URL: Final = re.compile("[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff]")
_ENDS: Final = (".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f")
_CLOSERS: Final = "\"')]\u2019\u201d"
_DOUBLE_QUOTES: Final = re.compile('["\u201c\u201d]')


class CitationMetadata(FrozenModel):
    """What a page says about itself; empty where it says nothing, but the site is then its host."""

    title: Text
    author: Text
    site: Text
    date: Text
    """`YYYY-MM-DD`, `YYYY-MM` or `YYYY`."""


class CitationFormats(FrozenModel):
    """The reference as it stands in a list of works; plain text, so nothing is in italics."""

    apa: Text
    mla: Text


class Citation(FrozenModel):
    """How to cite a page; `accessedDate` at a door."""

    model_config = ConfigDict(validate_by_alias=True, validate_by_name=True, serialize_by_alias=True)

    url: Text
    accessed_date: Text = Field(alias="accessedDate")
    metadata: CitationMetadata
    formatted: CitationFormats


def cite(
    url: str,
    accessed_ms: int,
    *,
    title: str = "",
    author: str | Sequence[str] = "",
    site: str = "",
    date: str = "",
) -> Citation:
    """The citation of a page that was read at `accessed_ms`; there is always one, if only of the address."""
    address = _NO_URL.sub("", url)[:_LONGEST_URL]
    accessed = iso_date_of_ms(accessed_ms)
    known = CitationMetadata(
        title=_line(title, _LONGEST),
        author=_byline(author),
        site=_line(site, _LONGEST) or host_of(address),
        date=iso_prefix(date),
    )
    told = read_authors(known.author if isinstance(author, str) else [_line(one, _LONGEST) for one in author[:100]])
    # Whoever is called like the site is no person, however the name looks.
    names = tuple(Author(one.straight) if _same(known.site, one.straight) else one for one in told)
    return Citation(
        url=address,
        accessed_date=accessed,
        metadata=known,
        formatted=CitationFormats(
            apa=_apa(address, accessed, known, names),
            mla=_mla(address, accessed, known, names),
        ),
    )


def _apa(url: str, accessed: str, known: CitationMetadata, names: tuple[Author, ...]) -> str:
    """Author. (Date). Title. Site. Address; an undated page may change, so the day it was read stands before it."""
    title = _ended(known.title or _NO_TITLE)
    date = f"({_apa_date(known.date) or 'n.d.'})."
    parts = [_ended(_apa_authors(names)), date, title] if names else [title, date]
    if not _same(known.site, known.title) and not any(_same(known.site, one.family) for one in names):
        parts.append(_ended(known.site))
    read = _apa_day(accessed) if not known.date else ""
    parts.append(f"Retrieved {read}, from {url}" if read else url)
    return " ".join(filter(None, parts))


def _mla(url: str, accessed: str, known: CitationMetadata, names: tuple[Author, ...]) -> str:
    """Author. "Title." Site, Date, Address. Accessed Day; whoever publishes its own page is named as the site only."""
    parts = []
    if names and not any(_same(known.site, one.family) for one in names):
        parts.append(_ended(_mla_authors(names)))
    if known.title:
        parts.append(f'"{_ended(_DOUBLE_QUOTES.sub(chr(39), known.title))}"')
    site = "" if _same(known.site, known.title) else known.site
    parts.append(", ".join(filter(None, (site, _mla_day(known.date), url))) + ".")
    if accessed:
        parts.append(f"Accessed {_mla_day(accessed)}.")
    return " ".join(parts)


def _apa_authors(names: tuple[Author, ...]) -> str:
    """Up to twenty, the last behind an ampersand; of more, the first nineteen and the last."""
    if len(names) > _MOST_NAMED:
        return f"{', '.join(one.initials for one in names[:_NAMED_OF_MORE])}, . . . {names[-1].initials}"
    *most, last = (one.initials for one in names)
    return f"{', '.join(most)}, & {last}" if most else last


def _mla_authors(names: tuple[Author, ...]) -> str:
    """Only the first is turned round; more than two are the first and others."""
    first = names[0].inverted
    if len(names) > 2:
        return f"{first}, et al."
    return f"{first}, and {names[1].straight}" if len(names) == 2 else first


def _apa_date(date: str) -> str:
    year, month, day = known_date(date)
    if not year:
        return ""
    return f"{year:04d}" + (f", {_MONTHS[month - 1]}" if month else "") + (f" {day}" if day else "")


def _apa_day(date: str) -> str:
    year, month, day = known_date(date)
    return f"{_MONTHS[month - 1]} {day}, {year}" if day else ""


def _mla_day(date: str) -> str:
    year, month, day = known_date(date)
    words = (str(day) if day else "", _SHORT[month - 1] if month else "", f"{year:04d}" if year else "")
    return " ".join(filter(None, words))


def _byline(author: str | Sequence[str]) -> str:
    whole = author if isinstance(author, str) else "; ".join(one[:_LONGEST] for one in author[:100])
    return _line(whole, _LONGEST_BYLINE)


def _line(text: str, longest: int) -> str:
    """One clean line without the markup of a page, cut at a word with a mark where it was too long."""
    near = text[: 4 * longest]
    line = " ".join(cleaned(near).text.split())
    for _ in range(_PASSES):  # what is taken out may leave another one behind
        line = _MARKUP.sub("", line)
    if _MARKUP.search(line):
        line = line.translate(_NO_BRACKETS)
    cut, missing = cut_text(" ".join(line.split()), longest)
    return f"{cut}\u2026" if cut and (missing or len(near) < len(text)) else cut


def _ended(text: str) -> str:
    """With a full stop, unless it ends with a mark of its own."""
    return text if not text or text.rstrip(_CLOSERS).endswith(_ENDS) else f"{text}."


def _same(one: str, other: str) -> bool:
    return bool(one) and one.casefold() == other.casefold()
