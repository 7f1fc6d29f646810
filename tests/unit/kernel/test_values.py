"""Canonical bytes, results and errors."""

from __future__ import annotations

import hashlib
from datetime import date

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from app.kernel import errors
from app.kernel.calls import Batch, ToolCall
from app.kernel.canonical import canonical_bytes, digest_of, sha256_hex
from app.kernel.models import WireModel
from app.kernel.results import RawItem, RawResult, RejectionCode
from app.kernel.stops import Cause

HASH = "a" * 64
SCALARS = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(codec="utf-8"))
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab\ue000𐀀", max_size=5), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.clause("4.2")
@given(JSON)
def test_canonical_bytes_do_not_depend_on_the_order_of_keys(value):
    def turned(item):
        if isinstance(item, dict):
            return {key: turned(item[key]) for key in reversed(list(item))}
        return tuple(map(turned, item)) if isinstance(item, list) else item

    assert canonical_bytes(value) == canonical_bytes(turned(value)) == rfc8785.dumps(value)
    assert digest_of(value) == hashlib.sha256(canonical_bytes(value)).hexdigest()


@pytest.mark.parametrize(
    "value",
    [
        *(1.0, object(), [0.5], {"a": {"b": 2.5}}, "\ud800", {"\udfff": 1}, {1: 2}, float("nan"), [1, float("inf")]),
        *(2**60, 2**53, -(2**53), [1, 2**53], {"a": 2**53, "b": 1}, {"a": 1, "b": -(2**53)}, {"é": 1, "b": 2**53}),
    ],
)
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises(errors.ContractViolation):
        canonical_bytes(value)


def test_known_bytes():
    assert canonical_bytes({"b": [1, True, None], "a": "é"}) == '{"a":"é","b":[1,true,null]}'.encode()
    assert sha256_hex(b"") == hashlib.sha256(b"").hexdigest()
    assert canonical_bytes(ToolCall(call_id="a", tool="t")) == b'{"call_id":"a","tool":"t"}'


class _Day(BaseModel):
    day: date
    loaves: frozenset[int]


def test_numbers_at_the_edge_and_types_that_only_a_model_has_are_written():
    edge = 2**53 - 1
    assert canonical_bytes([edge, -edge, {"b": edge, "a": -edge}]) == rfc8785.dumps(
        [edge, -edge, {"b": edge, "a": -edge}]
    )
    day = _Day(day=date(2023, 11, 14), loaves=frozenset([3]))
    assert canonical_bytes(day) == b'{"day":"2023-11-14","loaves":[3]}'
    assert canonical_bytes(day, {"day", "loaves"}) == b"{}"


def _item(**fields):
    return {"kind": "hit", "locator": "https://a.example/", "content_hash": HASH, "text_hash": HASH, **fields}


@pytest.mark.ruling("R2")
@pytest.mark.parametrize(
    "fields",
    [
        {"status": "ok"},
        {"status": "empty", "items": (_item(),)},
        {"status": "unavailable"},
        {"status": "ok", "items": (_item(),), "unavailable": "slow"},
        {"status": "ok", "items": (_item(body="\ud800"),)},
        {"status": "ok", "items": (_item(content_hash="xyz"),)},
        {"status": "ok", "items": (_item(start=-1),)},
        {"status": "fine"},
        {"status": "empty", "spent_units": -1},
    ],
)
def test_a_result_must_be_consistent(fields):
    with pytest.raises(ValidationError):
        RawResult.model_validate(fields, strict=False)


def test_an_instance_that_was_built_round_the_checks_is_checked_again():
    forged = RawResult.model_construct(status="ok", items=(), spent_units="many")
    with pytest.raises(ValidationError):
        RawResult.model_validate(forged)
    item = RawItem.model_construct(**{**_item(), "body": 5})
    with pytest.raises(ValidationError):
        RawResult.model_validate(RawResult.model_construct(status="ok", items=(item,), spent_units=1))


def test_a_batch_has_calls():
    with pytest.raises(ValidationError):
        Batch(calls=())
    assert ToolCall(call_id="a", tool="t", params=(("k", 1),)).param("k") == 1
    assert ToolCall(call_id="a", tool="t").param("k") is None


def test_the_error_tree_is_the_one_that_is_drawn():
    drawn = (errors.__doc__ or "").split("Messages are")[0]
    for name in errors.__all__:
        assert name in drawn, name
        assert issubclass(getattr(errors, name), errors.ResearchError)
    assert errors.ToolUnavailable("slow").kind == "slow"
    assert errors.WorkerKilled.cause is Cause.WORKER_KILLED


def test_unsafe_codes_are_told_apart():
    unsafe = {code for code in RejectionCode if code.unsafe}
    assert len(unsafe) == 4
    assert RejectionCode.DUPLICATE not in unsafe


class _Told(WireModel):
    content_length: int
    extracted_by: str | None = None
    inner: tuple[_Inner, ...] = ()


class _Inner(WireModel):
    json_ld: str | None = None


def test_what_doors_are_told_is_in_camel_case_and_without_what_is_not_there():
    told = _Told(content_length=5, inner=(_Inner(), _Inner(json_ld="x")))
    assert told.model_dump_json() == '{"contentLength":5,"inner":[{},{"jsonLd":"x"}]}'
    with pytest.raises(ValidationError):
        _Told(content_length=5, other=1)
