"""Remembers what sites say in their robots.txt, per tenant, for as long as that may be believed."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Final

from ...kernel.ports import Clock
from ...parsing.http.robots import RobotsRules

__all__ = ["RobotsMemory"]

_KEPT_MS: Final = 3_600_000
_REFUSED_FOR_MS: Final = 300_000
_REMEMBERED: Final = 1_024

Origin = tuple[str, str, int]


class RobotsMemory:
    """Rules by tenant and origin; the oldest are forgotten."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[str, Origin], tuple[RobotsRules, int]] = OrderedDict()
        self._lock = Lock()  # for hosts with several threads

    def known(self, tenant: str, origin: Origin) -> RobotsRules | None:
        """The rules, or None where the site has to be asked."""
        rules, until_ms = self._kept.get((tenant, origin), (None, 0))
        return rules if self._clock.now_ms() < until_ms else None

    def keep(self, tenant: str, origin: Origin, rules: RobotsRules) -> None:
        """Remember rules for an hour; a site that could not say anything is asked again after five minutes."""
        for_ms = _REFUSED_FOR_MS if rules.refuses_all else _KEPT_MS
        with self._lock:
            self._kept[tenant, origin] = rules, self._clock.now_ms() + for_ms
            self._kept.move_to_end((tenant, origin))
            if len(self._kept) > _REMEMBERED:
                self._kept.popitem(last=False)
