"""The waterfall: calls in plan order as bars over time, with every coordinate worked out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from .call_steps import CallStep
from .shown_words import millis

__all__ = ["BarRow", "Tick", "Waterfall", "waterfall_of"]

WIDTH: Final = 734
ROW: Final = 24
HEAD: Final = 22
LEFT: Final = 252
"""Where bars begin; labels stand before."""
RIGHT: Final = 596
"""Where they end; words stand behind."""
_BREAK: Final = 530
"""Where time is compressed when a deadline lies far behind the last call."""
_LABEL_CHARS: Final = 37
_FAR: Final = 2
_TICKS: Final = 4
_STEPS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 250, 500, 1_000, 2_000, 2_500, 5_000, 10_000, 20_000, 30_000, 60_000)


@dataclass(frozen=True, slots=True)
class BarRow:
    """One call: its label, the hollow bar of what it reserved, the filled bar of what it took."""

    y: int
    label: str
    title: str
    """What is read aloud: the label, how it ended, how long it took, which call it was."""
    call_id: str
    step: int | None
    hollow_x: int
    hollow_width: int
    filled_x: int
    filled_width: int
    family: str
    word: str
    selected: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """A moment on the axis."""

    x: int
    text: str


@dataclass(frozen=True, slots=True)
class Waterfall:
    """Everything that the drawing needs."""

    width: int
    height: int
    left: int
    right: int
    head: int
    rows: tuple[BarRow, ...]
    borders: tuple[int, ...]
    """Between two batches."""
    ticks: tuple[Tick, ...]
    break_x: int | None
    deadline_x: int | None
    deadline: str
    summary: str


@dataclass(frozen=True, slots=True)
class _Scale:
    """Milliseconds to a place: even up to `knee_ms`, then compressed up to `end_ms`."""

    knee_ms: int
    knee_x: int
    end_ms: int

    def x(self, at_ms: int) -> int:
        at_ms = max(0, min(at_ms, self.end_ms))
        if at_ms <= self.knee_ms:
            return LEFT + (self.knee_x - LEFT) * at_ms // self.knee_ms
        return self.knee_x + (RIGHT - self.knee_x) * (at_ms - self.knee_ms) // max(1, self.end_ms - self.knee_ms)


def waterfall_of(
    steps: Sequence[CallStep], elapsed_ms: int, deadline_ms: int | None, selected: int | None = None
) -> Waterfall:
    """The drawing of a session."""
    scale = _scale(steps, elapsed_ms, deadline_ms)
    compressed = scale.end_ms > scale.knee_ms
    rows = tuple(_row(number, step, scale, selected) for number, step in enumerate(steps))
    borders = tuple(
        HEAD + ROW * number for number, (one, other) in enumerate(pairwise(steps), start=1) if one.batch != other.batch
    )
    deadline = "" if deadline_ms is None else f"deadline {millis(deadline_ms)}"
    return Waterfall(
        width=WIDTH,
        height=HEAD + ROW * max(1, len(steps)) + 20,
        left=LEFT,
        right=RIGHT,
        head=HEAD,
        rows=rows,
        borders=borders,
        ticks=_ticks(scale),
        break_x=scale.knee_x if compressed else None,
        deadline_x=None if deadline_ms is None else scale.x(deadline_ms),
        deadline=deadline,
        summary=f"{len(steps)} calls in {len({step.batch for step in steps})} batches, {millis(elapsed_ms)}",
    )


def _scale(steps: Sequence[CallStep], elapsed_ms: int, deadline_ms: int | None) -> _Scale:
    """A deadline far away does not press the calls into a corner."""
    busy_ms = max(1, elapsed_ms, *(step.start_ms + step.settled_ms for step in steps))
    end_ms = max(busy_ms, deadline_ms or 0)
    if end_ms <= busy_ms * _FAR:
        return _Scale(end_ms, RIGHT, end_ms)
    return _Scale(busy_ms, _BREAK, end_ms)


def _row(number: int, step: CallStep, scale: _Scale, selected: int | None) -> BarRow:
    label = f"{step.tool} · {step.place}" if step.place else step.tool
    shown = label if len(label) <= _LABEL_CHARS else f"{label[: _LABEL_CHARS - 1]}…"
    start = scale.x(step.start_ms)
    until = start if step.limit_ms is None else scale.x(step.start_ms + step.limit_ms)
    settled = scale.x(step.start_ms + step.settled_ms)
    started = step.ended != "not started"
    word = f"{step.ended}, blocked" if step.findings else step.ended.replace("_", " ")
    return BarRow(
        y=HEAD + ROW * number,
        label=shown,
        title=f"{shown} {word}, {millis(step.settled_ms)}, call {step.call_id}",
        call_id=step.call_id,
        step=step.step,
        hollow_x=start,
        hollow_width=max(0, until - start),
        filled_x=start,
        filled_width=max(2, settled - start) if started else 0,
        family=step.family,
        word=word,
        selected=selected is not None and step.step == selected and started,
    )


def _ticks(scale: _Scale) -> tuple[Tick, ...]:
    wanted = next((one for one in _STEPS if scale.knee_ms // one <= _TICKS), _STEPS[-1])
    count = min(_TICKS + 1, scale.knee_ms // wanted)
    return tuple(Tick(scale.x(wanted * number), millis(wanted * number)) for number in range(count + 1))
