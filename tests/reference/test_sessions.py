"""Whole sessions against the reference: policy, ledger, router, adapter, resolver and record in one model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from tests.simulation.runs import judged
from tests.simulation.scenario.generate import draw_world, make_world


@pytest.mark.clause("4.2")
@pytest.mark.clause("4.3")
@pytest.mark.ruling("R11")
@pytest.mark.ruling("R19")
@given(st.randoms(use_true_random=False))
def test_drawn_sessions_are_those_of_the_reference(chance):
    world = draw_world(chance, 0, 0, sessions=2)
    note(json.dumps(world))
    assert [one["wrong"] for one in judged(world)] == [[]] * 2


@pytest.mark.parametrize("number", range(40))
def test_seeded_sessions_are_those_of_the_reference(number):
    assert [one["wrong"] for one in judged(make_world(5, number))] == [[]] * 5
