"""What comes back, one type per hop: RawResult → ScreenedResult → Source."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from .canonical import sha256_hex
from .models import Digest, FrozenModel, Identifier, Text
from .rungs import Offer, Rung

__all__ = [
    "OFFSET_MAX",
    "TRUST_MARKER",
    "CallOutcome",
    "Finding",
    "LocatedFinding",
    "OutcomeStatus",
    "RawItem",
    "RawResult",
    "Rejection",
    "RejectionCode",
    "ScreenedItem",
    "ScreenedResult",
    "Source",
    "SourceKind",
    "UnavailableKind",
    "searched_for",
    "text_item",
]

TRUST_MARKER: Final = "untrusted-external-content"
OFFSET_MAX: Final = 2**40


class SourceKind(StrEnum):
    """R21: how the evidence was come by."""

    FETCHED = "fetched"
    PASSAGE = "passage"
    HIT = "hit"
    REPORTED = "reported"


class OutcomeStatus(StrEnum):
    """R2: how a call ended. The first three signal nothing."""

    OK = "ok"
    EMPTY = "empty"
    UNAVAILABLE = "unavailable"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    VIOLATED = "violated"
    CRASHED = "crashed"


class UnavailableKind(StrEnum):
    """R2: why a tool could not get what it was asked for."""

    UNREACHABLE = "unreachable"
    SLOW = "slow"
    RATE_LIMITED = "rate_limited"
    PROVIDER_DOWN = "provider_down"
    AUTH = "auth"
    PAYWALL = "paywall"
    ROBOTS = "robots"
    BLOCKED = "blocked"
    REFUSED_DESTINATION = "refused_destination"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"


class RejectionCode(StrEnum):
    """Why a candidate did not become a source; the unsafe ones signal VALIDATION_FAIL (R17)."""

    DUPLICATE = "duplicate"
    EMPTY = "empty"
    NEAR_DUPLICATE = "near_duplicate"
    OFF_TOPIC = "off_topic"
    TOO_SHORT = "too_short"
    UNDECODABLE = "undecodable"
    UNSAFE_LOCATOR = "unsafe_locator"
    UNSAFE_SHAPE = "unsafe_shape"
    UNSAFE_SUBSTITUTE = "unsafe_substitute"
    UNSAFE_UNMARKED = "unsafe_unmarked"

    @property
    def unsafe(self) -> bool:
        """Whether the candidate failed a safety check, not only a quality check."""
        return self.value.startswith("unsafe_")


Metadata = tuple[tuple[Text, Text], ...]
_Word = Annotated[str, StringConstraints(pattern=r"^[^\W_]+(?:'[^\W_]+)*$", max_length=64)]
# Single words, so that nothing can be said with them; what is empty is left out, as in records of before.
Respelled = Annotated[tuple[tuple[_Word, _Word], ...], Field(max_length=16, exclude_if=lambda words: not words)]
_Age = Annotated[int, Field(ge=0, le=OFFSET_MAX)]


class _Item(FrozenModel):
    kind: SourceKind
    payload: Literal["text", "record"] = "text"
    locator: Text
    requested: Text = ""
    title: Text = ""
    snippet: Text = ""
    body: Text = ""
    metadata: Metadata = ()
    content_hash: Digest
    text_hash: Digest
    start: Annotated[int, Field(ge=0, le=OFFSET_MAX)] = 0
    end: Annotated[int, Field(ge=0, le=OFFSET_MAX)] = 0
    relevance_milli: Annotated[int, Field(ge=0, le=1000)] = 0
    """How much of the question the item holds; it depends on the question, so no id is made from it."""
    respelled: Respelled = ()
    """Words of the question that the tool looked for in another spelling; like the relevance, in no id."""


class RawItem(_Item):
    """One candidate as a tool found it; `hidden` holds what a reader would not see, for the screen."""

    model_config = ConfigDict(revalidate_instances="always")

    hidden: tuple[Text, ...] = ()
    carriers_removed: Annotated[int, Field(ge=0, le=OFFSET_MAX)] = 0
    """What the tool stripped already, so that it is counted with what the screen strips."""
    verbatim: bool = False
    """R7: the caller asked for the bytes as they are, so carriers in the body are counted and stay."""


def text_item(
    locator: str, text: str, *, kind: SourceKind = SourceKind.FETCHED, title: str = "", requested: str = ""
) -> RawItem:
    """An item whose bytes are its text, with the hashes that a source is known by."""
    digest = sha256_hex(text.encode())
    return RawItem(
        kind=kind,
        locator=locator,
        requested=requested,
        title=title,
        body=text,
        content_hash=digest,
        text_hash=digest,
        end=len(text),
    )


class RawResult(FrozenModel):
    """A tool's whole answer. Nothing in it has been looked at yet (R2 says what each status means)."""

    model_config = ConfigDict(revalidate_instances="always")

    status: Literal["ok", "empty", "unavailable"]
    unavailable: UnavailableKind | None = None
    items: tuple[RawItem, ...] = ()
    spent_units: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    truncated: bool = False
    age_ms: _Age | None = None
    """How old the tool's stored copy is; None where the answer is of now."""
    max_age_ms: _Age | None = None
    rungs: Annotated[tuple[Rung, ...], Field(exclude_if=lambda rungs: not rungs)] = ()
    """The providers of a ladder, as far as it went: who was passed over and why, and who answered."""
    offered: Annotated[tuple[Offer, ...], Field(max_length=200, exclude_if=lambda offers: not offers)] = ()
    """Who else could have been asked, as the tool saw it then (R36)."""

    @model_validator(mode="after")
    def _consistent(self) -> RawResult:
        if (self.status == "ok") is not bool(self.items):
            raise ValueError("items stand exactly where the status is ok")
        if (self.status == "unavailable") is not (self.unavailable is not None):
            raise ValueError("a kind stands exactly where the status is unavailable")
        return self


