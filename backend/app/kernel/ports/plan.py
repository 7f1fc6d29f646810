"""Plans as a port: what a capability asks for, step by step."""

from __future__ import annotations

from typing import Protocol

from ..calls import Batch, Done
from ..outcome import SoFar
from ..request import Grant
from ..results import SourceKind

__all__ = ["Plan"]


class Plan(Protocol):
    """A pure, deterministic sequence of batches; `counts` are the kinds of source that make it a success (R21)."""

    @property
    def counts(self) -> tuple[SourceKind, ...]: ...

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done: ...
