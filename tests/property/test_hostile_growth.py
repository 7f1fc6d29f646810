"""Hostile repetition costs no more than its length: four times the input is never far more than four times the work."""

from __future__ import annotations

import json
import time

import pytest

from app.parsing.document import ParsedDocument, kind_of_response, parse_document, title_from_name
from app.parsing.html.page import read_page
from app.parsing.http.fields import cache_directives, http_date_ms, media_type
from app.parsing.http.robots import read_robots
from app.parsing.sites.hacker_news import render as render_hn
from app.parsing.sites.hacker_news import route
from app.parsing.sites.youtube import read_captions, read_watch_page
from app.parsing.text.charsets import web_text
from app.parsing.text.decoding import decoded
from app.parsing.text.passages import Heading, passages_of
from app.parsing.text.text_cuts import cut_text
from app.parsing.text.words.tokens import asked_words, words_of
from app.screen.carriers import strip_carriers

SMALL = 4_000  # characters, or items where a piece depends on its number
TIMES_AS_LONG = 4
MOST_GROWTH = 12.0
QUICK_S = 0.002  # below this the clock says nothing
ATTEMPTS = 4

REPEATED = {
    "front matter": "- :\n",
    "front keys": "a:\n",
    "rules": "---\n",
    "underlines": "x\n\n===\n",
    "heading and spaces": "# a    ",
    "number signs": "#",
    "closed headings": "# a #\n",
    "brackets": "[",
    "link ends": "](",
    "reference comments": "[a]: # (",
    "backticks": "`",
    "fences": "```\n",
    "comments": "<!-- ",
    "closed comments": "<!---->",
    "hidden elements": "<b hidden>",
    "hiding styles": "<a display:none display:none ",
    "display and spaces": "<a style='display     ",
    "opacity": "<p style='opacity:0000000'>x",
    "paragraphs": "<p>",
    "nested": "<div>",
    "headings inside": "<h1><div>x",
    "cells": "<table><tr><td>",
    "spanning cells": "<td colspan=60 rowspan=60>x",
    "rows of cells": "<table><tr><td colspan=9 rowspan=99>x<tr><tr></table>",
    "empty rows": "<table><tr><td rowspan=999 colspan=64>x" + "<tr>" * 40,
    "items": "<ul><li>x",
    "links": "<a href=b>x</a><br>",
    "linked headings": "<div><h2><a href=b>x</a></h2>y</div>",
    "quotations": "<blockquote>x",
    "emphasis": "<b><i><code>x</code></i></b> ",
    "lines": "<p>x<br>y",
    "named": "<div class='share nav'>x",
    "styles": "<p style='color:white;/*;left:-999px'>x",
    "addresses": "<a href='../../b/./c?d'>x</a>",
    "codes": "<pre>```\n",
    "metas": "<meta name=citation_author content=x>",
    "scripts": "<script type='application/ld+json'>[{</script>",
    "quotes": "<a b='",
    "double quotes": '<a b="',
    "attributes": " a=1",
    "references": "&",
    "numbered references": "&#8205;",
    "templates": "<template>x",
    "raw text": "<title>x",
    "bars": "|",
    "angles": "<",
    "tag names": "<a",
    "one long line": "x",
    "spaces": " ",
    "blank lines": "\n \n",
    "sentences": ". ",
    "quoted ends": ".''''",
    "apostrophes": "a'",
    "combining marks": "\u0301",
    "ideographs": "\u7c89",
    "woman with computer": "\U0001f469\u200d\U0001f4bb",
    "joiner chain": "\U0001f469\u200d",
    "joiners": "\u200d",
    "tags": "\U000e0061",
    "flags": "\U0001f3f4\U000e0067\U000e0062\U000e007f",
    "regions": "\U0001f1e6",
    "charset": "<meta charset=",
}
NUMBERED = {
    "formatting": "<b i={}>",
    "formatting and paragraphs": "<b i={}><p>x",
    "distinct hidden elements": "<a{} hidden>",
    "many attributes": " a{}=1",
    "named values": "<meta property='og:{}' content='x'>",
    "named parts": "<div class='a{} b'>x</div>",
}
HN_ITEM = route("https://news.ycombinator.com/item?id=7")
OPENINGS = ("---\n", "# a", "<p ")


