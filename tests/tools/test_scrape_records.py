"""The record of a scraped page: replayed without a network, its text derived from its bytes again, erased for good."""

from __future__ import annotations

import asyncio

import pytest
from tests.fixtures.scraping import html, scraper
from tests.fixtures.web import response

from app import Settings
from app.kernel.outcome import Verdict
from app.kernel.records import Recovered, read_line, written_line
from app.kernel.stops import Action, StopReason
from app.wiring.records import Records


def _scraped(folder, **asked):
    async def run():
        async with scraper(folder, {"/a": html()}) as scrape:
            _, outcome = await scrape.run(**asked)
            return outcome

    return asyncio.run(run())


def _object(folder, digest):
    (found,) = folder.glob(f"store/**/{digest}*")
    return found


@pytest.mark.clause("4.2")
@pytest.mark.parametrize("asked", [{}, {"form": "markdown"}, {"mode": "raw"}, {"mode": "preview"}, {"max_length": 80}])
def test_a_page_is_replayed_and_its_text_derived_again(asked, tmp_path):
    outcome = _scraped(tmp_path, **asked)
    found = Records(Settings(data_dir=tmp_path)).replay(outcome.session_id)
    assert (found.result, found.derived, found.stop) == ("identical", 1, "SUCCESS_COMPLETED")


@pytest.mark.clause("4.2")
def test_bytes_that_are_gone_are_missed_by_the_replay(tmp_path):
    outcome = _scraped(tmp_path)
    (source,) = outcome.bundle.sources
    _object(tmp_path, source.content_hash).unlink()
    found = Records(Settings(data_dir=tmp_path)).replay(outcome.session_id)
    assert (found.result, found.identical) == ("missing", False)
    assert source.content_hash[:12] in found.why


@pytest.mark.clause("4.2")
def test_a_text_that_its_bytes_no_longer_give_differs(tmp_path, monkeypatch):
    outcome = _scraped(tmp_path)
    monkeypatch.setattr("app.wiring.derivation.READER_VERSION", "another")
    found = Records(Settings(data_dir=tmp_path)).replay(outcome.session_id)
    assert found.result == "differs"
    assert "another" in found.why


@pytest.mark.ruling("R20")
def test_erasing_a_session_takes_the_bytes_of_its_pages(tmp_path):
    outcome = _scraped(tmp_path)
    (source,) = outcome.bundle.sources
    assert _object(tmp_path, source.content_hash).is_file()
    records = Records(Settings(data_dir=tmp_path))
    assert records.erase(outcome.session_id).objects == 4
    assert not [*tmp_path.glob(f"store/**/{source.content_hash}*")]
    assert records.replay(outcome.session_id).result == "erased"


@pytest.mark.ruling("R20")
def test_erasing_a_tenant_takes_stored_responses_and_indexes(tmp_path):
    _scraped(tmp_path)
    index = tmp_path / "collections" / "acme" / "0123"
    index.mkdir(parents=True)
    cached = tmp_path / "cache" / "acme" / "responses.sqlite3"
    other = tmp_path / "collections" / "other" / "0123"
    other.mkdir(parents=True)
    cached.parent.mkdir(parents=True, exist_ok=True)
    cached.write_bytes(b"")
    Records(Settings(data_dir=tmp_path)).erase_tenant("acme")
    assert not cached.exists()
    assert not index.exists()
    assert other.exists()


def _pages_asked(scrape):
    return sum(asked.target == "/a" for asked in scrape.net.site.asked)


@pytest.mark.ruling("R20")
@pytest.mark.parametrize("body", [b"\x00\x01\x02\x03 no text", b"<html><body></body></html>"], ids=["binary", "empty"])
@pytest.mark.parametrize("cut_off", [False, True])
def test_erasing_a_session_takes_the_stored_response_of_a_page_that_could_not_be_read(body, cut_off, tmp_path):
    async def run():
        fields = [("Content-Type", "text/html"), ("Cache-Control", "max-age=3600")]
        async with scraper(tmp_path, {"/a": response(body, fields=fields)}) as scrape:
            _, outcome = await scrape.run()
            await scrape.run()
            assert (outcome.bundle.sources, _pages_asked(scrape)) == ((), 1)
            if cut_off:
                _lose_the_call(tmp_path, outcome.session_id)
            Records(Settings(data_dir=tmp_path)).erase(outcome.session_id)
            await scrape.run()
            assert _pages_asked(scrape) == 2

    asyncio.run(run())


def _lose_the_call(folder, session_id):
    """The record as a process leaves it that dies while it waits for its tool."""
    (path,) = folder.glob(f"journal/closed/**/{session_id}*")
    opened, reserved, *_ = path.read_bytes().splitlines()
    verdict = Verdict(stop=StopReason.INTERNAL_INCONSISTENCY, action=Action.BASELINE)
    end = written_line(read_line(reserved).digest, (), Recovered(verdict=verdict, found_at_ms=1, released=1))
    path.write_bytes(b"".join(line + b"\n" for line in (opened, reserved, end.data)))
