"""Facts of a page: typed, carried as pairs of plain texts, and the same again at the other end."""

from __future__ import annotations

import json

from app.evidence.page_facts import PageFacts, facts_from_pairs
from app.parsing.fetched import FetchedAs
from app.parsing.html.source_kind import ForumSignals

ABOUT = FetchedAs(url="https://mill.example/a", charset="utf-8", form="markdown", truncated=True)
FORUM = ForumSignals("reddit", 12, 3, "2026-01-05", "ada", "few votes")
FULL = PageFacts(
    content_type="html",
    author="Ada Miller",
    source_type="forum",
    reader="4.1.2",
    read_as=ABOUT,
    forum=FORUM,
    json_ld=('{"@type": "Article"}', "[]"),
    open_graph=(("og:title", "Rye"), ("article:tag", "a"), ("article:tag", "b")),
    citation=(("citation_doi", "10.1000/182"),),
)


def test_facts_come_back_from_their_pairs_as_they_were():
    assert facts_from_pairs(FULL.pairs()) == FULL
    assert facts_from_pairs(PageFacts().pairs()) == PageFacts()
    assert PageFacts().pairs() == ()


def test_every_pair_is_plain_text_for_the_screen():
    pairs = dict(FULL.pairs())
    assert pairs["forum.upvotes"] == "12"
    assert pairs["read_as.truncated"] == "true"
    assert pairs["read_as.url"] == ABOUT.url
    assert not any(value.startswith("{") for name, value in FULL.pairs() if name != "json_ld")


def test_names_of_others_are_left_out_and_cannot_pass_for_ours():
    pairs = (("heading", "Rye"), ("og:author", "x"), ("forum.upvotes", "many"), ("read_as.form", "never"))
    assert facts_from_pairs(pairs) == PageFacts(open_graph=(("og:author", "x"),))


def test_a_page_that_was_recorded_as_one_json_text_is_still_known():
    older = (("read_as", ABOUT.model_dump_json()), ("reader", "4.1"), ("forum", json.dumps({"platform": "reddit"})))
    facts = facts_from_pairs(older)
    assert (facts.read_as, facts.reader, facts.forum) == (ABOUT, "4.1", None)
