"""The health of a gate: what it needs to answer, named one by one, in codes and numbers."""

from __future__ import annotations

from typing import Literal

from .models import FrozenModel, Identifier

__all__ = ["Health", "HealthCheck", "HealthState"]

HealthState = Literal["ok", "warning", "failed"]


class HealthCheck(FrozenModel):
    """One thing that the gate needs; a `warning` limits nothing here, a `failed` one keeps questions unanswered."""

    name: Identifier
    state: HealthState
    detail: str = ""


class Health(FrozenModel):
    """Whether a gate can answer at this moment, and what stands in the way where it cannot."""

    healthy: bool
    environment: str
    sandbox: str
    """How far the readers of foreign bytes are confined on this machine."""
    custom_caps: bool
    tools: tuple[Identifier, ...]
    capabilities: tuple[Identifier, ...]
    sessions: int
    """Sessions under way."""
    workers: int
    """Processes of the tools that are up; they start with the first calls."""
    checks: tuple[HealthCheck, ...]
