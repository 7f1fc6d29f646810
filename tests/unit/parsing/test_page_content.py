"""The main content of a page: what a reader came for, and nothing of the site round it."""

from __future__ import annotations

import hashlib

import pytest
from pydantic import TypeAdapter

from app.parsing.document import Refusal
from app.parsing.html.page import EXTRACTOR_VERSION, LARGEST_PAGE, ExtractionQuality, Page, extract_document, read_page

FIRST = "The old mill by the weir was rebuilt in spring, and its wheel turned for the first time in forty years."
SECOND = "Villagers had collected oak from three farms, because the millwright would not hear of steel or of plywood."
THIRD = "On Sundays it now grinds spelt for the bakery across the bridge, one sack at a time, as it did in 1880."
BODY = f"<p>{FIRST}</p><p>{SECOND}</p><p>{THIRD}</p>"
TEXT = "\n\n".join((FIRST, SECOND, THIRD))
URL = "https://valley.example.org/news/mill"


def page(body, head="", url=URL):
    found = read_page(f"<!doctype html><html lang=en><head>{head}</head><body>{body}</body></html>", url)
    assert isinstance(found, Page), found
    return found


TEASER = (
    "<div><h4><a href=/{0}>Another story, {0}</a></h4><p>A short text that makes you want it, number {0}.</p></div>"
)
AROUND = {
    "navigation": "<nav><a href=/>Home</a><a href=/news>All the news</a></nav>{}",
    "a menu by its name": "<div class='main-menu'><p>Everything that the valley offers to its visitors.</p></div>{}",
    "a footer": "{}<footer><p>The Valley Courier is printed by the Courier Press, Mill Lane 3.</p></footer>",
    "a sidebar": "<div><main>{}</main><div id=sidebar><p>Our column says that it may rain on Tuesday.</p></div></div>",
    "comments": "{}<section id=comments><p>I was there on Sunday and the flour is excellent!</p></section>",
    "a cookie banner": "<div class='cookie-notice'><p>We use cookies to remember what you read here.</p></div>{}",
    "a newsletter form": "{}<form><p>Have the Courier in your letter box, every Friday before breakfast.</p></form>",
    "an aside": "{}<aside><p>Last year the weir itself was repaired by volunteers from the next village.</p></aside>",
    "share buttons": "<div class=share-tools><a href=/s>Share</a><a href=/t>Send to a friend</a></div>{}",
    "related links": "{}<h3>Related</h3><ul><li><a href=/a>The weir repaired</a><li><a href=/b>Spelt is back</a></ul>",
    "teasers": f"{{}}<div>{''.join(TEASER.format(number) for number in range(4))}</div>",
    "a title and a byline": "<header><h1>It turns again</h1><p class=byline>By Ada Waters, at the weir</p></header>{}",
    "a caption": "<figure><img src=a.jpg><figcaption>The wheel, seen from the bridge.</figcaption></figure>{}",
    "a pointer": "<p>Related: <a href=/w>The weir repaired at last</a></p>{}",
    "a call at the end": "{}<p>Follow the Courier on <a href=https://social.example/c>its channel</a>.</p>",
    "a label of a link": "<div>Do not miss:</div><div><a href=/w>How the weir was repaired</a></div>{}",
    "a heading over nothing": "{}<h2>Also in the Courier</h2><ul><li><h3><a href=/w>The weir repaired</a></h3></ul>",
    "a caption without its element": "<div><img src=a.jpg><div>The wheel, seen from the bridge</div></div>{}",
    "a date above": "<div>Sunday, 4 May</div>{}",
    "a promoted link": f"{{}}<p><a href=/buy>Click here to get the Courier every Friday</a></p><p>{THIRD[:-1]}!</p>",
}


@pytest.mark.parametrize("around", AROUND)
def test_what_stands_around_the_text_is_left_out(around):
    shown = page(f"<div id=page>{AROUND[around].format(f'<article>{BODY}</article>')}</div>").text
    extra = f"\n\n{THIRD[:-1]}!" if around == "a promoted link" else ""
    assert shown == TEXT + extra


def test_what_belongs_to_the_text_stays():
    shown = page(
        f"<article><p>{FIRST}</p><h2>What it took</h2><ul><li>Oak from three farms</li><li>Two winters</li></ul>"
        f"<blockquote><p>{SECOND}</p></blockquote><pre>grind --fine\n  spelt</pre><p>{THIRD}</p></article>"
    ).text
    assert shown == (
        f"{FIRST}\n\nWhat it took\n\n- Oak from three farms\n- Two winters\n\n{SECOND}\n\n"
        f"grind --fine\n  spelt\n\n{THIRD}"
    )


def test_an_element_called_the_body_of_the_article_wins_over_its_surroundings():
    shown = page(
        f"<div class=wrap><p>{FIRST[:60]}, says the summary above.</p><div itemprop=articleBody>{BODY}</div></div>"
    ).text
    assert shown == TEXT


def test_the_article_with_the_main_heading_is_the_one():
    others = "".join(f"<article id=p{n}><p>{SECOND} And so on, number {n}.</p></article>" for n in range(5))
    shown = page(f"<main><article><h1>The mill</h1>{BODY}</article><div>{others}</div></main>").text
    assert shown == TEXT


@pytest.mark.parametrize("name", ["share-story", "ad-free-content", "comment-page", "hidden-gem", "widget"])
def test_a_name_does_not_throw_away_the_whole_page(name):
    assert page(f"<div class='{name}'>{BODY}</div>").text == TEXT


