"""What stands for tools and ledger while a recorded session is replayed: whoever reaches them has left its record."""

from __future__ import annotations

from collections.abc import Callable

from ..kernel.calls import CallContext, ToolCall
from ..kernel.errors import ContractViolation
from ..kernel.ledger import LedgerStanding, Refused, Reservation, Reserved
from ..kernel.results import RawResult

__all__ = ["NoLedger", "NoTool"]


class NoTool:
    """Stands for a tool that the session had; a replay that reaches it has left its record."""

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        raise ContractViolation(f"replay asked for call `{call.call_id}`")


class NoLedger:
    """Decisions come from the record, and nothing is settled."""

    async def reserve(self, wish: Reservation, give_up: Callable[[], bool] | None = None) -> Reserved | Refused:
        raise ContractViolation(f"replay asked to reserve `{wish.key}`")

    async def settle(self, reservation_id: str, spent_units: int) -> None:
        """Was settled when it was recorded."""

    async def release_session(self, session_id: str) -> int:
        """Holds nothing."""
        return 0

    async def standing(self, subject: str, session_id: str) -> LedgerStanding:
        """Knows nothing."""
        return LedgerStanding(window_calls=0, session_calls=0, spent_units=0, held_units=0, open_reservations=0)
