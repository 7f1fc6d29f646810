"""What a caller brings (principal and request) and what policy makes of it (the grant)."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, Field, ValidationError

from .calls import Params
from .caps import CapsNarrowing, PolicyCaps
from .errors import RequestInvalid
from .noun import Identifier, Noun, Text

__all__ = [
    "CONTEXT_CHARS_MAX",
    "QUESTION_CHARS_MAX",
    "Grant",
    "Principal",
    "ResearchRequest",
    "read_principal",
    "read_request",
]

QUESTION_CHARS_MAX: Final = 500
CONTEXT_CHARS_MAX: Final = 2_000
N = TypeVar("N", bound=Noun)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _plain(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("contains control characters")
    return text


def _asked(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


class Principal(Noun):
    """Who asks; the host has authenticated them before."""

    tenant: Identifier
    user: Identifier
    tier: Identifier
    scopes: tuple[Identifier, ...] = ()
    collections: tuple[Identifier, ...] = ()

    @property
    def subject(self) -> str:
        """Whom the rate limit counts (R9)."""
        return f"{self.tenant}/{self.user}"


class ResearchRequest(Noun):
    """What is asked; `clarified` says that the last turn was ASK_CLARIFY and the user answered it (R6)."""

    question: Annotated[Text, Field(max_length=QUESTION_CHARS_MAX), AfterValidator(_plain), AfterValidator(_asked)]
    context: Annotated[Text, Field(max_length=CONTEXT_CHARS_MAX), AfterValidator(_plain)] = ""
    capability: Identifier = "ask_documents"
    collection: Identifier | None = "documents"
    """The documents that are asked; None where the question is for none of them."""
    arguments: Params = ()
    clarified: bool = False
    narrow: CapsNarrowing = CapsNarrowing()
    balance_units: Annotated[int, Field(ge=0, le=10**12)] | None = None


class Grant(Noun):
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
    return _read(ResearchRequest, fields)


def read_principal(**fields: Any) -> Principal:
    """Build a principal at a door; raises as `read_request` does."""
    return _read(Principal, fields)


def _read(model: type[N], fields: dict[str, Any]) -> N:
    try:
        return model(**fields)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        raise RequestInvalid(f"{'.'.join(map(str, first['loc']))}: {_lower(first)}") from exc


def _lower(error: Any) -> str:
    if error["type"] == "too_long":
        return f"is longer than {error['ctx']['max_length']} characters"
    if error["type"] == "string_unicode" or "surrogates not allowed" in error["msg"]:
        return "is not valid UTF-8"
    message = str(error["msg"]).removeprefix("Value error, ")
    return message[:1].lower() + message[1:]
