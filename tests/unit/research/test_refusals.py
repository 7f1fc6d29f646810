"""Every opening that is refused leaves one line for the operator, without a word of the request (R14)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual

from app.kernel.errors import RequestInvalid, StoreBusy, StoreUnusable
from app.kernel.models import FrozenModel
from app.kernel.request import Principal, read_request

PRIVATE = "marmalade"
PLAN = [{"calls": [{"id": "a", "takes_ms": 1_000}]}]


class Told:
    """The operator's log."""

    def __init__(self):
        self.lines = []

    def refused(self, reason, *, callers_mistake):
        self.lines.append((reason, callers_mistake))


def _bench(case=None):
    bench = Bench(case or {"plan": PLAN})
    told = bench.router._notices = Told()
    return bench, told


def _request(**more):
    return read_request(**{"question": f"where is the {PRIVATE}?", "capability": "scripted", **more})


def _refused(bench, work, error):
    async def scenario():
        with pytest.raises(error):
            await work(bench.router)

    run_virtual(bench.loop, scenario())


def _one(told, *words, callers_mistake):
    ((line, mistake),) = told.lines
    assert PRIVATE not in line
    assert all(word in line for word in words), line
    assert mistake is callers_mistake


class _Strict(FrozenModel):
    """Takes no arguments."""


@pytest.mark.ruling("R14")
def test_a_capability_that_is_not_there_is_refused_without_its_name():
    bench, told = _bench()
    _refused(bench, lambda router: router.run(_request(capability=PRIVATE), bench.principal), RequestInvalid)
    _one(told, "no such capability", callers_mistake=True)
    bench, told = _bench()
    _refused(bench, lambda router: router.call(PRIVATE, {}, bench.principal), RequestInvalid)
    _one(told, "no such capability", callers_mistake=True)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda router, whose: router.run(PRIVATE, whose), "`request` is no ResearchRequest"),
        (lambda router, whose: router.run(_request(), PRIVATE), "`principal` is no Principal"),
        (lambda router, whose: router.call("scripted", {}, None), "`principal` is no Principal"),
        (lambda router, whose: router.call([], {}, whose), "does not exist"),
        (lambda router, whose: router.run(_request(), whose, session_key=5), "1 to 200 printable characters"),
    ],
)
def test_what_is_of_another_type_is_named(ask, said):
    bench, told = _bench()

    async def scenario():
        with pytest.raises(RequestInvalid, match=said):
            await ask(bench.router, bench.principal)

    run_virtual(bench.loop, scenario())
    assert len(told.lines) == 1
    assert PRIVATE not in told.lines[0][0]


@pytest.mark.ruling("R14")
def test_arguments_that_are_wrong_are_refused_without_their_names():
    bench, told = _bench()
    bench.router._capabilities = {"scripted": replace(bench.router._capabilities["scripted"], input=_Strict)}
    wrong = _request(arguments=((PRIVATE, 1),))
    _refused(bench, lambda router: router.run(wrong, bench.principal), RequestInvalid)
    _one(told, "arguments of `scripted`", callers_mistake=True)
    bench, told = _bench()
    bench.router._capabilities = {"scripted": replace(bench.router._capabilities["scripted"], input=_Strict)}
    _refused(bench, lambda router: router.call("scripted", {PRIVATE: 1}, bench.principal), RequestInvalid)
    _one(told, "arguments of `scripted`", callers_mistake=True)


