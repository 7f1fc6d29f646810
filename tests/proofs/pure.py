"""Pure functions of the product with their contracts as asserts; CrossHair searches for arguments that break one."""

from __future__ import annotations

from ipaddress import IPv4Address

from app.parsing.http.fields import _days
from app.parsing.url.addresses import _v4
from app.research.adapter import _cut_cause
from app.research.ledger import _calls_of, _earliest_fit
from app.research.policy import _smaller

_MINUTE_MS = 60_000


def narrowing_takes_the_smaller(cap: int, wish: int | None) -> None:
    """Never above the cap, never above the wish, and one of the two."""
    assert cap >= 1
    assert wish is None or wish >= 1
    got = _smaller(cap, wish)
    assert got <= cap
    assert wish is None or got <= wish
    assert got in (cap, wish)


def calls_of_a_window_are_their_sum(first: int, second: int, third: int) -> None:
    """The moments do not matter."""
    assert first >= 1
    assert second >= 1
    assert third >= 1
    assert _calls_of(((5, first), (7, second), (7, third))) == first + second + third


def the_earliest_fit_is_exact(at1: int, calls1: int, at2: int, calls2: int, excess: int) -> None:
    """At that moment enough has run out; with one reservation less it had not."""
    assert 0 <= at1 <= at2
    assert calls1 >= 1
    assert calls2 >= 1
    assert excess >= 1
    got = _earliest_fit(((at1, calls1), (at2, calls2)), excess)
    if excess <= calls1:
        assert got == at1 + _MINUTE_MS
    elif excess <= calls1 + calls2:
        assert got == at2 + _MINUTE_MS
    else:
        assert got is None


def a_cut_has_the_cause_that_came_first(cancelled: bool, total_bound: bool) -> None:
    """Who has gone away is not told of limits."""
    assert (cancelled, total_bound) in ((True, True), (True, False), (False, True), (False, False))
    want = "cancelled" if cancelled else "total_timeout" if total_bound else "per_call_timeout"
    assert _cut_cause(cancelled, total_bound).value == want


def a_day_follows_a_day(year: int, day: int) -> None:
    """Within a month days count up by one, and a year has as many as the calendar says."""
    assert 1970 <= year <= 9998
    assert 1 <= day <= 30
    assert _days(year, 1, day + 1) == _days(year, 1, day) + 1
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    assert _days(year + 1, 1, 1) - _days(year, 1, 1) == (366 if leap else 365)
    assert _days(year, 3, 1) - _days(year, 2, 28) == (2 if leap else 1)


def private_addresses_are_never_public(number: int) -> None:
    """The blocks that must never get a packet, written down here as numbers."""
    assert 0 <= number < 2**32
    top = number // 2**24
    hidden = top in (0, 10, 127) or top >= 224 or number // 2**20 == 0xAC1 or number // 2**16 in (0xC0A8, 0xA9FE)
    if hidden or number // 2**22 == 0x6440 // 2**6:
        assert _v4(IPv4Address(number)) is not None
    elif 1 <= top <= 9 or 11 <= top <= 99 or 204 <= top <= 223:
        assert _v4(IPv4Address(number)) is None
