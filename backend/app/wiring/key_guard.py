"""Who may come through a door on the network: the bearer of a key that is valid, within the key's request limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..kernel.ledger import WINDOW_MS, Refused, Reservation
from ..research.ledger import decide
from ..system.api_keys import ApiKey
from ..system.clock import SystemClock
from ..system.data_folder import KEYS_FILE, LEDGER_FILE
from ..system.ids import RandomIds
from ..system.settings import Settings
from ..system.stores.keys.sqlite import KeyStore
from ..system.stores.ledger.sqlite import SqliteLedger

__all__ = ["REQUESTS_PER_MINUTE", "Admitted", "KeyGuard", "NotAdmitted", "open_key_store"]

REQUESTS_PER_MINUTE: Final = 240
"""Of one key, in any 60 seconds; a limit of the door, apart from the caps of the gate."""
_SCHEME: Final = "bearer "
_LEASE_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class NotAdmitted:
    """Why nobody is let in: 401 without a valid key, 429 above the limit."""

    status: int
    retry_after_s: int | None = None


@dataclass(frozen=True, slots=True)
class Admitted:
    """The key that was let in, and how its request limit stands."""

    key: ApiKey
    remaining: int
    reset_s: int
    """In how many seconds the limit is whole again, if nothing more is asked."""


def open_key_store(settings: Settings) -> KeyStore:
    """The keys of a data folder."""
    return KeyStore(settings.data_dir / KEYS_FILE, SystemClock())


class KeyGuard:
    """Reads the header `Authorization`; counts requests in the ledger that all processes share."""

    def __init__(self, settings: Settings) -> None:
        self._clock = SystemClock()
        self._keys = open_key_store(settings)
        self._ledger = SqliteLedger(settings.data_dir / LEDGER_FILE, self._clock, decide)
        self._ids = RandomIds()

    async def admit(self, authorization: str) -> ApiKey | NotAdmitted:
        """The key behind a header, or why there is none.

        Raises:
            StoreUnusable: keys or ledger cannot be read.
        """
        key = self._key(authorization)
        if key is None:
            return NotAdmitted(401)
        counted = await self._counted(key)
        return key if isinstance(counted, str) else counted

    async def admission(self, authorization: str) -> Admitted | NotAdmitted:
        """The same, with how the request limit of the key stands; raises as `admit` does."""
        key = self._key(authorization)
        if key is None:
            return NotAdmitted(401)
        counted = await self._counted(key)
        if isinstance(counted, NotAdmitted):
            return counted
        standing = await self._ledger.standing(_subject(key), counted)
        return Admitted(key, max(0, REQUESTS_PER_MINUTE - standing.window_calls), WINDOW_MS // 1000)

    def _key(self, authorization: str) -> ApiKey | None:
        if not authorization.lower().startswith(_SCHEME):
            return None
        return self._keys.check(authorization[len(_SCHEME) :].strip())

    async def _counted(self, key: ApiKey) -> str | NotAdmitted:
        """Counts one request, under an id of its own."""
        wish = Reservation(
            subject=_subject(key),
            session_id=self._ids.session_id(),
            key="request",
            calls=1,
            units=0,
            max_calls_per_minute=REQUESTS_PER_MINUTE,
            max_calls_total=1,
            max_units=0,
            lease_ms=_LEASE_MS,
        )
        decision = await self._ledger.reserve(wish)
        if isinstance(decision, Refused):
            moment = decision.retry_at_ms
            wait_ms = 1_000 if moment is None else moment - self._clock.now_ms()
            return NotAdmitted(429, max(1, -(-wait_ms // 1000)))
        await self._ledger.settle(decision.reservation_id, 0)
        return wish.session_id

    def close(self) -> None:
        """Close the ledger."""
        self._ledger.close()


def _subject(key: ApiKey) -> str:
    return f"key/{key.key_id}"
