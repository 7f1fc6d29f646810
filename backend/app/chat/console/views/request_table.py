"""The table of requests: filters from the address, counts for every value, one page of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from ....archive.session_index import IndexedSession
from ....kernel.stops import StopReason
from .shown_words import age, day_time, millis, stop_family, visible

__all__ = [
    "FILTERS",
    "FilterGroup",
    "FilterValue",
    "Meter",
    "RequestFilters",
    "RequestRow",
    "RequestTable",
    "filters_of",
    "table_of",
]

PAGE_ROWS: Final = 50
_SEARCHED: Final = 500
FILTERS: Final = ("stop", "action", "capability", "state", "cause")
_METER: Final = 44


@dataclass(frozen=True, slots=True)
class RequestFilters:
    """What the address asks for."""

    chosen: tuple[tuple[str, str], ...] = ()
    words: str = ""
    since_ms: int | None = None
    until_ms: int | None = None
    page: int = 1
    peek: str = ""

    def value(self, name: str) -> str:
        """The value that is chosen for a filter, or nothing."""
        return dict(self.chosen).get(name, "")

    def query(self, **other: str) -> str:
        """The same as a query string, with other values."""
        told: dict[str, str] = dict(self.chosen)
        told |= {"q": self.words, "page": str(self.page) if self.page > 1 else "", "peek": self.peek}
        told |= {"from": _number(self.since_ms), "to": _number(self.until_ms)}
        told |= other
        return urlencode({name: value for name, value in told.items() if value})


@dataclass(frozen=True, slots=True)
class FilterValue:
    """One value with how many sessions have it."""

    name: str
    count: int
    chosen: bool
    family: str
    query: str


@dataclass(frozen=True, slots=True)
class FilterGroup:
    """The values of one filter."""

    name: str
    values: tuple[FilterValue, ...]


@dataclass(frozen=True, slots=True)
class Meter:
    """A tiny bar: how much of a cap was used."""

    text: str
    title: str
    width: int
    full: int
    family: str


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One session in the table."""

    session_id: str
    stop: str
    family: str
    state: str
    action: str
    asked: str
    capability: str
    tenant: str
    calls: Meter
    units: Meter
    took: str
    age: str
    moment: str
    peeked: bool
    peek_query: str


@dataclass(frozen=True, slots=True)
class RequestTable:
    """Everything beside the bars over time."""

    rows: tuple[RequestRow, ...]
    groups: tuple[FilterGroup, ...]
    filters: RequestFilters
    total: int
    matching: int
    searched: int | None
    """How many were looked at for the words of the question, where that was not all."""
    pages: int
    clear_query: str
    newer_query: str
    older_query: str
    window: str


def filters_of(query: Mapping[str, str]) -> RequestFilters:
    """Read the address; what is not understood is left out."""
    return RequestFilters(
        chosen=tuple((name, query[name][:80]) for name in FILTERS if query.get(name)),
        words=query.get("q", "").strip()[:120],
        since_ms=_whole(query.get("from", "")),
        until_ms=_whole(query.get("to", "")),
        page=max(1, _whole(query.get("page", "")) or 1),
        peek=query.get("peek", "")[:80],
    )


