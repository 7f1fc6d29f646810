"""Worlds from files: what a failure printed, or a world by itself; anything else is refused in one sentence."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from tests.reference.session_model import PRICES
from tests.simulation.scenario.faults import TOOL_FAULTS
from tests.simulation.scenario.generate import BLOCKS, FLAVOURS, LIVES, NO_EXCEPTIONS, SESSIONS_PER_WORLD, VIOLATIONS
from tests.simulation.scenario.texts import DIRECTIVES, PARTS, TEXTS

Json = dict[str, Any]
# A world gives up after a day, and no sum of such times comes near it.
Ms = Annotated[int, Field(ge=0, le=1_000_000)]
Count = Annotated[int, Field(ge=0, le=1_000)]
Life = Annotated[int, Field(ge=1, le=LIVES)]
Name = Annotated[str, Field(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._@-]{0,127}\z")]
# A call's word for what it does asks for other keys; `flapping` has an outage in every other batch only.
_OUTAGES = {
    "server_error": ("provider_down",),
    "throttled": ("rate_limited",),
    "blocked": BLOCKS,
    "own_deadline": ("slow",),
    "flapping": ("unreachable",),
}
_HOW: dict[str, tuple[str | int, ...]] = {
    "sandbox_violation": VIOLATIONS,
    "base_exception": NO_EXCEPTIONS,
    "wrong_type": tuple(range(5)),
}


class NoCase(Exception):
    """The file cannot be played; the message says why."""


def read_case(path: Path) -> Json:
    """The world of a file.

    Raises:
        NoCase: there is no such file, it cannot be read, or no world stands in it.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise NoCase(f"cannot read the case `{path}`: {exc.strerror}") from exc
    except (ValueError, RecursionError) as exc:
        raise NoCase(f"the case `{path}` is not JSON") from exc
    world = found.get("case", found) if isinstance(found, dict) else found
    wrong = why_no_world(world)
    if wrong is not None:
        raise NoCase(f"the case `{path}` {wrong}")
    return world  # type: ignore[no-any-return]  # what was read from JSON


def why_no_world(world: Any) -> str | None:
    """Why a value cannot be played, or None: whatever passes, product and oracle understand alike."""
    try:
        _World.model_validate(world)
    except ValidationError as exc:
        first = exc.errors()[0]
        if first["type"] == "twins":
            return first["msg"]
        where = [*map(str, first["loc"]), *first.get("ctx", {}).get("field", "").split()]
        kind = "has a session that is none" if len(where) > 1 and where[0] == "sessions" else "is not a world"
        return f"{kind}: `{'.'.join(where)}` does not fit" if where else kind
    return None


def _refuse(field: str, wrong: bool) -> None:
    if wrong:
        raise PydanticCustomError("no_fit", "does not fit", {"field": field})


