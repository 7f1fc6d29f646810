"""The record of a scraped page: replayed without a network, its text derived from its bytes again, erased for good."""

from __future__ import annotations

import asyncio
import hashlib

import pytest
from tests.fixtures.journals import lines_of
from tests.fixtures.scraping import html, scraper
from tests.fixtures.web import response

from app import Settings
from app.archive.derivation import derive_again
from app.kernel.errors import ToolFailure, ToolTimeout
from app.kernel.journal_records import Recovered, read_line, written_line
from app.kernel.outcome import Verdict
from app.kernel.results import RawItem
from app.kernel.stops import Action, StopReason
from app.research.record.opening import read_chain
from app.system.stores.content.files import FileStore
from app.system.stores.journal.files import FileJournal
from app.wiring import open_archive


def _scraped(folder, page=None, retell=None, **asked):
    async def run():
        async with scraper(folder, {"/a": page or html()}, retell=retell) as scrape:
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
    found = open_archive(Settings(data_dir=tmp_path)).replay(outcome.session_id)
    assert (found.result, found.derived, found.stop) == ("identical", 1, "SUCCESS_COMPLETED")


@pytest.mark.clause("4.2")
def test_bytes_that_are_gone_are_missed_by_the_replay(tmp_path):
    outcome = _scraped(tmp_path)
    (source,) = outcome.bundle.sources
    _object(tmp_path, source.content_hash).unlink()
    found = open_archive(Settings(data_dir=tmp_path)).replay(outcome.session_id)
    assert (found.result, found.identical) == ("missing", False)
    assert source.content_hash[:12] in found.why


def _pair(name, value):
    """The same item, with another value under a name of its metadata."""

    def change(item):
        assert name in dict(item.metadata)
        return {"metadata": tuple((known, value if known == name else old) for known, old in item.metadata)}

    return change


def _body(item):
    text = item.body.replace("long", "warm")
    return {"body": text, "text_hash": hashlib.sha256(text.encode()).hexdigest()}


HEAD = (
    '<meta name="author" content="Ada Baker"><link rel="canonical" href="http://shop.example/proofing">'
    '<meta property="og:description" content="On bread."><meta name="citation_doi" content="10.5555/12345678">'
    '<meta property="article:published_time" content="2024-05-06"><script type="application/ld+json">'
    '{"@type": "Article", "headline": "Cold proofing"}</script>'
)


@pytest.mark.clause("4.2")
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_body, "body, text_hash"),
        (lambda item: {"text_hash": "0" * 64}, "text_hash"),
        (lambda item: {"title": "Warm proofing"}, "title"),
        (lambda item: {"carriers_removed": 3}, "carriers_removed"),
        (lambda item: {"hidden": item.hidden[1:]}, "hidden"),
        (lambda item: {"verbatim": True}, "verbatim"),
        *(
            (_pair(name, value), "metadata")
            for name, value in (
                ("author", "Bob Baker"),
                ("site", "Elsewhere"),
                ("published", "2023-05-06"),
                ("language", "fr"),
                ("canonical_url", "http://shop.example/other"),
                ("detected_doi", "10.5555/87654321"),
                ("json_ld", "{}"),
                ("og:description", "On cake."),
                ("citation_doi", "10.5555/87654321"),
            )
        ),
    ],
)
def test_a_page_that_its_bytes_do_not_give_differs(change, named, tmp_path):
    def retell(raw):
        (item,) = raw.items
        changed = RawItem(**{**item.model_dump(), **change(item)})
        return raw.model_copy(update={"items": (changed,)})

    outcome = _scraped(tmp_path, html(head=HEAD).replace(b"<html>", b'<html lang="en">'), retell)
    (source,) = outcome.bundle.sources
    found = open_archive(Settings(data_dir=tmp_path)).replay(outcome.session_id)
    assert (found.result, found.derived) == ("differs", 0)
    assert found.why == f"page {source.content_hash[:12]} comes out otherwise: {named}"


class _Readers:
    """A reader that fails as it is told to."""

    def __init__(self, error):
        self._error = error

    async def parse(self, data, name, /):
        raise self._error

    async def aclose(self):
        pass


@pytest.mark.clause("4.2")
@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ToolTimeout("worker was cut at its deadline"), "could not be read in time"),
        (ToolFailure("the parser could not read it"), "comes out otherwise: nothing can be read"),
    ],
)
def test_a_machine_that_is_too_slow_says_nothing_of_the_page(error, why, tmp_path):
    outcome = _scraped(tmp_path)
    (source,) = outcome.bundle.sources
    lines = read_chain(lines_of(FileJournal(tmp_path / "journal"), outcome.session_id)).lines
    store = FileStore(tmp_path / "store")
    found = derive_again(lines, lambda digest: store.get("acme", digest), lambda: _Readers(error))
    assert (found.derived, found.why) == (0, f"page {source.content_hash[:12]} {why}")


@pytest.mark.clause("4.2")
def test_a_page_that_another_version_has_read_is_not_compared(tmp_path):
    def retell(raw):
        (item,) = raw.items
        older = tuple((name, "0.0" if name == "reader" else value) for name, value in item.metadata)
        return raw.model_copy(update={"items": (RawItem(**{**item.model_dump(), "metadata": older}),)})

    found = open_archive(Settings(data_dir=tmp_path)).replay(_scraped(tmp_path, html(), retell).session_id)
    assert found.result == "differs"
    assert "was read by version 0.0" in found.why


@pytest.mark.ruling("R20")
def test_erasing_a_session_takes_the_bytes_of_its_pages(tmp_path):
    outcome = _scraped(tmp_path)
    (source,) = outcome.bundle.sources
    assert _object(tmp_path, source.content_hash).is_file()
    records = open_archive(Settings(data_dir=tmp_path))
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
    open_archive(Settings(data_dir=tmp_path)).erase_tenant("acme")
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
            open_archive(Settings(data_dir=tmp_path)).erase(outcome.session_id)
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
