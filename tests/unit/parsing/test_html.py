"""HTML gives its text in reading order, apart from what a browser would not show."""

from __future__ import annotations

import pytest

from app.parsing.html import read_html


def read(source):
    sketch = read_html(source)
    assert sketch is not None
    return sketch


def test_blocks_are_kept_apart_and_white_space_is_folded():
    sketch = read("<p>One  <b>big</b>\nword<br>next</p><ul><li>a</li><li>b</li></ul><table><tr><td>1<td>2</table>")
    assert sketch.text == "One big word\nnext\n\na\n\nb\n\n1 2"


def test_words_across_inline_tags_stay_whole():
    assert read("<p>un<i>believ</i>able <a>link</a>, yes</p>").text == "unbelievable link, yes"


def test_preformatted_text_keeps_its_lines():
    assert read("<p>a</p><pre>\n x\n   y\n</pre><p>b</p>").text == "a\n\n x\n   y\n\nb"


def test_headings_know_their_place_and_level():
    sketch = read("<h1>Top <em>line</em></h1><p>x</p><h3>Low</h3>")
    assert [(h.level, h.title) for h in sketch.headings] == [(1, "Top line"), (3, "Low")]
    assert all(sketch.text[h.start : h.end] == h.title for h in sketch.headings)


def test_the_title_is_the_head_s_or_the_highest_heading():
    assert read("<head><title> A &amp; B </title></head><h1>C</h1>").title == "A & B"
    assert read("<h2>D</h2><h1>C</h1>").title == "C"


@pytest.mark.parametrize(
    "hidden",
    [
        "<!-- secret -->",
        "<p hidden>secret</p>",
        '<p style="DISPLAY : none">secret</p>',
        '<p style="visibility:hidden">secret</p>',
        '<p style="font-size:0">secret</p>',
        '<p style="opacity: 0.0;">secret</p>',
        '<div aria-hidden="true"><b>secret</b></div>',
        "<noscript>secret</noscript>",
    ],
)
def test_hidden_parts_leave_the_text_and_are_handed_over(hidden):
    sketch = read(f"<p>a</p>{hidden}<p>b</p>")
    assert sketch.text == "a\n\nb"
    assert [part.strip() for part in sketch.hidden] == ["secret"]


@pytest.mark.parametrize("tag", ["script", "style", "template", "svg", "iframe"])
def test_what_is_no_text_is_dropped(tag):
    sketch = read(f"<p>a</p><{tag}>secret</{tag}><p>b</p>")
    assert (sketch.text, sketch.hidden) == ("a\n\nb", ())


def test_visible_styles_stay():
    assert read('<p style="font-size:10px;opacity:0.5;display:block">seen</p>').text == "seen"


def test_hidden_parts_are_bounded():
    sketch = read("<p>a</p>" + "<p hidden>" + "x" * 9000 + "</p>" + "<p hidden>y</p>" * 100)
    assert len(sketch.hidden) == 32
    assert max(map(len, sketch.hidden)) == 2000


def test_a_page_that_nests_beyond_reading_is_refused():
    assert read_html("<div>" * 5001) is None
    assert read("<div>" * 300 + "deep").text == "deep"
