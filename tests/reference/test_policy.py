"""Policy against the model: refusals and effective caps over the whole space."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.kernel.caps import CapsUnusable, PolicyCaps
from app.kernel.request import Grant, Principal, read_request
from app.research.policy import Policy
from app.system.contract_files import read_contract
from tests.reference.policy_model import CAPS, effective, refused

DATA = read_contract()
FIELDS = tuple(PolicyCaps.model_fields)


def _policy(environment, enabled=True, readable=True, sealed=True):
    caps = DATA.caps if readable else CapsUnusable(why="unreadable")
    return Policy(environment=environment, research_enabled=enabled, sealed=sealed, caps=caps)


def _grant(policy, tier, owns=True, **fields):
    principal = Principal(tenant="t", user="u", tier=tier, collections=("documents",) if owns else ())
    return policy.grant(read_request(question="why?", **fields), principal, "s-1", 1_000, ("doc_lookup",))


@pytest.mark.clause("3.3")
@pytest.mark.ruling("R13")
@pytest.mark.ruling("R15")
def test_every_refusal():
    space = product(("FREE", "PRO", "MAX", "GOLD"), ("dev", "staging", "prod", "moon"), *[(True, False)] * 4)
    for tier, environment, enabled, readable, owns, sealed in space:
        got = _grant(_policy(environment, enabled, readable, sealed), tier, owns)
        want = refused(tier, environment, enabled, readable, owns, sealed)
        if want:
            assert isinstance(got, tuple)
            assert {signal.reason.value for signal in got} == want
        else:
            assert isinstance(got, Grant)


@pytest.mark.clause("2.9")
@pytest.mark.ruling("R13")
@given(
    place=st.sampled_from(sorted(CAPS)),
    wish=st.tuples(*[st.none() | st.integers(1, limit) for limit in (1_000, 10_000, 3_600_000, 3_600_000, 1_000_000)]),
    balance=st.none() | st.integers(0, 10_000),
)
def test_a_request_only_narrows(place, wish, balance):
    narrow = {name: value for name, value in zip(FIELDS, wish, strict=True) if value is not None}
    got = _grant(_policy(place[1]), place[0], narrow=narrow, balance_units=balance)
    assert isinstance(got, Grant)
    want = effective(*place, wish, balance)
    assert (*[getattr(got.caps, name) for name in FIELDS], got.budget_units) == want
    assert all(now <= cap for now, cap in zip(want, CAPS[place], strict=False))


@pytest.mark.clause("2.1")
def test_a_grant_names_what_may_be_used():
    got = _grant(_policy("prod"), "PRO")
    assert isinstance(got, Grant)
    assert got.allowed_tools == ("doc_lookup",)
    assert (got.subject, got.session_id, got.deadline_ms) == ("t/u", "s-1", 16_000)


@pytest.mark.ruling("R20")
def test_a_request_that_asks_no_collection_needs_none():
    got = _grant(_policy("prod"), "PRO", owns=False, collection=None)
    assert isinstance(got, Grant)
    assert got.collection is None
    assert isinstance(_grant(_policy("prod"), "PRO", owns=False), tuple)
