"""The ledger as a port: rate, budget and idempotency in one decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..ledger import LedgerStanding, LedgerState, Refused, Reservation, Reserved

__all__ = ["Ledger", "LedgerRule"]


class LedgerRule(Protocol):
    """The decision, as a pure function; a store runs it inside one transaction."""

    def __call__(self, state: LedgerState, wish: Reservation, now_ms: int) -> Reserved | Refused: ...


class Ledger(Protocol):
    """Rate, budget and idempotency in one atomic decision (R9, R11); while a lock stands, `give_up` is asked.

    Raises:
        StoreUnusable: the store is damaged or full.
        StoreBusy: it stays locked by another process.
    """

    async def reserve(self, wish: Reservation, give_up: Callable[[], bool] | None = None) -> Reserved | Refused: ...

    async def settle(self, reservation_id: str, spent_units: int) -> None: ...

    async def release_session(self, session_id: str) -> int: ...

    async def standing(self, subject: str, session_id: str) -> LedgerStanding: ...
