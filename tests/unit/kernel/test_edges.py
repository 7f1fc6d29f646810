"""The edges of every number and the choices of every closed word: the last that is taken, the first that is not."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.kernel.calls import Batch, Done, ToolCall
from app.kernel.caps import CapsNarrowing, PolicyCaps
from app.kernel.catalog import ToolEntry
from app.kernel.document_index import DocumentHit
from app.kernel.errors import RequestInvalid
from app.kernel.journal_records import CallInput, PortFailed
from app.kernel.ledger import Refused, Reservation
from app.kernel.models import FrozenModel, WireModel
from app.kernel.outcome import Gap
from app.kernel.request import Grant, Principal, ResearchRequest
from app.kernel.results import CallOutcome, RawItem, RawResult, ScreenedItem, Source
from app.kernel.stops import Cause, Signal, StopReason

HASH = "a" * 64
CALL = ToolCall(call_id="a", tool="t")
CAPS = {
    "max_tool_calls_total": 5,
    "max_tool_calls_per_minute": 10,
    "per_call_timeout_ms": 1,
    "total_research_timeout_ms": 3_600_000,
    "budget_units_clamp": 500,
}
ITEM = {"kind": "hit", "locator": "https://a.example/", "content_hash": HASH, "text_hash": HASH}
GRANT = {
    "session_id": "s",
    "subject": "t/u",
    "tenant": "t",
    "tier": "PRO",
    "environment": "dev",
    "collection": None,
    "started_at_ms": 1,
    "caps": PolicyCaps(**CAPS),
    "budget_units": 1,
    "allowed_tools": (),
}
HIT = {
    "path": "a.md",
    "title": "",
    "heading": "",
    "text": "x",
    "start": 0,
    "end": 1,
    "content_hash": HASH,
    "text_hash": HASH,
    "score_milli": 1,
    "coverage_milli": 1,
}
WISH = {
    "subject": "t/u",
    "session_id": "s",
    "key": "k",
    "calls": 1,
    "units": 1,
    "max_calls_per_minute": 1,
    "max_calls_total": 1,
    "max_units": 1,
    "lease_ms": 1,
}
TOOL = {"name": "t", "price_units": 1, "own_deadline_ms": 1, "max_output_bytes": 1, "effect": "none"}
SOURCE = {
    **ITEM,
    "source_id": HASH,
    "call_id": "a",
    "tool": "t",
    "payload": "text",
    "title": "",
    "text": "x",
    "metadata": (),
    "start": 0,
    "end": 1,
    "relevance_milli": 1,
    "trust": "untrusted-external-content",
}
GOOD = {
    Batch: {"calls": (CALL,)},
    CallInput: {"ended": "answered", "elapsed_ms": 1},
    CapsNarrowing: {},
    DocumentHit: HIT,
    Done: {},
    Gap: {"detail": "x"},
    Grant: GRANT,
    PolicyCaps: CAPS,
    PortFailed: {"error": "x", "violation": False},
    RawItem: ITEM,
    RawResult: {"status": "empty"},
    Reservation: WISH,
    ResearchRequest: {"question": "why?"},
    ScreenedItem: {**ITEM, "trust": None, "carriers_removed": 0},
    Source: SOURCE,
    ToolEntry: TOOL,
}
HOUR_MS, OFFSET = 3_600_000, 1_099_511_627_776
EDGES = [
    (Batch, "wait_ms", 0, None),
    *(
        (model, field, 1, most)
        for model in (PolicyCaps, CapsNarrowing)
        for field, most in (
            ("max_tool_calls_total", 1_000),
            ("max_tool_calls_per_minute", 10_000),
            ("total_research_timeout_ms", HOUR_MS),
            ("per_call_timeout_ms", HOUR_MS),
            ("budget_units_clamp", 1_000_000),
        )
    ),
    (ToolEntry, "price_units", 1, 1_000_000),
    (ToolEntry, "own_deadline_ms", 1, HOUR_MS),
    (ToolEntry, "max_output_bytes", 1, 100_000_000),
    (DocumentHit, "start", 0, None),
    (DocumentHit, "end", 0, None),
    (DocumentHit, "coverage_milli", 0, 1_000),
    (Grant, "budget_units", 0, None),
    *((Reservation, field, 1, None) for field in ("calls", "max_calls_per_minute", "max_calls_total", "lease_ms")),
    (Reservation, "units", 0, None),
    (Reservation, "max_units", 0, None),
    (ResearchRequest, "balance_units", 0, 1_000_000_000_000),
    (RawItem, "start", 0, OFFSET),
    (RawItem, "end", 0, OFFSET),
    (RawItem, "relevance_milli", 0, 1_000),
    (RawItem, "carriers_removed", 0, OFFSET),
    (ScreenedItem, "carriers_removed", 0, None),
    (RawResult, "spent_units", 0, 1_000_000),
    (RawResult, "age_ms", 0, OFFSET),
    (RawResult, "max_age_ms", 0, OFFSET),
]
CHOICES = [
    (Done, "why", ("complete", "no_gain", "limit")),
    (ToolEntry, "effect", ("none", "local_write", "external_write")),
    (Gap, "kind", ("access_denied", "budget_exhausted", "scope_exceeded", "source_not_found")),
    (CallInput, "ended", ("answered", "invalid", "too_large", "raised", "cut", "lost")),
    (PortFailed, "port", ("content.put", "ledger.reserve", "ledger.settle", "observer")),
    (RawItem, "payload", ("text", "record")),
    (Source, "payload", ("text", "record")),
    (Source, "trust", ("untrusted-external-content",)),
    (ScreenedItem, "trust", ("untrusted-external-content", None)),
]


def _read(model, fields):
    return model.model_validate(fields, strict=False)


@pytest.mark.clause("2.9")
@pytest.mark.parametrize(("model", "field", "least", "most"), EDGES)
def test_a_number_is_taken_up_to_its_edges_and_not_beyond(model, field, least, most):
    for value in (least, 10**15 if most is None else most):
        assert getattr(_read(model, {**GOOD[model], field: value}), field) == value
    for value in (least - 1, None if most is None else most + 1):
        if value is not None:
            # What a host builds is refused as its own mistake, with the model's own errors behind it.
            refused = RequestInvalid if model is ResearchRequest else ValidationError
            with pytest.raises(refused) as caught:
                _read(model, {**GOOD[model], field: value})
            told = caught.value.__cause__ if refused is RequestInvalid else caught.value
            assert [error["loc"][:1] for error in told.errors()] == [(field,)]


@pytest.mark.parametrize(("model", "field", "words"), CHOICES)
def test_a_closed_word_is_one_of_its_choices(model, field, words):
    for word in words:
        assert getattr(_read(model, {**GOOD[model], field: word}), field) == word
        with pytest.raises(ValidationError):
            _read(model, {**GOOD[model], field: f"{word}~"})


def test_one_call_or_one_signal_is_enough_and_none_is_not():
    signal = Signal(reason=StopReason.NO_SOURCE, cause=Cause.NONE_ACCEPTED)
    assert (len(Batch(calls=(CALL,)).calls), len(Refused(signals=(signal,)).signals)) == (1, 1)
    with pytest.raises(ValidationError):
        Batch(calls=())
    with pytest.raises(ValidationError):
        Refused(signals=())


ITEM_DEFAULTS = {
    "payload": "text",
    "requested": "",
    "title": "",
    "snippet": "",
    "body": "",
    "metadata": (),
    "start": 0,
    "end": 0,
    "relevance_milli": 0,
}
OUTCOME = {"call_id": "a", "branch": "main", "tool": "t", "status": "ok", "spent_units": 1, "elapsed_ms": 1}
UNSAID = [
    (ToolCall, {"call_id": "a", "tool": "t"}, {"params": (), "branch": "main", "about": "", "with_related": False}),
    (Batch, {"calls": (CALL.model_dump(),)}, {"wait_ms": 0}),
    (DocumentHit, HIT, {"columns": "", "hidden": (), "edges": (), "carriers_removed": 0, "respelled": ()}),
    (Gap, {"kind": "access_denied", "detail": "x"}, {"call_id": ""}),
    (CallInput, GOOD[CallInput], {"size": 0, "raw": None, "fetched": (), "raised": None}),
    (RawItem, ITEM, {**ITEM_DEFAULTS, "hidden": (), "carriers_removed": 0, "verbatim": False}),
    (ScreenedItem, GOOD[ScreenedItem], ITEM_DEFAULTS),
    (
        RawResult,
        {"status": "empty"},
        {"unavailable": None, "items": (), "spent_units": 0, "truncated": False, "age_ms": None, "max_age_ms": None},
    ),
    (
        CallOutcome,
        OUTCOME,
        {
            "unavailable": None,
            "candidates": 0,
            "accepted": 0,
            "carriers_removed": 0,
            "truncated": False,
            "age_ms": None,
            "max_age_ms": None,
            "rungs": (),
        },
    ),
    (
        Signal,
        {"reason": "NO_SOURCE", "cause": "none_accepted"},
        {"call_id": "", "code": "", "limit": None, "value": None, "retry_at_ms": None},
    ),
    (Principal, {"tenant": "t", "user": "u", "tier": "PRO"}, {"scopes": (), "collections": ()}),
    (
        ResearchRequest,
        {"question": "why?"},
        {
            "context": "",
            "capability": "ask_documents",
            "collection": "documents",
            "arguments": (),
            "clarified": False,
            "narrow": dict.fromkeys(CAPS),
            "balance_units": None,
        },
    ),
]


@pytest.mark.parametrize(("model", "said", "unsaid"), UNSAID)
def test_what_is_not_said_has_a_known_value(model, said, unsaid):
    assert _read(model, said).model_dump() == {**said, **unsaid}


def test_texts_are_taken_up_to_their_length():
    assert len(ResearchRequest(question="q" * 500, context="c" * 2_000).context) == 2_000
    for fields in ({"question": "q" * 501}, {"question": "q", "context": "c" * 2_001}):
        with pytest.raises(RequestInvalid):
            ResearchRequest(**fields)


@pytest.mark.parametrize("code", [0x00, 0x08, 0x0B, 0x0D, 0x1F, 0x7F, 0x9F])
def test_a_control_character_is_refused_in_question_and_context(code):
    for fields in ({"question": f"a{chr(code)}"}, {"question": "a", "context": f"a{chr(code)}"}):
        with pytest.raises(RequestInvalid, match="control characters"):
            ResearchRequest(**fields)


@pytest.mark.parametrize("code", [0x09, 0x0A, 0x20, 0x7E, 0xA0])
def test_what_is_next_to_control_characters_is_text(code):
    assert ResearchRequest(question=f"a{chr(code)}b", context=chr(code)).question == f"a{chr(code)}b"


class _Loaf(FrozenModel):
    weight: int


class _ToldLoaf(WireModel):
    crust_colour: str


def test_a_value_is_frozen_closed_and_strict():
    loaf = _Loaf(weight=500)
    with pytest.raises(ValidationError):
        loaf.weight = 400
    with pytest.raises(ValidationError):
        _Loaf(weight=500, colour="dark")
    with pytest.raises(ValidationError):
        _Loaf(weight="500")


def test_what_doors_tell_can_be_built_by_either_name_and_is_told_by_one():
    for fields in ({"crust_colour": "dark"}, {"crustColour": "dark"}):
        assert _ToldLoaf(**fields).model_dump() == {"crustColour": "dark"}


@pytest.mark.parametrize("good", ["a", "Z9", "a.b_c@d-e", "x" * 128])
@pytest.mark.parametrize("bad", ["", ".a", "-a", "a b", "a/b", "a~", "x" * 129, "a\n"])
def test_an_identifier_is_a_short_plain_name(good, bad):
    assert ToolCall(call_id=good, tool="t").call_id == good
    with pytest.raises(ValidationError):
        ToolCall(call_id=bad, tool="t")


@pytest.mark.parametrize("bad", ["", "a" * 63, "a" * 65, "A" * 64, "g" * 64, f"{HASH}~"])
def test_a_digest_is_sixty_four_small_hexadecimal_digits(bad):
    assert _read(RawItem, {**ITEM, "text_hash": "0123456789abcdef" * 4}).text_hash == "0123456789abcdef" * 4
    with pytest.raises(ValidationError):
        _read(RawItem, {**ITEM, "text_hash": bad})