def test_a_heading_that_says_the_title_is_the_title_whatever_its_level():
    head = "<title>The mill turns again - Valley Courier</title>"
    shown = page(f"<div><p>Our Sunday reading</p><h2>The mill turns again</h2>{BODY}</div>", head).text
    assert shown == TEXT


def test_a_manual_keeps_its_parts():
    shown = page(
        "<div class=sidebar><ul><li><a href=/a>Start</a><li><a href=/b>Options</a></ul></div><main><h1>grind</h1>"
        "<p>Grinds grain into flour, coarse or fine, and stops by itself when the hopper is empty.</p>"
        "<h2>Options</h2><table><tr><th>name<th>meaning<tr><td>fine<td>for cakes<tr><td>coarse<td>for bread</table>"
        "<h2>Example</h2><pre><code>grind --fine spelt\ngrind --coarse rye</code></pre>"
        "<dl><dt>hopper</dt><dd>Where the grain waits before it falls between the stones.</dd></dl></main>"
    )
    assert shown.markdown == (
        "Grinds grain into flour, coarse or fine, and stops by itself when the hopper is empty.\n\n## Options\n\n"
        "| name | meaning |\n| --- | --- |\n| fine | for cakes |\n| coarse | for bread |\n\n## Example\n\n"
        "```\ngrind --fine spelt\ngrind --coarse rye\n```\n\n"
        "- hopper\n- Where the grain waits before it falls between the stones."
    )


def test_a_thread_is_the_content_of_its_page():
    posts = "".join(
        f"<div class=comment-body><p>{text} Says number {n}.</p></div>" for n, text in enumerate((FIRST, SECOND))
    )
    shown = page(f"<h1>Has anybody seen the mill?</h1><div class=comments>{posts}</div>").text
    assert shown == f"{FIRST} Says number 0.\n\n{SECOND} Says number 1."


def test_a_paragraph_may_begin_with_a_link_that_is_called_a_tag():
    assert page(
        f"<article><p><a class=tag-link href=/mill>The old mill</a>{FIRST[12:]}</p><p>{SECOND}</p></article>"
    ).text == (f"{FIRST}\n\n{SECOND}")


def test_text_given_to_machines_may_point_to_a_part_but_is_no_source():
    strange = f"<div class=comments>{BODY.replace('<p>', '<p>Indeed: ')}</div>"
    long = " ".join((FIRST, SECOND, THIRD, FIRST[::-1]))
    head = f'<script type="application/ld+json">{{"@type": "NewsArticle", "articleBody": "{long}"}}</script>'
    shown = page(f"<div>{BODY}</div>{strange * 3}", head)
    assert FIRST[::-1] not in shown.text
    assert FIRST in shown.text


def test_a_page_without_paragraphs_still_has_its_text():
    shown = page("<div>Closed today</div>")
    assert shown.text == "Closed today"
    assert shown.quality is ExtractionQuality.PARTIAL


def test_a_confident_extraction_says_so():
    assert page(f"<article>{BODY}</article>").quality is ExtractionQuality.COMPLETE
    assert page(f"<article>{BODY}</article>").extracted_by == "html"


@pytest.mark.parametrize(
    ("source", "refusal"),
    [
        ("", Refusal.EMPTY),
        ("<html><body><script>let a = 1;</script></body></html>", Refusal.EMPTY),
        ("<p hidden>nothing to see</p>", Refusal.EMPTY),
        ("<div>" * 100_000, Refusal.UNREADABLE),
        ("x" * (LARGEST_PAGE + 1), Refusal.TOO_LARGE),
    ],
)
def test_what_is_no_page_is_refused_by_name(source, refusal):
    assert read_page(source) is refusal


def test_half_a_surrogate_pair_never_becomes_text():
    found = page(f"<p>{FIRST} \ud800</p>", '<script type="application/ld+json">{"@type": "\\ud800"}</script>')
    found.text.encode()
    assert found.metadata.linked.types == ("",)


def test_a_document_keeps_the_proofs_of_its_bytes_and_text():
    data = f"<title>Mill</title><article>{BODY}</article>".encode()
    document = extract_document(data, "mill.html")
    assert not isinstance(document, Refusal)
    assert document.text == TEXT
    assert document.title == "Mill"
    assert extract_document(data, "other.html") == document


def test_a_page_crosses_a_process_border_unchanged():
    adapter = TypeAdapter[Page | Refusal](Page | Refusal)
    found = page(
        f"<article>{BODY}<!-- a comment of some length --></article>", "<meta property=og:type content=article>"
    )
    assert adapter.validate_json(adapter.dump_json(found)) == found


def test_every_python_reads_the_same():
    # One digest for all versions; a change of the rules changes it, and EXTRACTOR_VERSION with it.
    found = page(f"<nav><a href=/>Home</a></nav><article><h1>Mill</h1>{BODY}<ul><li>oak<li>sp\u00e9lt_</ul></article>")
    assert EXTRACTOR_VERSION == 1
    assert hashlib.sha256(repr(found).encode()).hexdigest()[:16] == "e2d4b191c33374f6"


def test_bytes_in_no_encoding_are_read_as_far_as_they_go():
    document = extract_document(b"<article><p>Good text \xff here, and it goes on.</p></article>", "a.html")
    assert not isinstance(document, Refusal)
    assert document.text == "Good text \ufffd here, and it goes on."
