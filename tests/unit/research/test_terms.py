"""The catalogue may grow while sessions are on record: replay keeps recorded terms, resuming takes the stricter."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.fixtures.scripted import TOOLS, Bench
from tests.fixtures.virtual_time import run_virtual
from tests.unit.research.test_session_keys import again, finished, killed_after

from app.kernel.catalog import ToolEntry, ToolTable
from app.research.record.opening import session_of
from app.research.record.terms import agreed_terms, by_name

PLAN = [
    {"calls": [{"id": "a", "items": [{"body": "first the flour is weighed with care"}]}]},
    {"calls": [{"id": "b", "items": [{"body": "then the water goes in, all of it at once"}]}]},
    {"calls": [{"id": "c", "items": [{"body": "last comes the salt, which slows everything"}]}]},
]
CASE = {"plan": PLAN}
ALPHA = TOOLS.tools[0]
MORE = ToolEntry(name="newcomer", price_units=9, own_deadline_ms=9, max_output_bytes=9, effect="none")


def _with(bench, *tools):
    table = ToolTable(catalog_version=1, tools=tools)
    bench.router._basis = replace(bench.router._basis, tools=table)
    return bench


def _changed(**fields):
    return ALPHA.model_copy(update=fields)


@pytest.mark.ruling("R22")
def test_a_row_more_in_the_catalogue_changes_no_line_of_a_session():
    before, after = Bench(CASE), _with(Bench(CASE), MORE, *TOOLS.tools)
    one, other = before.run(), after.run()
    assert before.journal.lines(one.session_id) == after.journal.lines(other.session_id)


@pytest.mark.ruling("R22")
def test_a_session_of_another_catalogue_replays_with_its_recorded_terms():
    bench = _with(Bench(CASE), _changed(price_units=3), *TOOLS.tools[1:])
    session = bench.run().session_id
    assert bench.replay(session).identical


def test_terms_behind_a_record_are_the_stricter_ones():
    dear, slow = _changed(price_units=7), _changed(own_deadline_ms=1)
    terms = agreed_terms(by_name([slow]), by_name([dear, MORE]))
    assert (terms.entries["alpha"].price_units, terms.entries["alpha"].own_deadline_ms) == (7, 1)
    assert terms.entry("alpha", by_name([slow])) == slow
    assert terms.entry("newcomer", None) is None
    assert terms.withdrawn == frozenset()
    gone = agreed_terms(by_name([slow]), {})
    assert (gone.entries, gone.withdrawn) == ({"alpha": slow}, {"alpha"})


@pytest.mark.ruling("R22")
@pytest.mark.parametrize(
    ("tools", "reserved", "statuses"),
    [
        ((MORE, *TOOLS.tools), [1, 1, 1], ["ok", "ok", "ok"]),
        ((_changed(price_units=4), *TOOLS.tools[1:]), [1, 4, 4], ["ok", "ok", "ok"]),
        (TOOLS.tools[1:], [1, 1, 1], ["ok", "unavailable", "unavailable"]),
    ],
    ids=["a row more", "a dearer tool", "a withdrawn tool"],
)
def test_a_killed_session_goes_on_after_the_catalogue_changed_and_replays(tools, reserved, statuses):
    first, _ = finished(CASE)
    other, _ = killed_after(3, CASE, first)
    outcome = run_virtual(_with(other, *tools).loop, again(other))
    assert [call.status for call in outcome.outcomes] == statuses
    assert [gap.kind for gap in outcome.gaps] == ["access_denied"] * statuses.count("unavailable")
    session = session_of(other.principal, "k")
    assert [wish["units"] for wish in _wishes(other, session)] == reserved
    assert other.replay(session).result == "identical"


@pytest.mark.ruling("R22")
def test_a_session_that_dies_twice_keeps_each_of_its_terms():
    first, _ = finished(CASE)
    second, _ = killed_after(3, CASE, first)
    run_virtual(_with(second, _changed(price_units=4), *TOOLS.tools[1:]).loop, again(second))
    third, _ = killed_after(6, CASE, second)
    run_virtual(_with(third, _changed(price_units=2), *TOOLS.tools[1:]).loop, again(third))
    session = session_of(third.principal, "k")
    assert [wish["units"] for wish in _wishes(third, session)] == [1, 4, 4], "never cheaper than on record"
    assert third.replay(session).result == "identical"


@pytest.mark.ruling("R23")
def test_a_plan_with_another_source_is_told_where_the_session_goes_on():
    first = Bench(CASE)
    first.router._basis = replace(first.router._basis, plan_source=lambda _: "a" * 64)
    run_virtual(first.loop, again(first))
    other, _ = killed_after(3, CASE, first)
    other.router._basis = replace(other.router._basis, plan_source=lambda _: "b" * 64)
    run_virtual(other.loop, again(other))
    session = session_of(other.principal, "k")
    (resumed,) = [line["facts"] for line in _lines(other, session) if line["step"] == "Resumed"]
    assert (_lines(other, session)[0]["facts"]["plan_source"], resumed["plan_source"]) == ("a" * 64, "b" * 64)
    assert other.replay(session).result == "identical"


def _lines(bench, session):
    import json

    return [json.loads(line) for line in bench.journal.lines(session)]


def _wishes(bench, session):
    return [line["facts"]["wish"] for line in _lines(bench, session) if line["step"] == "ReserveDecided"]
