"""The entry of a capability: its name, input, output and how it is run; doors, schemas and docs come from it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from .canonical import JsonValue, canonical_bytes, digest_of
from .catalog import Effect
from .errors import ContractViolation, RequestInvalid
from .failure import Failure
from .faults import first_fault, repeatable_name
from .outcome import ResearchOutcome
from .ports import Plan
from .request import Principal, ResearchRequest, read_request

__all__ = ["ARGUMENTS_BYTES_MAX", "AnyCapability", "Capability", "Example", "Kind", "Ports"]

ARGUMENTS_BYTES_MAX: Final = 262_144
Kind = Literal["retrieve", "compute", "store", "series"]
Ports = Mapping[str, Any]
"""What a `store` capability works on: the ports that it names in `needs`, and nothing else."""
In = TypeVar("In", bound=BaseModel)
Out = TypeVar("Out", bound=BaseModel)
# These fields of an input are the request's own; every other field travels in its arguments.
_OF_THE_REQUEST: Final = ("question", "context", "collection")
_RUN_BY: Final[dict[Kind, tuple[str, ...]]] = {
    "retrieve": ("plan", "result"),
    "compute": ("compute",),
    "store": ("serve",),
    "series": ("next_session", "conclude"),
}


@dataclass(frozen=True, slots=True)
class Example:
    """Arguments with which a capability finds something in the sample documents or on the web of `make demo-web`."""

    arguments: Mapping[str, JsonValue]
    finds: str
    """The part of the output that is not empty then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability(Generic[In, Out]):
    """One thing a caller can ask for; only plans of registered capabilities run (§3.5)."""

    name: str
    family: str
    title: str
    description: str
    kind: Kind
    effect: Effect = "none"
    input: type[In]
    output: type[Out]
    tools: tuple[str, ...] = ()
    """The tools that its plan may ask for; the gate refuses any other."""
    needs: tuple[str, ...] = ()
    """The ports that a `store` capability is handed."""
    scopes: tuple[str, ...] = ()
    """What a principal must carry to call it at all."""
    consent: str = ""
    """For what personal data is used, where it is."""
    max_age_s: int = 0
    """How old a stored answer may be; 0: none is kept."""
    example: Example | None = None
    hints: tuple[str, ...] = ()
    """What to try when nothing was found."""
    plan: Callable[[In, ResearchRequest], Plan] | None = None
    """Pure: the same input gives the same plan."""
    result: Callable[[In, ResearchOutcome], Out | Failure] | None = None
    """Pure: makes the output of a session that was not stopped; stops become failures in one place."""
    stopped: Callable[[In, ResearchOutcome], Out] | None = None
    """Pure: makes the output of a stopped session, for a capability whose contract has no failures (R18)."""
    key: Callable[[In], str | None] | None = None
    """Pure: the session key that an input names itself, such as a turn of a conversation; None where it names none."""
    compute: Callable[[In], Out | Failure] | None = None
    """Pure, over the input alone."""
    serve: Callable[[In, Ports, Principal], Awaitable[Out | Failure]] | None = None
    """Over the ports that `needs` names, for the principal that asks; each port shows that tenant's data alone."""
    next_session: Callable[[In, tuple[ResearchOutcome, ...]], ResearchRequest | None] | None = None
    """Pure: the next session of a fixed sequence, or None at its end."""
    conclude: Callable[[In, tuple[ResearchOutcome, ...]], Out | Failure] | None = None

    def __post_init__(self) -> None:
        wanted = _RUN_BY[self.kind]
        given = {
            "plan": self.plan,
            "result": self.result,
            "compute": self.compute,
            "serve": self.serve,
            "next_session": self.next_session,
            "conclude": self.conclude,
        }
        wrong = [name for name, function in given.items() if (function is not None) is not (name in wanted)]
        if wrong:
            where = f"capability `{self.name}` of kind `{self.kind}`"
            raise ContractViolation(f"{where} has a wrong or missing `{wrong[0]}`")
        if self.stopped is not None and self.kind != "retrieve":
            raise ContractViolation(
                f"capability `{self.name}` of kind `{self.kind}` has no session that could be stopped"
            )
        if (self.tools and self.kind != "retrieve") or (self.needs and self.kind != "store"):
            raise ContractViolation(f"capability `{self.name}` names tools or ports that its kind does not use")

    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, with the example."""
        schema = self.input.model_json_schema()
        return schema if self.example is None else {**schema, "examples": [dict(self.example.arguments)]}

    def read(self, arguments: Mapping[str, JsonValue]) -> In:
        """Arguments as the input.

        Raises:
            RequestInvalid: names the first argument that is wrong, without repeating its value.
        """
        try:
            _refuse_bad_text(arguments, "")
            data = json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()
        except (ValueError, TypeError, RecursionError) as exc:
            raise RequestInvalid("the arguments are not plain JSON, or nested too deeply") from exc
        if len(data) > ARGUMENTS_BYTES_MAX:
            raise RequestInvalid(f"the arguments are longer than {ARGUMENTS_BYTES_MAX} bytes")
        try:
            return self.input.model_validate_json(data)
        except ValidationError as exc:
            raise _wrong(exc) from exc

    def input_of(self, request: ResearchRequest) -> In:
        """The input of a request; raises as `read` does."""
        own = {"question": request.question, "context": request.context, "collection": request.collection}
        named = {name: value for name, value in own.items() if name in self.input.model_fields}
        return self.read({**named, **dict(request.arguments)})

    def request(self, given: In, **more: Any) -> ResearchRequest:
        """The request for an input; `more` are the request's fields that no input has, such as `narrow`.

        Raises:
            RequestInvalid: names what is wrong.
        """
        fields = given.model_dump(mode="json", exclude_defaults=True)
        own = {name: value for name, value in given if name in _OF_THE_REQUEST}
        arguments = tuple(sorted((name, _frozen(value)) for name, value in fields.items() if name not in own))
        if fixed := sorted({"arguments", "capability", "question", "collection"} & set(more)):
            raise RequestInvalid(f"`{fixed[0]}` is part of the input of `{self.name}`")
        own = {"question": self.title, "collection": None, **own}
        return read_request(capability=self.name, arguments=arguments, **own, **more)

    def key_of(self, given: In) -> str | None:
        """The session key of an input that names one."""
        return None if self.key is None else self.key(given)

    def cache_key(self, given: In) -> str:
        """Under which key an answer to this input may be kept: the name and the input, however it was spelled."""
        return digest_of([self.name, canonical_bytes(given).decode()])


AnyCapability = Capability[Any, Any]


def _wrong(exc: ValidationError) -> RequestInvalid:
    name, said = first_fault(exc, repeatable_name)
    return RequestInvalid(f"argument `{name}` is wrong: {said}" if name else f"the arguments do not fit: {said}")


def _refuse_bad_text(value: object, where: str) -> None:
    """Lone surrogates have no place in JSON: the argument that holds one is named."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as exc:
            raise RequestInvalid(f"argument `{where}` is wrong: is not valid UTF-8") from exc
    elif isinstance(value, Mapping):
        for name, one in value.items():
            _refuse_bad_text(name, f"{where} (a name in it)")
            _refuse_bad_text(one, ".".join(filter(None, (where, repeatable_name(name)))))
    elif isinstance(value, list | tuple):
        for number, one in enumerate(value):
            _refuse_bad_text(one, f"{where}.{number}")


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _frozen(one) for name, one in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
