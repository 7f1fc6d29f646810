"""HTML gives its text in reading order, apart from what a browser would not show."""

from __future__ import annotations

import pytest

from app.parsing.html.plain import read_html


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


@pytest.mark.parametrize("tag", ["script", "style"])
def test_programs_and_styles_are_dropped(tag):
    sketch = read(f"<p>a</p><{tag}>secret</{tag}><p>b</p>")
    assert (sketch.text, sketch.hidden) == ("a\n\nb", ())


@pytest.mark.parametrize("tag", ["template", "svg", "math", "iframe", "object", "datalist"])
def test_words_in_what_is_dropped_are_handed_over(tag):
    sketch = read(f"<p>a</p><{tag}>secret</{tag}><p>b</p>")
    assert sketch.text == "a\n\nb"
    assert "secret" in sketch.hidden


@pytest.mark.parametrize(
    "source",
    [
        '<head><meta name=description content="SECRET"></head>',
        '<p><img alt="SECRET"></p>',
        '<p title="SECRET">b</p>',
        '<button aria-label="SECRET">b</button>',
        '<div hidden><img alt="SECRET"></div>',
        "<template>what a <b>secret</b> word</template>",
    ],
)
def test_what_is_told_to_some_readers_only_is_handed_over(source):
    sketch = read(f"<p>a</p>{source.replace('SECRET', 'what a secret word')}")
    assert "secret" not in sketch.text
    assert "what a secret word" in sketch.hidden


def test_visible_styles_stay():
    assert read('<p style="font-size:10px;opacity:0.5;display:block">seen</p>').text == "seen"


def test_all_hidden_text_is_kept_up_to_its_bound():
    sketch = read("<p>a</p>" + "<p hidden>" + "x" * 9000 + "</p>" + "".join(f"<p hidden>y{i}</p>" for i in range(100)))
    assert len(sketch.hidden) == 101
    assert not sketch.too_much_hidden
    assert read("<p>a</p><!--" + "\u00e9" * 100_001 + "-->").too_much_hidden


@pytest.mark.parametrize(
    "source",
    [
        "<p>" + "".join(f"<b i={i}>" for i in range(500)) + "<p>x" * 500,
        "<p>" + "".join(f"<i j='>' i={i}>" for i in range(500)) + "<b></b>x" * 500,
        "<p><a>" + "".join(f"<i i={i}>" for i in range(500)) + "<a>x" * 500,
        "<!-- </b> -->".join(f"<b i={i}>" for i in range(500)) + "<p>x" * 500,
        "<p " + " ".join(f"a{i}=1" for i in range(2000)) + ">x",
        "<div>" * 4900 + "<p>x" * 80_000,
    ],
    ids=["reopened", "popped", "links", "comments", "attributes", "climbing"],
)
def test_a_page_that_stands_for_a_much_larger_one_is_refused(source):
    assert read_html(source) is None


@pytest.mark.parametrize(
    "source",
    [
        "<p>a <b>b</b> <a href='x'>c</a></p>" * 5000,
        "<p><b>x" * 3000,
        "<script>" + "document.write('<b>');" * 6000 + "</script>" + "<p>x</p>" * 3000,
        "<font size=2><center><b><i>" + "<p>x</p>" * 5000,
        "<!-- " + "<div>" * 6000 + " --><p>x",
    ],
    ids=["ordinary", "sloppy", "script", "old", "commented"],
)
def test_an_ordinary_page_is_not(source):
    assert "x" in read(source).text or "b" in read(source).text


def test_a_page_that_nests_beyond_reading_is_refused():
    assert read_html("<div>" * 5001) is None
    assert read("<div>" * 300 + "deep").text == "deep"


@pytest.mark.parametrize(
    "style",
    [
        "font-size:1px",
        "font-size: .5pt",
        "position:absolute;left:-9999px",
        "text-indent: -5000px",
        "color:transparent",
        "clip: rect(0,0,0,0)",
        "clip-path:inset(100%)",
    ],
)
def test_text_that_is_tiny_off_screen_or_without_colour_is_hidden(style):
    sketch = read_html(f'<p>Shown.</p><p style="{style}">Unseen words here.</p>')
    assert sketch is not None
    assert sketch.text == "Shown."
    assert "Unseen words here." in sketch.hidden


@pytest.mark.parametrize("style", ["font-size:12px", "left:-10px", "background-color:transparent", "font-size:1em"])
def test_text_that_can_be_seen_is_not(style):
    sketch = read_html(f'<p style="{style}">Shown words.</p>')
    assert sketch is not None
    assert sketch.text == "Shown words."