def inputs():
    for name, piece in REPEATED.items():
        yield pytest.param(lambda size, piece=piece: piece * (size // len(piece)), id=name)
    for name, piece in NUMBERED.items():
        yield pytest.param(lambda size, piece=piece: "".join(piece.format(i) for i in range(size // 12)), id=name)


def parsed(name):
    def work(text):
        document = parse_document(text.encode(), name)
        if isinstance(document, ParsedDocument):
            passages_of(document.text, document.headings)

    return work


def under_a_long_heading(text):
    headings = tuple(Heading(1 if i == 0 else 2, text if i == 0 else "b", i, i + 1) for i in range(0, len(text), 20))
    passages_of(text, headings)


WORKERS = {
    "markdown": parsed("a.md"),
    "text": parsed("a.txt"),
    "html": parsed("a.html"),
    "page": lambda text: read_page(text, "https://example.org/a/b"),
    "passages": lambda text: passages_of(text, ()),
    "headings": under_a_long_heading,
    "words": words_of,
    "question": asked_words,
    "carriers": strip_carriers,
    "decoding": lambda text: decoded(text.encode() + b"\xff", html=True),
    "title": title_from_name,
    "json": parsed("a.json"),
    "json text": lambda text: parse_document(json.dumps([text, {text: 1}]).encode(), "a.json"),
    "csv": parsed("a.csv"),
    "csv rows": lambda text: parse_document(f"a,b\n{text},1\n".encode(), "a.csv"),
    "feed": lambda text: parse_document(f"<rss>{text}".encode(), "a.rss"),
    "feed entry": lambda text: parse_document(feed_of(text).encode(), "a.rss"),
    "format": lambda text: kind_of_response(text.encode(), ""),
    "charset": lambda text: web_text(text.encode() + b"\xff\xfe", "", html=False),
    "fields": lambda text: (media_type(text), cache_directives(text), http_date_ms(text)),
    "robots": lambda text: read_robots(f"user-agent: *\n{text}".encode()).allows(
        "https://shop.example/x", "portcullis"
    ),
    "cut": lambda text: cut_text(text, len(text) // 2),
    "comment": lambda text: render_hn(HN_ITEM, [json.dumps({"id": 7, "title": text, "text": text}).encode()]),
    "watch page": lambda text: read_watch_page(f"ytInitialPlayerResponse = {{{text}".encode()),
    "captions": lambda text: read_captions(f"<transcript><text>{text}".encode()),
    "caption": lambda text: read_captions(json.dumps({"events": [{"segs": [{"utf8": text}]}] * 2}).encode()),
    "robots rule": lambda text: read_robots(f"user-agent: *\nallow: /{text}".encode()).allows(f"https://a/{text}", "x"),
}


def feed_of(text):
    said = text.replace("&", "&amp;").replace("<", "&lt;")
    return f"<rss><channel><item><title>{said}</title><description>{said}</description></item></channel></rss>"


def seconds(work, text):
    started = time.process_time()
    work(text)
    return time.process_time() - started


def growth(work, make):
    """How much longer the longer input takes; the quickest of several runs, since other processes only add."""
    short, long = make(SMALL), make(SMALL * TIMES_AS_LONG)
    seen = []
    for _ in range(ATTEMPTS):
        base = max(QUICK_S, seconds(work, short))
        seen.append(seconds(work, long) / base)
        if seen[-1] < MOST_GROWTH:
            break
    return min(seen)


@pytest.mark.parametrize("make", inputs())
@pytest.mark.parametrize("worker", WORKERS)
def test_work_grows_with_the_input(worker, make):
    assert growth(WORKERS[worker], make) < MOST_GROWTH


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("make", inputs())
def test_what_stands_before_makes_no_difference(opening, make):
    for worker in ("markdown", "html", "page"):
        assert growth(WORKERS[worker], lambda size: opening + make(size)) < MOST_GROWTH
