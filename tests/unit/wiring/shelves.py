"""What a made-up host brings: a tool that finds loaves, and a capability that asks it some times in a row."""

from __future__ import annotations

import dataclasses
from contextlib import asynccontextmanager

import pytest
from pydantic import BaseModel

from app import (
    Batch,
    Capability,
    Done,
    Principal,
    RawResult,
    RequestInvalid,
    Settings,
    SourceKind,
    ToolCall,
    ToolEntry,
    open_gate,
    text_item,
)

__all__ = ["COUNT", "ENTRY", "WHO", "CountOutput", "Shelf", "gate_with", "refusal_of"]

WHO = Principal(tenant="acme", user="u1", tier="PRO", collections=("documents", "letters"))
ENTRY = {
    "name": "acme.shelf",
    "price_units": 1,
    "own_deadline_ms": 500,
    "max_output_bytes": 9_000,
    "effect": "none",
    "schemes": ("acme",),
}


class Shelf:
    """Finds one loaf per number."""

    entry = ToolEntry(**ENTRY)

    async def call(self, call, context):
        number = call.param("number")
        item = text_item(f"acme:loaf/{number}", f"Loaf {number} stands on shelf {number * 7}.", kind=SourceKind.HIT)
        return RawResult(status="ok", items=(item,), spent_units=1)


class CountInput(BaseModel, extra="forbid"):
    calls: int = 1


class CountOutput(BaseModel):
    found: int


@dataclasses.dataclass(frozen=True)
class CountPlan:
    """As many calls as asked for, one after the other."""

    calls: int
    counts = (SourceKind.HIT,)

    def next_step(self, grant, so_far):
        done = len(so_far.outcomes)
        if done == self.calls:
            return Done(why="complete")
        return Batch(calls=(ToolCall(call_id=f"c{done}", tool="acme.shelf", params=(("number", done + 1),)),))


def _plan(given, request):
    return CountPlan(given.calls)


def _result(given, outcome):
    return CountOutput(found=len(outcome.bundle.sources))


COUNT = Capability(
    name="acme.count",
    family="shelves",
    title="Count loaves",
    description="Looks at some shelves.",
    kind="retrieve",
    input=CountInput,
    output=CountOutput,
    tools=("acme.shelf",),
    plan=_plan,
    result=_result,
)


@asynccontextmanager
async def gate_with(tmp_path, **brought):
    settings = Settings(data_dir=tmp_path / "data")
    async with open_gate(settings=settings, **brought) as gate:
        yield gate


async def refusal_of(tmp_path, **brought):
    with pytest.raises(RequestInvalid) as told:
        async with gate_with(tmp_path, **brought):
            pytest.fail("the gate was opened")
    return str(told.value)