class Finding(FrozenModel):
    """A directive found by the screen: the rule and where it stands, never the words."""

    rule_id: Identifier
    part: str
    start: int
    end: int


class LocatedFinding(Finding):
    """A finding with the call and the document or page it stands in: for operators, and never in a journal (R14)."""

    call_id: Identifier
    locator: Text


class ScreenedItem(_Item):
    """A candidate that the screen has seen: carriers stripped, marked as untrusted."""

    trust: Literal["untrusted-external-content"] | None
    carriers_removed: Annotated[int, Field(ge=0)]


class ScreenedResult(FrozenModel):
    """A tool's answer after the screen; items with findings are left out."""

    call_id: Identifier
    items: tuple[ScreenedItem, ...]
    findings: tuple[Finding, ...]
    carriers_removed: int


class Source(FrozenModel):
    """§2.3: accepted evidence; its id is the digest of what it says and where that stands."""

    source_id: Digest
    call_id: Identifier
    tool: Identifier
    kind: SourceKind
    payload: Literal["text", "record"]
    locator: Text
    title: Text
    text: Text
    metadata: Metadata
    content_hash: Digest
    text_hash: Digest
    start: int
    end: int
    relevance_milli: int
    respelled: Respelled = ()
    trust: Literal["untrusted-external-content"]


def searched_for(sources: tuple[Source, ...]) -> tuple[str, ...]:
    """The words that were looked for in place of words of the question, each once."""
    return tuple(dict.fromkeys(word for source in sources for _, word in source.respelled))


class Rejection(FrozenModel):
    """A candidate that was dropped, by hash and code."""

    call_id: Identifier
    position: int
    code: RejectionCode
    text_hash: Digest


class CallOutcome(FrozenModel):
    """How one call ended, in numbers and codes."""

    call_id: Identifier
    branch: Identifier
    tool: Identifier
    status: OutcomeStatus
    unavailable: UnavailableKind | None = None
    spent_units: int
    elapsed_ms: int
    candidates: int = 0
    accepted: int = 0
    carriers_removed: int = 0
    truncated: bool = False
    age_ms: int | None = None
    max_age_ms: int | None = None
    rungs: tuple[Rung, ...] = ()
    """The providers of a ladder, as far as it went; empty for tools without one."""
    offered: Annotated[tuple[Offer, ...], Field(exclude_if=lambda offers: not offers)] = ()
    """Who else could have been asked, as the tool saw it then."""
