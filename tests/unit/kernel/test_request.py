"""Requests: what can be asked, and how a door hears what is wrong."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.kernel.errors import RequestInvalid
from app.kernel.request import Principal, ResearchRequest, read_principal, read_request


@pytest.mark.clause("2.1")
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"question": ""}, "question: is empty"),
        ({"question": " \n\t "}, "question: is empty"),
        ({"question": "x" * 501}, "question: is longer than 500 characters"),
        ({"question": "a\x00b"}, "question: contains control characters"),
        ({"question": "a\x1b[31mb"}, "question: contains control characters"),
        ({"question": "caf\udce9"}, "question: is not valid UTF-8"),
        ({"question": 7}, "question: input should be a valid string"),
        ({"question": None}, "question: input should be a valid string"),
        ({"question": "why?", "context": "c" * 2_001}, "context: is longer than 2000 characters"),
        ({"question": "why?", "balance_units": -1}, "balance_units: input should be greater than or equal to 0"),
        ({"question": "why?", "surprise": 1}, "surprise: extra inputs are not permitted"),
        ({}, "question: field required"),
        ({"question": "", "balance_units": -1}, "question: is empty"),
        ({"question": "why?", "capability": "caf\udce9"}, "capability: is not valid UTF-8"),
    ],
)
def test_what_cannot_be_asked(fields, message):
    with pytest.raises(RequestInvalid) as caught:
        read_request(**fields)
    assert str(caught.value) == message


@pytest.mark.ruling("R13")
@pytest.mark.parametrize("value", [0, -5, 10**12, "3", 2.5])
def test_a_narrowing_is_a_positive_number(value):
    with pytest.raises(RequestInvalid, match=r"^narrow\.max_tool_calls_total"):
        read_request(question="why?", narrow={"max_tool_calls_total": value})


def test_the_longest_question_is_accepted_in_any_script():
    for letter in ("x", "é", "漢", "🍞"):
        assert len(read_request(question=letter * 500).question) == 500


def test_a_request_is_a_value():
    request = ResearchRequest(question="why?")
    with pytest.raises(ValidationError):
        request.question = "other"
    assert request == ResearchRequest(question="why?")


@pytest.mark.parametrize("bad", ["", "a b", "../x", "x" * 129, "naïve", 5])
def test_tenants_and_users_are_plain_names(bad):
    with pytest.raises(RequestInvalid):
        Principal(tenant=bad, user="u", tier="PRO")
    with pytest.raises(RequestInvalid, match=r"^tenant: "):
        read_principal(tenant=bad, user="u", tier="PRO")
