"""Words that were looked for in another spelling."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.kernel.results import RawItem, Source, searched_for, text_item

ITEM = text_item("doc:documents/a.md", "The ownership of shares.", title="Shares")


def source(*respelled):
    shared = {name: getattr(ITEM, name) for name in ("kind", "payload", "locator", "title", "metadata")}
    hashes = {"content_hash": ITEM.content_hash, "text_hash": ITEM.text_hash, "source_id": "a" * 64}
    place = {"start": 0, "end": ITEM.end, "relevance_milli": 1000, "trust": "untrusted-external-content"}
    return Source(**shared, **hashes, **place, call_id="a", tool="t", text=ITEM.body, respelled=respelled)


def test_each_word_is_told_once():
    sources = (source(("onwership", "ownership")), source(("onwership", "ownership"), ("shaers", "shares")), source())
    assert searched_for(sources) == ("ownership", "shares")
    assert searched_for(()) == ()


@pytest.mark.parametrize("word", ["two words", "", "a_b", "x" * 65, "<b>", "a\nb"])
def test_only_single_words_are_told(word):
    with pytest.raises(ValidationError):
        RawItem(**{**dict(ITEM), "respelled": (("typo", word),)})


def test_what_is_not_respelled_leaves_no_trace():
    assert "respelled" not in ITEM.model_dump_json()