class _Part(BaseModel):
    """Closed: a slip in the name of a key would change the world unnoticed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _left_out_or_there(cls, given: Any) -> Any:
        if isinstance(given, dict):
            for name, field in cls.model_fields.items():
                # Who reads a world asks whether a key is there.
                _refuse(name, not field.is_required() and name in given and given[name] is None)
        return given


class _Directive(_Part):
    part: Literal[PARTS]
    which: Annotated[int, Field(ge=0, lt=len(DIRECTIVES))]


class _Item(_Part):
    text: Annotated[int, Field(ge=0, lt=TEXTS)]
    form: Annotated[Literal["good", "near", "huge", "garbage", "carried", "blank", "short"], Field(alias="as")]
    kind: Literal["passage", "fetched", "hit", "reported"]
    directive: _Directive | None = None
    wrong: Literal["scheme", "shape", "collection", "substitute"] | None = None

    @model_validator(mode="after")
    def _one_thing_at_a_time(self) -> Self:
        # Else it would not be clear which of them counts.
        odd = [name for name in ("directive", "wrong") if getattr(self, name) is not None]
        odd += ["as"] * (self.form != "good")
        _refuse(odd[0] if odd else "", len(odd) > 1)
        needs = {"collection": "passage", "substitute": "fetched"}.get(self.wrong or "", self.kind)
        _refuse("wrong", needs != self.kind)
        return self


class _Call(_Part):
    id: Name
    tool: Literal[tuple(PRICES)]
    does: Literal["answer", *TOOL_FAULTS]
    takes: Ms | None
    spent: Annotated[int, Field(ge=0, le=1_000_000)]
    items: Annotated[list[_Item], Field(max_length=1_000)]
    how: str | int | None = None
    outage: str | None = None
    by: Literal["raise", "return"] | None = None

    @model_validator(mode="after")
    def _as_it_does(self) -> Self:
        does, price = self.does, PRICES[self.tool]
        _refuse("takes", (does == "hang") != (self.takes is None))
        _refuse("spent", (does == "overspend") != (self.spent > price))
        _refuse("how", self.how not in _HOW.get(does, (None,)) or isinstance(self.how, bool))
        up = does not in _OUTAGES or does == "flapping"
        _refuse("outage", not up if self.outage is None else self.outage not in _OUTAGES.get(does, ()))
        _refuse("by", (self.outage is None) != (self.by is None))
        _refuse("items", any(item.form == "huge" for item in self.items) != (does == "huge"))
        _refuse("items", bool(self.items) and self.outage is not None)
        return self


class _Batch(_Part):
    wait: Ms
    calls: Annotated[list[_Call], Field(min_length=1, max_length=1_000)]

    @model_validator(mode="after")
    def _writes_alone(self) -> Self:
        _refuse("calls", len(self.calls) > 1 and any(call.tool == "writer" for call in self.calls))
        return self


class _Break(_Part):
    batch: Count
    how: Literal["twice", "unlisted", "beside", "raises", "socket"]


class _Plan(_Part):
    batches: Annotated[list[_Batch], Field(max_length=1_000)]
    why: Literal["complete", "no_gain", "limit"]
    careful: bool
    enough: Count
    breaks: _Break | None = None

    @model_validator(mode="after")
    def _names_each_call(self) -> Self:
        ids = [call.id for batch in self.batches for call in batch.calls]
        _refuse("batches", len(set(ids)) < len(ids))
        return self


class _End(_Part):
    kind: Literal["kill", "full"]
    where: Literal["journal", "store"]
    line: Count
    permille: Annotated[int, Field(ge=0, le=1_000)]
    back: Annotated[Ms, Field(ge=1)]
    put: Count | None = None

    @model_validator(mode="after")
    def _of_its_place(self) -> Self:
        # There a disk can be full, for the object that `line` names.
        _refuse("kind", self.where == "store" and self.kind == "kill")
        _refuse("put", self.where == "store" and self.put is not None)
        return self


class _Narrow(_Part):
    """What a request may wish for."""

    max_tool_calls_total: Annotated[int, Field(ge=1, le=1_000)] | None = None
    max_tool_calls_per_minute: Annotated[int, Field(ge=1, le=10_000)] | None = None
    per_call_timeout_ms: Annotated[int, Field(ge=1, le=3_600_000)] | None = None
    total_research_timeout_ms: Annotated[int, Field(ge=1, le=3_600_000)] | None = None
    budget_units_clamp: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class _ObserverError(_Part):
    what: Literal["session_started", "batch_started", "call_finished"]
    nth: Count
    life: Life | None = None


class _LedgerError(_Part):
    op: Literal["reserve", "settle"]
    batch: Annotated[Count, Field(ge=1)]
    life: Life | None = None


class _Session(_Part):
    n: Annotated[int, Field(ge=0, le=0xFFFFFFFF)]
    start: Ms
    tenant: Name
    user: Name
    tier: Name
    environment: Name
    enabled: bool
    sealed: bool
    readable: bool
    owns: bool
    clarified: bool
    narrow: _Narrow
    balance: Annotated[int, Field(ge=0, le=10**12)] | None
    key: Name | None
    watched: bool
    declared: list[Literal["scarce", "no_right", "switched_off", "crowded_window"]]
    ends: Annotated[list[_End], Field(max_length=LIVES // 2)]
    plan: _Plan
    cancel: Ms | None = None
    observer_error: _ObserverError | None = None
    ledger_error: _LedgerError | None = None


class _Jump(_Part):
    at: Ms
    by: Annotated[int, Field(ge=-1_000_000, le=1_000_000)]


class _Lock(_Part):
    at: Ms
    until: Ms


class _Earlier(_Part):
    at: Ms
    tenant: Name
    user: Name
    calls: Annotated[int, Field(ge=1, le=10_000)]


class _World(_Part):
    flavour: Literal[tuple(FLAVOURS)]
    patient: bool
    jumps: list[_Jump]
    locks: list[_Lock]
    earlier: list[_Earlier]
    sessions: Annotated[list[_Session], Field(min_length=1, max_length=SESSIONS_PER_WORLD)]
    seed: Any = None
    world: Any = None

    @model_validator(mode="after")
    def _as_its_flavour(self) -> Self:
        _refuse("locks", bool(self.locks) and (self.flavour != "contention" or bool(self.earlier)))
        times = [time for lock in self.locks for time in (lock.at, lock.until)]
        _refuse("locks", any(later <= sooner for sooner, later in pairwise(times)))
        for place, session in enumerate(self.sessions):
            # Only files can be cut at a byte.
            _refuse(f"sessions {place} ends", bool(session.ends) and self.flavour != "files")
        numbers = [session.n for session in self.sessions]
        keys = [(one.tenant, one.user, one.key) for one in self.sessions if one.key is not None]
        for name, who in (("n", numbers), ("key", keys)):
            if len({*who}) < len(who):
                raise PydanticCustomError("twins", "has two sessions with one `{field}`", {"field": name})
        return self
