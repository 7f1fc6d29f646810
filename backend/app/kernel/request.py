"""What a caller brings (principal and request) and what policy makes of it (the grant)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from .calls import Params
from .caps import CapsNarrowing, PolicyCaps
from .errors import RequestInvalid
from .faults import first_fault, repeatable_name
from .models import FrozenModel, Identifier, Text

__all__ = [
    "CONTEXT_CHARS_MAX",
    "QUESTION_CHARS_MAX",
    "Grant",
    "Principal",
    "ResearchRequest",
    "capability_name",
    "read_principal",
    "read_request",
    "scopes_of",
]

QUESTION_CHARS_MAX: Final = 500
CONTEXT_CHARS_MAX: Final = 2_000
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _plain(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("contains control characters")
    return text


def _asked(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


def _as_tuple(value: object) -> object:
    """Lists as tuples, at any depth: a host writes lists, and so does JSON."""
    if isinstance(value, dict):
        return {name: _as_tuple(one) for name, one in value.items()}
    return tuple(map(_as_tuple, value)) if isinstance(value, list | tuple) else value


_Names = Annotated[tuple[Identifier, ...], BeforeValidator(_as_tuple)]


class _HostInput(FrozenModel):
    """What a host builds: a value that is wrong is the caller's mistake, told as `RequestInvalid`."""

    @model_validator(mode="wrap")
    @classmethod
    def _told_as_a_mistake(cls, given: Any, validated: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return validated(given)
        except ValidationError as exc:
            raise _invalid(exc) from exc


class Principal(_HostInput):
    """Who asks; the host has authenticated them before."""

    tenant: Identifier
    user: Identifier
    tier: Identifier
    scopes: _Names = ()
    collections: _Names = ()

    @property
    def subject(self) -> str:
        """Whom the rate limit counts (R9)."""
        return f"{self.tenant}/{self.user}"


class ResearchRequest(_HostInput):
    """What is asked; `clarified` says that the last turn was ASK_CLARIFY and the user answered it (R6)."""

    question: Annotated[Text, Field(max_length=QUESTION_CHARS_MAX), AfterValidator(_plain), AfterValidator(_asked)]
    context: Annotated[Text, Field(max_length=CONTEXT_CHARS_MAX), AfterValidator(_plain)] = ""
    capability: Identifier = "ask_documents"
    collection: Identifier | None = "documents"
    """The documents that are asked; None where the question is for none of them."""
    arguments: Annotated[Params, BeforeValidator(_as_tuple)] = ()
    clarified: bool = False
    narrow: CapsNarrowing = CapsNarrowing()
    balance_units: Annotated[int, Field(ge=0, le=10**12)] | None = None


class Grant(FrozenModel):
    """What policy allows one session: the effective caps and nothing beyond them."""

    session_id: Identifier
    subject: str
    tenant: Identifier
    tier: Identifier
    environment: Identifier
    collection: Identifier | None
    started_at_ms: int
    caps: PolicyCaps
    budget_units: Annotated[int, Field(ge=0)]
    allowed_tools: tuple[Identifier, ...]

    @property
    def deadline_ms(self) -> int:
        """The last millisecond that is still in time (R5)."""
        return self.started_at_ms + self.caps.total_research_timeout_ms


def read_request(**fields: Any) -> ResearchRequest:
    """Build a request at a door.

    Raises:
        RequestInvalid: names the first field that is wrong, without repeating its value.
    """
    return ResearchRequest.model_validate(fields)


def capability_name(request: ResearchRequest) -> str:
    """The capability that a request asks for.

    Raises:
        RequestInvalid: it is something else than a request.
    """
    if not isinstance(request, ResearchRequest):
        raise RequestInvalid("`request` is no ResearchRequest: make one with `read_request`")
    return request.capability


def scopes_of(principal: Principal) -> frozenset[str]:
    """What a principal carries.

    Raises:
        RequestInvalid: it is something else than a principal.
    """
    if not isinstance(principal, Principal):
        raise RequestInvalid("`principal` is no Principal: make one with `read_principal`")
    return frozenset(principal.scopes)


def read_principal(**fields: Any) -> Principal:
    """Build a principal at a door; raises as `read_request` does."""
    return Principal.model_validate(fields)


def _invalid(exc: ValidationError) -> RequestInvalid:
    return RequestInvalid(": ".join(filter(None, first_fault(exc, repeatable_name))))
