"""The frozen tables of the contract as types: stop order, actions and their texts, caps."""

from __future__ import annotations

from pydantic import model_validator

from .canonical import digest_of
from .caps import CapsTable, CapsUnusable
from .models import Digest, FrozenModel, Text
from .stops import Action, StopReason

__all__ = ["ActionRow", "ActionTable", "ActionTexts", "ContractData", "StopEntry", "StopTable"]


class StopEntry(FrozenModel):
    """One stop reason; `signalled` tells those that a room can raise from those that follow from the bundle."""

    priority: int
    code: StopReason
    description: str
    trigger: str
    signalled: bool


class StopTable(FrozenModel):
    """`stop_reasons.json`: all eleven, first in §5 first."""

    contract_version: str
    stop_reasons: tuple[StopEntry, ...]

    @model_validator(mode="after")
    def _exhaustive(self) -> StopTable:
        if sorted(entry.code for entry in self.stop_reasons) != sorted(StopReason):
            raise ValueError("every stop reason stands exactly once")
        if [entry.priority for entry in self.stop_reasons] != list(range(1, len(StopReason) + 1)):
            raise ValueError("priorities count up from 1")
        return self

    @property
    def order(self) -> tuple[StopReason, ...]:
        """The priority list of §5."""
        return tuple(entry.code for entry in self.stop_reasons)


class ActionRow(FrozenModel):
    """One row of the action table; None means either."""

    stop: StopReason
    bundle_empty: bool | None
    clarified: bool | None
    action: Action


class ActionTexts(FrozenModel):
    """The fixed text of each action; those of §6.2 are canonical."""

    GROUNDED: Text
    ASK_CLARIFY: Text
    UNKNOWN: Text
    BASELINE: Text

    def of(self, action: Action) -> str:
        """The text an end user sees."""
        return str(getattr(self, action.value))


class ActionTable(FrozenModel):
    """`actions.json`: exactly one row for every stop, bundle and history."""

    contract_version: str
    texts: ActionTexts
    rows: tuple[ActionRow, ...]

    @model_validator(mode="after")
    def _total(self) -> ActionTable:
        for stop in StopReason:
            for empty in (True, False):
                for clarified in (True, False):
                    if len(self._rows(stop, empty, clarified)) != 1:
                        raise ValueError(f"not exactly one action for {stop}")
        return self

    def action(self, stop: StopReason, bundle_empty: bool, clarified: bool) -> Action:
        """The action of a stop (R6)."""
        return self._rows(stop, bundle_empty, clarified)[0].action

    def _rows(self, stop: StopReason, empty: bool, clarified: bool) -> list[ActionRow]:
        return [
            row
            for row in self.rows
            if row.stop is stop and row.bundle_empty in (None, empty) and row.clarified in (None, clarified)
        ]


class ContractData(FrozenModel):
    """Everything the gate reads from `contracts/<version>/`."""

    version: str
    stops: StopTable
    actions: ActionTable
    caps: CapsTable | CapsUnusable

    @property
    def digest(self) -> Digest:
        """How a session names the contract it ran under: stops and actions; caps have a digest of their own (R22)."""
        return digest_of([self.version, digest_of(self.stops), digest_of(self.actions)])
