"""Hints about a source: its kind, its authority, its subject, its DOI, its readers."""

from __future__ import annotations

import pytest

from app.parsing.html.json_ld import LinkedData
from app.parsing.html.links import absolute_url, host_of
from app.parsing.html.page import Page, read_page
from app.parsing.html.source_kind import detect_doi, forum_signals, source_kind

HOSTS = [
    ("https://www.nature.com/articles/x", "peer_reviewed", "high", "academic"),
    ("https://en.wikipedia.org/wiki/Mill", "wiki", "medium", "general"),
    ("https://www.cdc.gov/flu", "government", "high", "medical"),
    ("https://www.gov.uk/tax", "government", "high", "general"),
    ("https://www.economie.gouv.fr/x", "government", "high", "general"),
    ("https://docs.widget.example/api", "official_docs", "high", "technical"),
    ("https://old.reddit.com/r/mills", "forum", "medium", "general"),
    ("https://stackoverflow.com/q/1", "forum", "medium", "technical"),
    ("https://x.com/ada", "social_media", "low", "general"),
    ("https://ada.substack.com/p/mill", "blog", "medium", "general"),
    ("https://www.reuters.com/world", "news_publication", "high", "general"),
    ("https://www.law.cornell.edu/uscode", "unknown", "high", "legal"),
    ("https://physics.uni.ac.uk/mill", "unknown", "high", "academic"),
    ("https://courier.example/mill", "unknown", "medium", "general"),
    ("https://notreddit.com/r/mills", "unknown", "medium", "general"),
    ("", "unknown", "medium", "general"),
]


@pytest.mark.parametrize(("url", "kind", "tier", "category"), HOSTS)
def test_by_host(url, kind, tier, category):
    found = source_kind(url)
    assert (found.source_type, found.authority_tier, found.domain_category) == (kind, tier, category)


@pytest.mark.parametrize(
    ("types", "kind", "tier"),
    [
        (("ScholarlyArticle",), "peer_reviewed", "high"),
        (("WebPage", "NewsArticle"), "news_publication", "medium"),
        (("BlogPosting",), "blog", "low"),
        (("DiscussionForumPosting",), "forum", "low"),
        (("TechArticle",), "official_docs", "high"),
        (("Recipe",), "unknown", "medium"),
    ],
)
def test_what_a_page_declares_comes_before_its_host(types, kind, tier):
    found = source_kind("https://courier.example/", types)
    assert (found.source_type, found.authority_tier) == (kind, tier)


PAPER = source_kind("https://press.example/a", has_citation=True)
DOIS = [
    ("https://press.example/a", (("citation_doi", "doi:10.5555/Mill.2024.1"),), "", "10.5555/mill.2024.1"),
    ("https://press.example/doi/full/10.5555/mill.2", (), "10.5555/other", "10.5555/mill.2"),
    ("https://press.example/doi/10.5555%2Fmill.3.pdf", (), "", "10.5555/mill.3"),
    ("https://press.example/a", (), "Mills. https://doi.org/10.5555/mill.4). Abstract", "10.5555/mill.4"),
    ("https://press.example/a", (), "x" * 5_000 + " 10.5555/reference", ""),
    ("https://press.example/a", (), "10.5/short", ""),
]


@pytest.mark.parametrize(("url", "citation", "text", "doi"), DOIS)
def test_a_doi_by_metadata_then_address_then_front_matter(url, citation, text, doi):
    assert detect_doi(url, PAPER, citation, text) == doi


def test_no_doi_outside_scholarly_pages_unless_the_host_is_a_journal():
    elsewhere = source_kind("https://courier.example/")
    assert detect_doi("https://courier.example/10.5555/mill", elsewhere, (), "10.5555/mill") == ""
    assert detect_doi("https://pubs.acs.org/doi/10.5555/mill", elsewhere, (), "") == "10.5555/mill"


POST = """{"@type": "DiscussionForumPosting", "datePublished": "2024-05-04T10:00:00Z", "author": {"name": "miller"},
 "commentCount": 7, "interactionStatistic": [
  {"@type": "InteractionCounter", "interactionType": "https://schema.org/LikeAction", "userInteractionCount": %s},
  {"@type": "InteractionCounter", "interactionType": {"@type": "CommentAction"}, "userInteractionCount": "12"}]}"""


def test_a_reddit_post_has_its_signals():
    html = f"<script type='application/ld+json'>{POST % 19}</script><article><p>A post about mills, and a long one.</p>"
    found = read_page(html, "https://www.reddit.com/r/mills/comments/1/")
    assert isinstance(found, Page)
    assert found.forum is not None
    assert (found.forum.platform, found.forum.upvotes, found.forum.comments) == ("reddit", 19, 12)
    assert (found.forum.author_name, found.forum.date_published) == ("miller", "2024-05-04T10:00:00Z")
    assert found.forum.credibility_note
    popular = read_page(html.replace("19", "20"), "https://reddit.com/r/mills/comments/1/")
    assert isinstance(popular, Page)
    assert popular.forum is not None
    assert popular.forum.credibility_note == ""
    other = read_page(html, "https://reddit.com.courier.example/r/mills")
    assert isinstance(other, Page)
    assert other.forum is None


def test_a_reddit_page_that_declares_nothing_has_none():
    assert forum_signals("https://reddit.com/", LinkedData()) is None


@pytest.mark.parametrize(
    ("link", "wanted"),
    [
        ("https://B.example/x", "https://b.example/x"),
        ("//b.example/x?y", "https://b.example/x?y"),
        ("/x/../y", "https://a.example/y"),
        ("z", "https://a.example/d/z"),
        ("../../../z", "https://a.example/z"),
        ("./", "https://a.example/d/"),
        ("?q", "https://a.example/d/e?q"),
        ("#f", "https://a.example/d/e?p=1#f"),
        (" java\nscript:x", ""),
        ("data:text/html,x", ""),
        ("mailto:a@b", ""),
        ("", ""),
        ("https://", ""),
        ("x" * 3_000, ""),
    ],
)
def test_links(link, wanted):
    assert absolute_url("https://a.example/d/e?p=1#g", link) == wanted


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://WWW.A.example:8080/x", "a.example"),
        ("http://u:p@a.example/", "a.example"),
        ("https://[::1]:80/", "[::1]"),
        ("ftp://a.example", ""),
        ("a.example", ""),
    ],
)
def test_hosts(url, host):
    assert host_of(url) == host
