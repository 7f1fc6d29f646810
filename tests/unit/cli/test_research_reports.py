"""Reports, traces and differences of recorded research sessions."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from app import Principal, RequestInvalid, Researcher, Settings, open_archive, open_gate
from app.archive.excerpt_surroundings import Surroundings
from app.capabilities.answers.research_models import DiscoveryEvent
from app.cli.research_reports import ReportBackground, html_report, markdown_report
from app.research.injection import RuleSet
from app.system.contract_files import read_rules
from app.wiring.places import rules_digest
from app.wiring.whatif_setup import run_what_if

WHO = Principal(tenant="acme", user="u1", tier="MAX", collections=("documents",))
QUESTION = "How long do rolled oats keep in a dry jar, and what does the observatory cost?"
PAGES = {
    "oats.md": "# Oats\n\nThey are <b>steamed</b>. Rolled oats keep for a year in a dry jar. They smell of nuts.\n",
    "other.md": "# Oats again\n\nThe mill has a shop. Rolled oats keep for 2 years in a dry jar. It opens at nine.\n",
    "beside.md": "# A shelf\n\nHow long do the rolled oats keep in the dry jar on it?\n",
}


async def _asked(docs, data, question=QUESTION):
    async with open_gate(docs, settings=Settings(data_dir=data)) as gate:
        researcher = Researcher(gate, WHO)
        return await researcher.research(question), researcher.outcome


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    docs = folder / "docs"
    docs.mkdir()
    for name, text in PAGES.items():
        (docs / name).write_text(text, encoding="utf-8")
    return docs, folder / "data", asyncio.run(_asked(docs, folder / "data"))


def test_excerpts_stand_in_their_surroundings(place):
    _, data, (result, outcome) = place
    archive = open_archive(Settings(data_dir=data))
    beside = ReportBackground(archive.surroundings(result), archive.starts(result.trace_id))
    page = html_report(QUESTION, result, outcome, beside)
    assert "<b>steamed" not in page
    assert re.search(r'class="around">[^<]*The mill has a shop\. </span><mark>Rolled oats keep for 2 years', page)
    assert '<p class="differ"><b>The sources differ here:</b>' in page
    assert page.count("<mark>") >= 2
    assert re.search(r"from \d+ ms, \d+ ms long", page)
    assert 'name="viewport"' in page
    told = markdown_report(QUESTION, result, outcome, beside)
    assert "The mill has a shop. **Rolled oats keep for 2 years in a dry jar.** It opens at nine." in told
    assert "<b>" not in told.replace("\\<b\\>", "")
    assert "<mark>" in html_report(QUESTION, result, None)
    page = "https://mill.example/<oats>"
    event = DiscoveryEvent(
        type="new_source", suggested_researcher=None, query="oats", reason="not read", source_locator=page
    )
    found = result.model_copy(update={"discovery_events": (event,)})
    assert "new_source: oats (not read) <https://mill.example/%3Coats%3E>" in markdown_report(QUESTION, found, outcome)
    assert 'href="https://mill.example/&lt;oats&gt;"' in html_report(QUESTION, found, outcome)
    forged = result.model_copy(update={"citations": (result.citations[0].model_copy(update={"locator": "x"}),)})
    assert archive.surroundings(forged) == (Surroundings("", ""),)


def test_a_trace_has_its_queries_and_lists_nothing_twice(place):
    _, data, (result, _) = place
    archive = open_archive(Settings(data_dir=data))
    entries = archive.trace(result.trace_id, result)
    read = [one for one in entries if one.action == "read_document"]
    assert all(one.query for one in read)
    assert read[0].query == "How long do rolled oats keep in a dry jar"
    places = [(one.url, one.content_hash) for one in read if one.url]
    assert len(places) == len(set(places)) >= 2
    assert all(one.content_length is None and one.text_length for one in read if one.url)  # the folder has the bytes
    offsets = [one.offset_ms for one in read]
    assert offsets[0] is not None
    assert max(offsets) < 60_000
    archive.erase(asyncio.run(_asked(place[0], data))[0].trace_id)


def test_an_erased_question_is_in_no_trace(place):
    docs, data, _ = place
    result, _ = asyncio.run(_asked(docs, data, "How long do oats keep?"))
    archive = open_archive(Settings(data_dir=data))
    archive.erase(result.trace_id, shared=True)
    looked_up = [one for one in archive.trace(result.trace_id, result) if one.action == "search"]
    assert looked_up
    assert all(one.query is None for one in looked_up)


def test_a_source_that_was_read_and_not_cited_is_seen_to_change(place, tmp_path):
    docs, data, _ = place
    one, _ = asyncio.run(_asked(docs, data))
    (docs / "beside.md").write_text(PAGES["beside.md"] + "\nIt is new.\n", encoding="utf-8")
    other, _ = asyncio.run(_asked(docs, data))
    found = open_archive(Settings(data_dir=data)).changes(one, other)
    assert found.all_read
    assert [(one.locator, one.change, one.cited) for one in found.sources] == [
        ("doc:documents/beside.md", "content changed", False)
    ]
    elsewhere = open_archive(Settings(data_dir=tmp_path)).changes(one, other)
    assert (elsewhere.all_read, elsewhere.sources) == (False, ())


def test_rules_by_version_or_digest(place, tmp_path):
    settings, text = Settings(data_dir=place[1]), read_rules()
    for name in (RuleSet.parse(text).version, rules_digest(text)):
        assert asyncio.run(run_what_if(settings, None, Path(name), 1)).sessions == 1
    for name in ("0.0.1", "0" * 64):
        with pytest.raises(RequestInvalid, match="are not kept here"):
            asyncio.run(run_what_if(settings, None, Path(name), 1))
    with pytest.raises(RequestInvalid, match="cannot be read"):
        asyncio.run(run_what_if(settings, None, tmp_path / "none.json", 1))
