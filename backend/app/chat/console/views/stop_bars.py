"""Stops over time as stacked bars that lead to their requests, and latency and units beneath."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from ....archive.session_index import IndexedSession
from ....kernel.stops import StopReason
from .shown_words import day_time, millis, stop_family

__all__ = ["BarColumn", "BarPart", "LegendEntry", "Percentiles", "StopBars", "bars_of"]

WIDTH: Final = 1_200
HEIGHT: Final = 150
_COLUMNS: Final = 48
_GAP: Final = 3
_CODES: Final = tuple(code.value for code in StopReason)
_HOUR: Final = 3_600_000
_SPANS: Final = {"1h": _HOUR, "6h": 6 * _HOUR, "24h": 24 * _HOUR, "7d": 168 * _HOUR, "30d": 720 * _HOUR}


@dataclass(frozen=True, slots=True)
class BarPart:
    """The sessions of one stop in one column."""

    y: int
    height: int
    family: str
    title: str
    query: str


@dataclass(frozen=True, slots=True)
class BarColumn:
    """One piece of time."""

    x: int
    width: int
    parts: tuple[BarPart, ...]


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One stop with its count in the whole span."""

    stop: str
    family: str
    count: int
    query: str


@dataclass(frozen=True, slots=True)
class Percentiles:
    """What half and what nearly all sessions took and spent."""

    sessions: int
    took_p50: str
    took_p95: str
    units_p50: str
    units_p95: str


@dataclass(frozen=True, slots=True)
class StopBars:
    """The drawing, its legend and its numbers."""

    width: int
    height: int
    span: str
    spans: tuple[str, ...]
    columns: tuple[BarColumn, ...]
    legend: tuple[LegendEntry, ...]
    most: int
    begin: str
    end: str
    numbers: Percentiles


def bars_of(rows: Sequence[IndexedSession], span: str, now_ms: int) -> StopBars:
    """The bars of a span up to now; a day, or more where that shows nothing."""
    chosen = span if span in _SPANS else _fitting(rows, now_ms)
    step = _SPANS[chosen] // _COLUMNS
    end_ms = (now_ms // step + 1) * step
    begin_ms = end_ms - _COLUMNS * step
    inside = [row for row in rows if begin_ms <= row.started_at_ms < end_ms]
    columns = [Counter[str]() for _ in range(_COLUMNS)]
    for row in inside:
        columns[(row.started_at_ms - begin_ms) // step][_name(row)] += 1
    most = max((sum(column.values()) for column in columns), default=0)
    return StopBars(
        width=WIDTH,
        height=HEIGHT,
        span=chosen,
        spans=tuple(_SPANS),
        columns=tuple(
            _column(number, column, most, begin_ms + number * step, step) for number, column in enumerate(columns)
        ),
        legend=_legend(inside, begin_ms, end_ms),
        most=most,
        begin=f"{day_time(begin_ms)[:16]} UTC",
        end=f"{day_time(end_ms)[:16]} UTC",
        numbers=_percentiles(inside),
    )


def _fitting(rows: Sequence[IndexedSession], now_ms: int) -> str:
    newest = max((row.started_at_ms for row in rows), default=now_ms)
    return next((name for name in ("24h", "7d") if now_ms - newest < _SPANS[name]), "30d")


def _name(row: IndexedSession) -> str:
    return row.state if row.stop is None else row.stop.value


def _family(name: str) -> str:
    return stop_family(StopReason(name)) if name in _CODES else "open"


def _ordered(counts: Counter[str]) -> list[str]:
    """Success at the foot, the most severe on top."""
    codes = list(_CODES)
    return sorted(counts, key=lambda name: -(codes.index(name) if name in codes else len(codes)))


def _column(number: int, counts: Counter[str], most: int, begin_ms: int, step: int) -> BarColumn:
    wide = WIDTH // _COLUMNS
    parts: list[BarPart] = []
    foot = HEIGHT
    for name in _ordered(counts):
        height = max(3, HEIGHT * counts[name] // max(1, most))
        foot = max(0, foot - height)
        chosen = {"stop": name} if name in _CODES else {"state": name}
        query = urlencode({**chosen, "from": begin_ms, "to": begin_ms + step})
        title = f"{counts[name]} {name}, {day_time(begin_ms)[:16]} UTC"
        parts.append(BarPart(foot, height, _family(name), title, query))
    return BarColumn(number * wide, wide - _GAP, tuple(parts))


def _legend(rows: Sequence[IndexedSession], begin_ms: int, end_ms: int) -> tuple[LegendEntry, ...]:
    counts = Counter(_name(row) for row in rows)
    window = {"from": begin_ms, "to": end_ms}
    return tuple(
        LegendEntry(
            name,
            _family(name),
            counts[name],
            urlencode({**({"stop": name} if name in _CODES else {"state": name}), **window}),
        )
        for name in reversed(_ordered(counts))
    )


def _percentiles(rows: Sequence[IndexedSession]) -> Percentiles:
    ended = [row for row in rows if row.stop is not None]
    took = sorted(row.elapsed_ms for row in ended)
    units = sorted(row.spent_units for row in ended)
    if not ended:
        return Percentiles(0, "-", "-", "-", "-")
    return Percentiles(
        len(ended),
        millis(_at(took, 50)),
        millis(_at(took, 95)),
        f"{_at(units, 50):,}",
        f"{_at(units, 95):,}",
    )


def _at(ordered: Sequence[int], percent: int) -> int:
    """The smallest value that so many of a hundred do not pass."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
