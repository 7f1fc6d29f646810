"""A caller's mistake is told as `RequestInvalid`, by field and rule, however the value was built."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from app.kernel.canonical import canonical_bytes
from app.kernel.errors import RequestInvalid
from app.kernel.faults import first_error, first_fault
from app.kernel.models import FrozenModel
from app.kernel.request import Principal, ResearchRequest, read_principal, read_request

WHO = {"tenant": "acme", "user": "u1", "tier": "PRO"}


@pytest.mark.parametrize("build", [ResearchRequest, read_request], ids=["constructor", "function"])
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"question": ""}, "question: is empty"),
        ({"question": "secret" * 100}, "question: is longer than 500 characters"),
        ({"question": "why?", "context": "secret" * 400}, "context: is longer than 2000 characters"),
        ({"question": "secret\x00"}, "question: contains control characters"),
        ({"question": "secret\ud800"}, "question: is not valid UTF-8"),
        ({"question": 3}, "question: input should be a valid string"),
        ({"question": "why?", "speed": 3}, "speed: extra inputs are not permitted"),
        ({"question": "why?", "a secret of mine": 3}, "(unknown name): extra inputs are not permitted"),
        ({"question": "why?", "secret" * 20: 3}, "(unknown name): extra inputs are not permitted"),
        ({}, "question: field required"),
        ({"question": "why?", "narrow": {"max_tool_calls_total": 0}}, "narrow.max_tool_calls_total: "),
    ],
)
def test_a_request_that_is_wrong_names_the_field_and_not_the_value(build, fields, said):
    with pytest.raises(RequestInvalid) as caught:
        build(**fields)
    assert str(caught.value).startswith(said)
    assert "secret" not in str(caught.value)


def test_a_request_and_a_principal_come_back_from_what_was_stored_of_them():
    request = read_request(question="why?", arguments=(("a", (1, ("b",))), ("c", {"d": (2,)})), narrow={})
    assert ResearchRequest.model_validate_json(canonical_bytes(request)) == request
    assert read_request(question="why?", arguments=[["a", [1, ["b"]]], ["c", {"d": [2]}]]) == request
    who = Principal(**WHO, collections=("documents",))
    assert Principal.model_validate_json(canonical_bytes(who)) == who


@pytest.mark.parametrize("build", [Principal, read_principal], ids=["constructor", "function"])
def test_a_principal_takes_lists_of_names_and_refuses_what_is_no_name(build):
    given = build(**WHO, collections=["documents"], scopes=["operator"])
    assert (given.collections, given.scopes) == (("documents",), ("operator",))
    for wrong in ({"collections": ["a b"]}, {"collections": "documents"}, {"tenant": ""}):
        with pytest.raises(RequestInvalid, match=next(iter(wrong))):
            build(**{**WHO, **wrong})


def test_a_flood_of_faults_is_told_in_one_line():
    class Many(FrozenModel):
        numbers: tuple[int, ...]

    with pytest.raises(ValidationError) as few:
        Many.model_validate_json(json.dumps({"numbers": ["x"] * 1_000}))
    assert first_fault(few.value)[0] == "numbers.0"
    with pytest.raises(ValidationError) as flood:
        Many.model_validate_json(json.dumps({"numbers": ["x"] * 1_001}))
    assert first_error(flood.value) is None
    assert first_fault(flood.value) == ("", "has more than 1000 faults")
