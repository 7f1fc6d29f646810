"""What a page says about itself."""

from __future__ import annotations

import json

import pytest

from app.parsing.html.page import Page, read_page

LONG = "A paragraph that is long enough to be the main text of this page, with a comma and a full stop."
URL = "https://courier.example/news/mill?id=4"


def metadata(head, body="", url=URL):
    found = read_page(f"<html lang='en-GB'><head>{head}</head><body><article><p>{LONG}</p>{body}</article>", url)
    assert isinstance(found, Page)
    return found.metadata


def linked(**fields):
    return f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", **fields})}</script>'


def test_a_page_that_says_nothing():
    told = metadata("")
    assert (told.title, told.author, told.published, told.modified) == ("", "", "", "")
    assert (told.site, told.language, told.canonical_url) == ("courier.example", "en-GB", "")
    assert (told.structured.json_ld, told.structured.open_graph, told.structured.citation) == ((), (), ())


TITLES = [
    ('<title>Mill - Courier</title><meta property="og:title" content="The mill turns">', "", "The mill turns"),
    ('<meta name=citation_title content="On mills"><meta property=og:title content=Other>', "", "On mills"),
    (linked(headline="Wheels at last"), "", "Wheels at last"),
    ("<title>Something</title>", "<h1>The one heading</h1>", "The one heading"),
    ('<title>The mill | The Courier</title><meta property="og:site_name" content="The Courier">', "", "The mill"),
    ("<title>Either - or</title>", "", "Either - or"),
]


@pytest.mark.parametrize(("head", "body", "title"), TITLES)
def test_titles(head, body, title):
    assert metadata(head, body).title == title


AUTHORS = [
    (linked(author={"@type": "Person", "name": "Ada Waters"}), "", "Ada Waters"),
    (linked(author=[{"name": "Ada Waters"}, "Bo Miller"]), "", "Ada Waters, Bo Miller"),
    ("<meta name=author content='By Ada Waters'>", "", "Ada Waters"),
    (
        "<meta name=citation_author content='Waters, A.'><meta name=citation_author content='Miller, B.'>",
        "",
        "Waters, A.; Miller, B.",
    ),
    (
        "<meta property=article:author content='https://social.example/ada'>",
        "<p class=byline>by Bo Miller</p>",
        "Bo Miller",
    ),
]


@pytest.mark.parametrize(("head", "body", "author"), AUTHORS)
def test_authors(head, body, author):
    assert metadata(head, body).author == author


DATES = [
    (linked(datePublished="2024-05-04T09:30:00+02:00"), "", "2024-05-04T09:30:00"),
    ("<meta property=article:published_time content=2024-05-04>", "", "2024-05-04"),
    ("<meta name=citation_publication_date content=2024/5/4>", "", "2024-05-04"),
    ("<meta name=citation_date content=2024/05>", "", "2024-05"),
    ("<meta name=date content=20240504>", "", "2024-05-04"),
    ("", "<time datetime='2024-05-04 10:15'>today</time>", "2024-05-04T10:15"),
    ("<meta name=date content='04/05/2024'>", "", ""),
    ("<meta name=date content='2024-13-04'>", "", ""),
]


@pytest.mark.parametrize(("head", "body", "date"), DATES)
def test_dates_only_where_their_order_is_no_guess(head, body, date):
    assert metadata(head, body).published == date


def test_the_canonical_address_is_absolute_and_http():
    assert metadata("<link rel=canonical href='/news/mill'>").canonical_url == "https://courier.example/news/mill"
    assert metadata("<link rel=canonical href='javascript:x'>").canonical_url == ""
    assert metadata("<meta property=og:url content=https://b.example/x>").canonical_url == "https://b.example/x"


def test_structured_data_keeps_names_and_blocks_verbatim():
    block = '{"@type":  "NewsArticle", "headline": "Mill"}'
    told = metadata(
        f"<script type='application/ld+json'> {block} </script><script type='application/ld+json'>{{broken</script>"
        "<meta property=og:type content=article><meta property=article:tag content=mills><meta name=other content=x>"
        "<meta name=citation_doi content=10.5555/mill.1><meta name=citation_author content=A>"
        "<meta name=citation_author content=B>"
    ).structured
    assert told.json_ld == (block,)
    assert told.open_graph == (("article:tag", "mills"), ("og:type", "article"))
    assert told.citation == (("citation_author", "A; B"), ("citation_doi", "10.5555/mill.1"))


@pytest.mark.parametrize(
    "block",
    [
        "[" * 100_000,
        '{"a": ' * 50_000,
        '"' + "x" * 200_000 + '"',
        "9" * 5_000,
        "{}" * 3,
        '{"@type": [[["x"]]], "author": 4}',
    ],
    ids=["lists", "objects", "long", "digits", "two", "odd types"],
)
def test_broken_and_endless_json_is_left_out(block):
    told = metadata(f"<script type='application/ld+json'>{block}</script>{linked(headline='Mill')}")
    assert told.title == "Mill"


def test_there_is_a_bound_on_everything():
    many = "".join(f"<meta property='og:x{n}' content='{'y' * 5_000}'>" for n in range(500))
    told = metadata(many + linked(headline="h" * 9_000) * 40).structured
    assert len(told.open_graph) == 100
    assert max(len(value) for _, value in told.open_graph) == 2_000
    assert sum(len(block) for block in told.json_ld) <= 100_000
