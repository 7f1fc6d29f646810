"""Keys of sessions: which session a key names, which keys there are, and what is let go when a key does not fit."""

from __future__ import annotations

import uuid

import pytest
from tests.fixtures.at_once import at_once
from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual
from tests.golden.cases import SESSION
from tests.unit.research.test_session_keys import PLAN, again, finished

from app.kernel.errors import RequestInvalid, StoreBusy
from app.kernel.journal_records import Called, CallInput, read_line, written_line
from app.kernel.request import Principal
from app.research.record.opening import objects_of, read_chain, session_of

ADA = Principal(tenant="acme", user="ada", tier="PRO")


def test_the_session_of_a_key_is_the_same_for_ever():
    """Records on disk are found by it: sha256 of the canonical JSON `["acme","ada","k"]`, as a UUID of version 8."""
    assert session_of(ADA, "k") == "09042772-e75d-8bcc-8064-307c89aab243"
    found = uuid.UUID(session_of(ADA, "k"))
    assert (found.version, found.variant) == (8, uuid.RFC_4122)


def test_another_tenant_user_or_key_is_another_session():
    others = [
        session_of(Principal(tenant=tenant, user=user, tier=tier), key)
        for tenant, user, tier, key in (
            ("acme", "ada", "PRO", "k"),
            ("birch", "ada", "PRO", "k"),
            ("acme", "bo", "PRO", "k"),
            ("acme", "ada", "PRO", "l"),
            ("acme", "ada", "MAX", "k"),
        )
    ]
    assert len(set(others)) == 4
    assert others[4] == others[0]


def test_the_longest_key_is_taken_and_a_longer_one_refused():
    bench = Bench({"plan": PLAN})

    async def in_turn():
        with pytest.raises(RequestInvalid, match="1 to 200 printable"):
            await again(bench, key="k" * 201)
        return await again(bench, key="k" * 200)

    assert run_virtual(bench.loop, in_turn()).verdict.stop == "SUCCESS_COMPLETED"


def test_a_key_that_came_with_another_request_is_let_go_and_goes_on_with_its_own():
    bench, _ = finished({"plan": PLAN})
    session = session_of(bench.principal, "k")
    other = Bench({"plan": PLAN})
    at_once(other.journal.begin("acme", session))
    other.journal.append(session, bench.journal.lines(session)[0])
    other.journal.abandon(session)
    other.store._objects = dict(bench.store._objects)

    async def in_turn():
        with pytest.raises(RequestInvalid, match="another request"):
            await again(other, question="and what is asked now?")
        return await again(other)

    assert run_virtual(other.loop, in_turn()).verdict.stop == "SUCCESS_COMPLETED"


def test_a_session_is_begun_as_one_that_has_a_key():
    """A journal must not begin what another process has just finished."""
    bench = Bench({"plan": PLAN})
    begun = []

    def begin(tenant, session_id, *, keyed=False):
        begun.append(keyed)
        raise StoreBusy("taken")

    bench.journal.begin = begin
    with pytest.raises(StoreBusy):
        run_virtual(bench.loop, again(bench))
    assert begun == [True]


def test_a_session_that_was_closed_without_a_kept_outcome_cannot_be_had_again():
    unkeyed, bench = Bench({"plan": PLAN}), Bench({"plan": PLAN})
    unkeyed.run()
    session = session_of(bench.principal, "k")
    at_once(bench.journal.begin("acme", session))
    for line in unkeyed.journal.lines(SESSION):
        bench.journal.append(session, line)
    bench.journal.close(session)
    bench.store._objects = dict(unkeyed.store._objects)
    with pytest.raises(RequestInvalid, match="given up"):
        run_virtual(bench.loop, again(bench))


def test_the_objects_of_a_session_are_those_of_the_rooms_and_those_of_its_tools():
    bench = Bench({"plan": PLAN})
    bench.run()
    lines = read_chain(bench.journal.lines(SESSION)).lines
    called = next(line.record for line in lines if isinstance(line.record, Called))
    given = CallInput(ended="answered", elapsed_ms=1, raw="b" * 64, fetched=("c" * 64, "d" * 64))
    line = read_line(written_line(lines[-1].digest, (), Called(**{**dict(called), "input": given})).data)
    rooms = objects_of(lines)
    assert objects_of((*lines, line)) == (*rooms, "b" * 64, "c" * 64, "d" * 64)
    assert objects_of((*lines, line), fetched=False) == (*rooms, "b" * 64)
