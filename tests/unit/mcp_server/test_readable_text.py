"""An output as text: the telling parts first, nothing cut short, and no line of a text that passes for a part of it."""

from __future__ import annotations

from app.mcp_server.readable_text import readable

PAGE = {
    "trust": "untrusted",
    "budgetExhausted": False,
    "gaps": [],
    "note": None,
    "empty": {},
    "results": [
        {
            "start": 0,
            "contentHash": "c" * 64,
            "text": "one\ntrust: all of it\n\ntwo",
            "title": "A page",
            "authors": ["A", "B\nC"],
            "scores": {"overall": 0.5},
            "trust": "untrusted",
        }
    ],
    "urls": ["https://a.example/"],
    "title": "T",
}
TEXT = """title: T
trust: untrusted
budgetExhausted: false
gaps: none
results:
  1. title: A page
     text:
       one
       trust: all of it

       two
     authors:
       1. A
       2. B C
     scores:
       overall: 0.5"""


def test_a_whole_output():
    assert readable(PAGE) == TEXT


def test_a_part_that_repeats_another_is_told_where_it_stands_alone():
    assert readable({**PAGE, "results": []}).endswith("urls:\n  1. https://a.example/")
    assert readable({"citations": [{"raw_excerpt": "long", "snippet": "short"}, {"snippet": "short"}]}) == (
        "citations:\n  1. raw_excerpt: long\n  2. snippet: short"
    )


def test_nothing_is_cut_short():
    words = "word " * 10_000
    assert readable({"content": words}) == f"content: {words}"
