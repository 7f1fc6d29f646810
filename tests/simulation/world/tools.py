"""The simulated outside: a tool that does what its call's script says, a plan, and an observer."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import dataclass, field
from typing import Any

from app.kernel import errors
from app.kernel.calls import Batch, CallContext, Done, ToolCall
from app.kernel.outcome import SoFar
from app.kernel.request import Grant
from app.kernel.results import CallOutcome, RawResult, SourceKind
from tests.reference.session_model import PRICES
from tests.simulation.scenario.texts import item_fields

WRONG = (None, 5, "text", {"status": "ok"}, RawResult.model_construct(status="ok", items=(), spent_units=0))
HOURS = 100 * 3_600


class Doom(BaseException):
    """An error of a tool's own that is no Exception."""


@dataclass
class SimulatedTool:
    """All tools of one session; it notes what was asked of it, and when."""

    calls: dict[str, dict[str, Any]]
    now_ms: Any
    started: list[list[Any]] = field(default_factory=list)
    mortal: Any = None

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        self.mortal.must_live()
        step = self.calls[call.call_id]
        self.started.append([call.call_id, self.now_ms()])
        await _passing(step)
        return _end(step, call, context)


async def _passing(step: dict[str, Any]) -> None:
    if step["takes"] is None:
        while True:
            try:
                await asyncio.sleep(HOURS)
            except asyncio.CancelledError:
                continue
    if step["does"] == "slow_loris":
        for _ in range(8):
            await asyncio.sleep(step["takes"] / 8_000)
    else:
        await asyncio.sleep(step["takes"] / 1_000)


def _end(step: dict[str, Any], call: ToolCall, context: CallContext) -> RawResult:
    match step["does"]:
        case "exception":
            raise ValueError("words of the inside")
        case "base_exception":
            raise {"SystemExit": SystemExit, "KeyboardInterrupt": KeyboardInterrupt, "Doom": Doom}[step["how"]]()
        case "self_cancel":
            raise asyncio.CancelledError
        case "sandbox_violation":
            raise getattr(errors, step["how"])("caught")
        case "own_cut":
            raise errors.ToolTimeout("cut")
        case "unknown_outage":
            raise errors.ToolUnavailable("eclipse")
        case "wrong_type":
            return WRONG[step["how"]]
    if "outage" in step:
        if step["by"] == "raise":
            raise errors.ToolUnavailable(step["outage"])
        given = {"status": "unavailable", "unavailable": step["outage"], "spent_units": step["spent"]}
        return RawResult.model_validate(given, strict=False)
    items = [item_fields(item, context.collection, str(call.param("url"))) for item in step["items"]]
    for item in items:
        item["metadata"] = tuple(tuple(pair) for pair in item["metadata"])
        item["hidden"] = tuple(item["hidden"])
    status = "ok" if items else "empty"
    cut = step["does"] == "truncated" and bool(items)
    given = {"status": status, "items": tuple(items), "spent_units": step["spent"], "truncated": cut}
    return RawResult.model_validate(given, strict=False)


class SimulatedPlan:
    """The batches of a scenario; a careful one ends itself at the limit, a broken one does what no plan may."""

    counts = (SourceKind.PASSAGE, SourceKind.FETCHED)

    def __init__(self, plan: dict[str, Any], happened: set[str]) -> None:
        self._plan, self._happened = plan, happened

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        plan, done = self._plan, len(so_far.outcomes)
        for place, batch in enumerate(plan["batches"]):
            if done > 0:
                done -= len(batch["calls"])
                continue
            price = sum(PRICES[call["tool"]] for call in batch["calls"])
            if plan["careful"] and (price > so_far.units_left or len(batch["calls"]) > so_far.calls_left):
                return Done(why="limit")
            if plan["enough"] and len(so_far.sources) >= plan["enough"]:
                return Done(why="no_gain")
            return self._batch(place, batch)
        return Done(why=plan["why"])

    def _batch(self, place: int, batch: dict[str, Any]) -> Batch:
        calls = [_asked(call["id"], call["tool"]) for call in batch["calls"]]
        breaks = self._plan.get("breaks")
        if breaks and breaks["batch"] == place:
            self._happened.add("plan_escape" if breaks["how"] == "socket" else "plan_error")
            match breaks["how"]:
                case "raises":
                    raise LookupError("lost the thread")
                case "socket":
                    socket.socket()
                case "twice":
                    calls.append(calls[0])
                case "unlisted":
                    calls.append(_asked("c-more", "gamma"))
                case "beside":
                    calls += [_asked("c-more", "writer"), _asked("c-most", "alpha")]
        return Batch(calls=tuple(calls), wait_ms=batch["wait"])


def _asked(call_id: str, tool: str) -> ToolCall:
    return ToolCall(call_id=call_id, tool=tool, params=(("url", f"https://asked.example/{call_id}"),))


@dataclass
class SimulatedObserver:
    """Counts what it is told; one with a fault raises at its moment."""

    fault: dict[str, Any] | None
    happened: set[str]
    seen: list[list[int]] = field(default_factory=list)
    told: int = 0

    def session_started(self, grant: Grant) -> None:
        self._tell("session_started")

    def batch_started(self, calls_left: int, units_left: int, remaining_ms: int) -> None:
        self.seen.append([calls_left, units_left])
        self._tell("batch_started")

    def call_finished(self, outcome: CallOutcome) -> None:
        self._tell("call_finished")

    def _tell(self, what: str) -> None:
        if self.fault and self.fault["what"] == what:
            if self.told == self.fault["nth"]:
                self.happened.add("trouble_on_return" if "life" in self.fault else "observer_error")
                raise OSError("the one who watched has gone")
            self.told += 1
