"""Rulings ↔ tests, both ways: each ruling that is built has a test, and each mark names a ruling."""

from __future__ import annotations

import re

from tests.conformance.marks import CONTRACT, NOT_BUILT, marks

RULINGS = re.findall(r"^## (R\d+) ", (CONTRACT / "RULINGS.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_rulings_are_numbered_without_a_gap():
    assert [f"R{number}" for number in range(1, 26)] == RULINGS


def test_every_ruling_that_is_built_has_a_test():
    shown = marks("ruling")
    assert [ruling for ruling in RULINGS if ruling not in shown and ruling not in NOT_BUILT] == []


def test_every_mark_names_a_ruling():
    assert set(marks("ruling")) - set(RULINGS) == set()


def test_what_is_listed_as_not_built_is_not_shown_either():
    assert set(NOT_BUILT) & set(marks("ruling")) == set(), "it is built: take it off the list"
    assert set(NOT_BUILT) <= set(RULINGS)
    assert all(len(reason.split()) >= 5 for reason in NOT_BUILT.values())