def table_of(
    rows: Sequence[IndexedSession],
    filters: RequestFilters,
    question: Callable[[IndexedSession], str],
    now_ms: int,
) -> RequestTable:
    """One page. `question` is asked only for the rows that are shown, and for the newest where words are sought."""
    inside = [row for row in rows if _within(row, filters)]
    matching = [row for row in inside if _matches(row, filters)]
    searched = None
    if filters.words:
        searched = _SEARCHED if len(matching) > _SEARCHED else None
        matching = [row for row in matching[:_SEARCHED] if _has_words(row, filters.words, question)]
    pages = max(1, -(-len(matching) // PAGE_ROWS))
    page = min(filters.page, pages)
    shown = matching[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    return RequestTable(
        rows=tuple(_row(row, filters, question, now_ms) for row in shown),
        groups=tuple(group for name in FILTERS if (group := _group(name, inside, filters)).values),
        filters=filters,
        total=len(rows),
        matching=len(matching),
        searched=searched,
        pages=pages,
        clear_query="",
        newer_query=filters.query(page=str(page - 1), peek="") if page > 1 else "",
        older_query=filters.query(page=str(page + 1), peek="") if page < pages else "",
        window=_window(filters),
    )


def _within(row: IndexedSession, filters: RequestFilters) -> bool:
    after = filters.since_ms is None or row.started_at_ms >= filters.since_ms
    return after and (filters.until_ms is None or row.started_at_ms < filters.until_ms)


def _matches(row: IndexedSession, filters: RequestFilters, but: str = "") -> bool:
    return all(_value(row, name) == wanted for name, wanted in filters.chosen if name != but)


def _value(row: IndexedSession, name: str) -> str:
    match name:
        case "stop":
            return "none" if row.stop is None else row.stop.value
        case "action":
            return "none" if row.action is None else row.action.value
        case "capability":
            return row.capability
        case "cause":
            return "" if row.cause is None else row.cause.value
        case _:
            return "erased" if row.erased else row.state


def _group(name: str, rows: Sequence[IndexedSession], filters: RequestFilters) -> FilterGroup:
    """Counts under all other filters, so that each says how many rows a click would show."""
    counts = Counter(_value(row, name) for row in rows if _matches(row, filters, but=name))
    counts.pop("", None)
    chosen = filters.value(name)
    if chosen and chosen not in counts:
        counts[chosen] = 0
    order = sorted(counts, key=lambda value: (_rank(name, value), -counts[value], value))
    return FilterGroup(
        name,
        tuple(
            FilterValue(
                name=value,
                count=counts[value],
                chosen=value == chosen,
                family=_family(value) if name == "stop" else "",
                query=filters.query(**{name: "" if value == chosen else value, "page": "", "peek": ""}),
            )
            for value in order
        ),
    )


def _rank(name: str, value: str) -> int:
    codes = [code.value for code in StopReason]
    return codes.index(value) if name == "stop" and value in codes else len(codes)


def _family(value: str) -> str:
    return stop_family(StopReason(value)) if value in {code.value for code in StopReason} else "open"


def _has_words(row: IndexedSession, words: str, question: Callable[[IndexedSession], str]) -> bool:
    wanted = words.casefold()
    return row.session_id.startswith(wanted) or wanted in question(row).casefold()


def _row(
    row: IndexedSession, filters: RequestFilters, question: Callable[[IndexedSession], str], now_ms: int
) -> RequestRow:
    return RequestRow(
        session_id=row.session_id,
        stop=row.state if row.stop is None else row.stop.value,
        family=_row_family(row),
        state="erased" if row.erased else row.state,
        action="" if row.action is None else row.action.value,
        asked=visible(question(row)),
        capability=row.capability,
        tenant=row.tenant,
        calls=_meter("calls", row.calls, row.max_calls),
        units=_meter("units", row.spent_units, row.max_units),
        took=millis(row.elapsed_ms),
        age=age(row.started_at_ms, now_ms) if row.started_at_ms else "",
        moment=f"{day_time(row.started_at_ms)} UTC" if row.started_at_ms else "",
        peeked=row.session_id == filters.peek,
        peek_query=filters.query(peek=row.session_id),
    )


def _row_family(row: IndexedSession) -> str:
    return "security" if row.state == "damaged" else stop_family(row.stop)


def _meter(name: str, used: int, cap: int | None) -> Meter:
    if cap is None:
        return Meter(str(used), f"{used} {name}, no cap on record", 0, _METER, "access")
    width = min(_METER, -(-_METER * used // max(1, cap)))
    return Meter(f"{used}/{cap}", f"{used} of {cap} {name}", width, _METER, "limit" if used >= cap else "accent")


def _window(filters: RequestFilters) -> str:
    if filters.since_ms is None and filters.until_ms is None:
        return ""
    since = "the beginning" if filters.since_ms is None else day_time(filters.since_ms)[:16]
    until = "now" if filters.until_ms is None else day_time(filters.until_ms)[:16]
    return f"{since} to {until} UTC"


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 15 else None
