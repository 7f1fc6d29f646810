"""What the router is given and gives: the basis of every session, one request under way, a capability's answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel

from ..kernel.capability import AnyCapability
from ..kernel.catalog import ToolTable
from ..kernel.contract import ContractData
from ..kernel.errors import SandboxViolation
from ..kernel.models import Digest
from ..kernel.outcome import ResearchOutcome
from ..kernel.ports import Observer, Plan
from ..kernel.request import Principal, ResearchRequest
from .record.session_log import SessionLog
from .record.terms import Terms

__all__ = ["Answer", "Basis", "Running"]


def _unknown_source(_: AnyCapability) -> None:
    """For hosts that cannot read the source of their plans."""


@dataclass(frozen=True)
class Basis:
    """What every session rests on beside its request: contract, rules, catalogue, and where plans come from."""

    contract: ContractData
    rules: Digest
    tools: ToolTable
    plan_source: Callable[[AnyCapability], Digest | None] = _unknown_source
    custom_caps: bool = False


@dataclass(frozen=True)
class Running:
    """One session under way, as the router hands it from room to room."""

    log: SessionLog
    request: ResearchRequest
    principal: Principal
    plan: Plan | SandboxViolation
    terms: Terms
    plan_source: Digest | None
    keyed: bool
    observer: Observer | None = None


@dataclass(frozen=True)
class Answer:
    """What a capability answered: its output or a `Failure`, and for operators the sessions behind it."""

    result: BaseModel
    outcomes: tuple[ResearchOutcome, ...] = ()
    withheld: int = 0
    """Texts that were not handed out because they carry a directive."""
