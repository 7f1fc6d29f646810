"""The entry of a capability in the registry: what it is, whom it is for, and the plan it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .ports import Plan
from .request import ResearchRequest

__all__ = ["Capability"]


@dataclass(frozen=True, slots=True)
class Capability:
    """One thing a caller can ask for; only plans of registered capabilities run (§3.5)."""

    name: str
    kind: Literal["retrieve", "compute", "store"]
    effect: Literal["none", "local_write", "external_write"]
    description: str
    plan: Callable[[ResearchRequest], Plan]
    """Pure: the same request gives the same plan. Raises RequestInvalid for arguments that are wrong."""