@pytest.mark.ruling("R19")
def test_a_key_that_cannot_be_used_is_refused_with_its_reason():
    bench, told = _bench()

    def with_an_empty_key(router):
        return router.run(_request(), bench.principal, session_key="")

    _refused(bench, with_an_empty_key, RequestInvalid)
    _one(told, "1 to 200 printable characters", callers_mistake=True)

    bench, told = _bench()

    async def twice(router):
        running = asyncio.ensure_future(router.run(_request(), bench.principal, session_key="k"))
        await asyncio.sleep(0.1)
        try:
            await router.run(_request(), bench.principal, session_key="k")
        finally:
            await running

    _refused(bench, twice, StoreBusy)
    _one(told, "is running", callers_mistake=False)

    bench, told = _bench()

    async def other(router):
        await router.run(_request(), bench.principal, session_key="k")
        await router.run(_request(question="something else?"), bench.principal, session_key="k")

    _refused(bench, other, RequestInvalid)
    _one(told, "used for another request", callers_mistake=True)


@pytest.mark.ruling("R12")
def test_a_record_that_cannot_be_begun_is_told():
    for error, words in ((StoreUnusable("journal `x` is full"), "journal `x` is full"), (OSError("x"), "OSError")):
        bench, told = _bench()

        def full(tenant, session_id, keyed=False, error=error):
            raise error

        bench.journal.begin = full
        assert bench.run().verdict.stop == "INTERNAL_INCONSISTENCY"
        _one(told, words, callers_mistake=False)


@pytest.mark.ruling("R10")
@pytest.mark.parametrize(
    ("case", "cause", "callers_mistake"),
    [
        ({"principal": {"tier": "FREE"}}, "tier_not_granted", True),
        ({"research_enabled": False}, "flag_off", False),
        ({"sealed": False}, "lock_mismatch", False),
        ({"principal": {"tier": "FREE"}, "research_enabled": False}, "flag_off", False),
    ],
)
def test_what_policy_does_not_grant_is_told_with_its_causes(case, cause, callers_mistake):
    bench, told = _bench({"plan": PLAN, **case})
    outcome = bench.run()
    _one(told, outcome.session_id, cause, callers_mistake=callers_mistake)


def test_what_needs_no_session_is_refused_with_a_line_too():
    bench, told = _bench()
    scripted = bench.router._capabilities["scripted"]
    computed = replace(scripted, name="sum", kind="compute", tools=(), plan=None, result=None, compute=lambda one: one)
    bench.router._capabilities = {"sum": computed}
    _refused(bench, lambda router: router.call("sum", {}, bench.principal), RequestInvalid)
    _one(told, "`sum` is not served here", callers_mistake=True)


def test_what_is_answered_leaves_no_line_and_a_replay_none():
    bench, told = _bench()
    outcome = bench.run()
    assert bench.replay(outcome.session_id).identical
    assert told.lines == []


def test_health_says_what_the_gate_was_built_with_and_what_keeps_it_from_answering():
    bench, _ = _bench()
    health = bench.router.health()
    bench.loop.close()
    assert (health.healthy, health.environment, health.sessions, health.workers) == (True, "prod", 0, 0)
    assert (health.tools, health.capabilities) == (("alpha", "beta", "writer"), ("scripted",))
    assert [(check.name, check.state) for check in health.checks] == [("research", "ok")]
    bench, _ = _bench({"plan": PLAN, "research_enabled": False, "sealed": False})
    health = bench.router.health()
    bench.loop.close()
    assert not health.healthy
    assert health.checks[0].detail == "flag_off, lock_mismatch"


def test_health_counts_the_sessions_under_way():
    bench, _ = _bench()

    async def scenario():
        running = asyncio.ensure_future(bench.router.run(_request(), bench.principal))
        await asyncio.sleep(0.1)
        during = bench.router.health().sessions
        await running
        return during, bench.router.health().sessions

    assert run_virtual(bench.loop, scenario()) == (1, 0)


def test_a_principal_without_the_scope_learns_no_more_than_that():
    bench, told = _bench()
    bench.router._capabilities = {"scripted": replace(bench.router._capabilities["scripted"], scopes=("chief",))}
    plain = Principal(tenant="acme", user="u1", tier="PRO")
    _refused(bench, lambda router: router.run(_request(), plain), RequestInvalid)
    _one(told, "lacks its scope", callers_mistake=True)
