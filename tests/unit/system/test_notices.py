"""The operator's log names documents, and no page: an address may hold a user's own words."""

from __future__ import annotations

import logging

from app.kernel.results import LocatedFinding
from app.system.notices import LogNotices


def _finding(locator, rule="override-earlier"):
    return LocatedFinding(rule_id=rule, part="body", start=0, end=9, call_id="a", locator=locator)


def _line(caplog, *findings):
    with caplog.at_level(logging.INFO, logger="portcullis"):
        LogNotices().blocked("s-1", findings)
    return caplog.messages[-1]


def test_documents_are_named_once_each(caplog):
    found = _finding("doc:documents/news.md#0-88")
    line = _line(caplog, found, found)
    assert line == "session s-1 was stopped by injected instructions in `doc:documents/news.md#0-88` (override-earlier)"


def test_a_page_is_not_named_and_a_locator_cannot_forge_a_line(caplog):
    line = _line(
        caplog, _finding("https://example.test/?q=marmalade"), _finding("doc:x\nERROR gate not opened", "other")
    )
    assert line.endswith("in a page (override-earlier), a page (other)")


def test_a_long_list_is_cut(caplog):
    line = _line(caplog, *(_finding(f"doc:documents/{number}.md") for number in range(9)))
    assert line.endswith("`doc:documents/4.md` (override-earlier) and 4 more")
