"""The router: what is refused before a session opens, and what happens when a room breaks."""

from __future__ import annotations

import pytest
from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual

from app.kernel.errors import RequestInvalid, StoreUnusable
from app.kernel.outcome import Verdict
from app.kernel.request import read_request
from app.kernel.stops import Action, StopReason
from app.research import resolver

PLAN = [{"calls": [{"id": "a", "items": [{"body": "A page that would have been a good source."}]}]}]


def test_an_unknown_capability_opens_no_session():
    bench = Bench({"plan": PLAN})
    with pytest.raises(RequestInvalid, match="`fly` does not exist"):
        run_virtual(bench.loop, bench.router.run(read_request(question="?", capability="fly"), bench.principal))
    assert bench.journal.lines("00000000-0000-4000-8000-000000000001") == ()


@pytest.mark.ruling("R12")
@pytest.mark.parametrize("step", ["Opened", "ReserveDecided", "Called", "Closed"])
def test_a_journal_that_cannot_be_written_falls_closed(step):
    bench = Bench({"plan": PLAN})
    append = bench.journal.append

    def full(session_id, record):
        if type(record).__name__ == step:
            raise StoreUnusable("no space left")
        append(session_id, record)

    bench.journal.append = full
    outcome = bench.run()
    assert (outcome.verdict.stop, outcome.verdict.action) == ("INTERNAL_INCONSISTENCY", "BASELINE")
    assert outcome.bundle.sources == ()
    assert bench.loop_free_standing(outcome.session_id).open_reservations == 0


@pytest.mark.clause("3.2")
@pytest.mark.clause("6.1")
@pytest.mark.parametrize("clarified", [True, False])
def test_a_resolver_that_lies_is_caught_by_the_check(monkeypatch, clarified):
    """Patched, since the check is there for a resolver that is broken, and ours is not."""

    def lying(signals, counted, clarified, contract):
        return Verdict(stop=StopReason.SUCCESS_COMPLETED, action=Action.GROUNDED)

    monkeypatch.setattr(resolver, "resolve", lying)
    outcome = Bench({"plan": [{"calls": [{"id": "a"}]}], "request": {"clarified": clarified}}).run()
    assert outcome.verdict.stop == "VALIDATION_FAIL"
    assert outcome.verdict.action == ("UNKNOWN" if clarified else "ASK_CLARIFY")
    assert outcome.bundle.sources == ()
