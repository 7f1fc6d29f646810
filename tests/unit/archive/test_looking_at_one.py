"""One session for a reader: its sources cut again, its plan and grant, and what was blocked."""

from __future__ import annotations

import asyncio

import pytest

from app import Settings
from app.kernel.canonical import digest_of
from app.kernel.journal_records import Called, ReserveDecided
from app.wiring.whatif_setup import run_what_if


def called_of(archive, session_id):
    return next(line.record for line in archive.lines(session_id) if isinstance(line.record, Called))


def test_every_source_is_cut_again_under_its_id(past):
    archive, ids = past
    for name in ("research", "ask"):
        outcome = archive.run_again(ids[name]).outcome
        recut = archive.recut(ids[name])
        assert [one.source_id for one in recut] == [source.source_id for source in outcome.bundle.sources]
        assert [(one.text, one.title, one.locator) for one in recut] == [
            (source.text, source.title, source.locator) for source in outcome.bundle.sources
        ]
        assert not any(one.why_not or one.withheld for one in recut)


def test_sources_of_a_stopped_session_are_withheld(past):
    archive, ids = past
    recut = archive.recut(ids["injected"])
    assert recut
    assert all(one.withheld and not one.why_not for one in recut)


def test_a_source_whose_answer_is_gone_or_changed_is_not_cut(past):
    archive, ids = past
    digest = called_of(archive, ids["ask"]).input.raw
    archive.store.remove("acme", digest)
    assert all(one.why_not == f"object {digest[:12]} is erased or missing" for one in archive.recut(ids["ask"]))
    other = called_of(archive, ids["none"]).input.raw
    place = archive.store._path("acme", other)  # there is no port for damage
    place.write_bytes(b"{}")
    assert all("damaged" in one.why_not for one in archive.recut(ids["none"]))


def test_the_plan_is_what_the_journal_names_by_its_digest(past):
    archive, ids = past
    for name in ("research", "ask", "budget"):
        again = archive.run_again(ids[name])
        named = [line.record.batch for line in archive.lines(ids[name]) if isinstance(line.record, ReserveDecided)]
        assert [digest_of(batch) for batch in again.batches] == named
        assert again.replayed.identical
        assert again.grant.session_id == ids[name]
    assert again.grant.budget_units == 0


def test_only_research_has_a_result(past):
    archive, ids = past
    assert archive.run_again(ids["research"]).result == archive.research_result(ids["research"])
    assert archive.run_again(ids["ask"]).result is None


def test_what_cannot_be_run_again_says_why(past):
    archive, ids = past
    archive.erase(ids["ask"], shared=True)
    again = archive.run_again(ids["ask"])
    assert (again.replayed.result, again.outcome, again.batches) == ("erased", None, ())


def test_blocked_words_stand_where_the_finding_says(past):
    archive, ids = past
    found = archive.blocked(ids["injected"])
    assert {one.locator.partition("#")[0] for one in found} == {"doc:documents/deck-oven.md"}
    assert any(one.part == "body" and one.words.startswith("Ignore all previous") for one in found)
    assert archive.blocked(ids["ask"]) == ()
    archive.erase(ids["injected"], shared=True)
    assert {(one.locator, one.words) for one in archive.blocked(ids["injected"])} == {("", "")}


def test_the_journal_is_given_as_it_is_stored(past, journal_file):
    archive, ids = past
    with open(journal_file(ids["ask"]), "rb") as file:
        assert archive.journal_bytes(ids["ask"]) == file.read()


@pytest.mark.parametrize("tenant", ["acme", "other"])
def test_a_what_if_of_a_tenant_looks_at_its_sessions_alone(past, tenant):
    archive, ids = past
    settings = Settings(data_dir=archive.store._folder.parent)
    report = asyncio.run(run_what_if(settings, None, None, 50, tenant))
    assert report.sessions + len(report.skipped) == (1 if tenant == "other" else len(ids) - 1)
