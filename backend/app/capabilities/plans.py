"""The plan that most capabilities need: one call, whatever it brings."""

from __future__ import annotations

from ..kernel.calls import Batch, Done, ToolCall
from ..kernel.models import FrozenModel
from ..kernel.outcome import SoFar
from ..kernel.request import Grant
from ..kernel.results import SourceKind

__all__ = ["OneCallPlan"]


class OneCallPlan(FrozenModel):
    """One call, then the end; `counts` are the kinds of source that make it a success (R21)."""

    call: ToolCall
    counts: tuple[SourceKind, ...]

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        """The call, then the end."""
        return Done(why="complete") if so_far.outcomes else Batch(calls=(self.call,))
