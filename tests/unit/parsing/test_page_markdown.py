"""Markdown of the main content: structure kept, text escaped, tables valid."""

from __future__ import annotations

import pytest

from app.parsing.html.page import Page, read_page

LONG = "A paragraph that is long enough to be the main text of this page, with a comma and a full stop."


def markdown(body, url="https://a.example/x/y.html", head=""):
    found = read_page(f"<head>{head}</head><body><article><p>{LONG}</p>{body}<p>{LONG}</p></article>", url)
    assert isinstance(found, Page)
    assert found.markdown.startswith(f"{LONG}\n\n")
    assert found.markdown.endswith(f"\n\n{LONG}")
    return found.markdown[len(LONG) + 2 : -len(LONG) - 2]


CASES = {
    "heading": ("<h3>Two <em>kinds</em></h3>", "### Two *kinds*"),
    "emphasis keeps its spaces outside": ("<p>a<b> bold </b>move, as they say.</p>", "a **bold** move, as they say."),
    "relative link": (
        '<p>See <a href="../z?q=1#f">the rest</a> of it.</p>',
        "See [the rest](https://a.example/z?q=1#f) of it.",
    ),
    "link that leads nowhere": ('<p>Do <a href="javascript:x()">not run</a> this.</p>', "Do not run this."),
    "link with brackets": ('<p>On <a href="/b_(c) d">that</a>.</p>', "On [that](https://a.example/b_%28c%29%20d)."),
    "code": ("<p>Type <code>a*b`c</code> now.</p>", "Type `` a*b`c `` now."),
    "code block": (
        '<pre><code class="language-python">if a:\n    b("```")</code></pre>',
        '````python\nif a:\n    b("```")\n````',
    ),
    "list": ("<ul><li>one<li>two<ol><li>first<li>second</ol></ul>", "- one\n- two\n  1. first\n  2. second"),
    "ordered": ("<ol><li>one</li><li><p>two</p><p>more</p></li></ol>", "1. one\n2. two\n\n   more"),
    "quotation": ("<blockquote>Said<br>twice</blockquote>", "> Said  \n> twice"),
    "escapes": ("<p>1. a *star*, [b](c) and &lt;d> \\ _e_ f_g</p>", r"1\. a \*star\*, \[b\](c) and \<d> \\ \_e\_ f_g"),
    "no heading by accident": ("<p># of items</p>", r"\# of items"),
    "no list by accident": ("<p>- 5 degrees</p>", r"\- 5 degrees"),
    "lines": ("<p>Mill Lane 3<br>Upper Valley</p>", "Mill Lane 3  \nUpper Valley"),
}


@pytest.mark.parametrize("case", CASES)
def test_markdown(case):
    source, wanted = CASES[case]
    assert markdown(source) == wanted


TABLES = {
    "header": (
        "<table><tr><th>Year<th>Sacks<tr><td>1880<td>40<tr><td>1990<td>0</table>",
        "| Year | Sacks |\n| --- | --- |\n| 1880 | 40 |\n| 1990 | 0 |",
    ),
    "caption": (
        "<table><caption>Sacks a year</caption><tr><th>Year<th>Sacks<tr><td>1880<td>40</table>",
        "Sacks a year\n\n| Year | Sacks |\n| --- | --- |\n| 1880 | 40 |",
    ),
    "pipes and lines": (
        "<table><tr><th>a|b<th>c<tr><td>x<br>y<td><p>one</p><p>two|three</p></table>",
        "| a\\|b | c |\n| --- | --- |\n| x y | one two\\|three |",
    ),
    "spans": (
        "<table><tr><th colspan=2>Both<th>C<tr><td rowspan=2>r<td>1<td>2<tr><td>3<td>4</table>",
        "| Both | Both | C |\n| --- | --- | --- |\n| r | 1 | 2 |\n| r | 3 | 4 |",
    ),
    "short rows": (
        "<table><tr><th>a<th>b<th>c<tr><td>1</table>",
        "| a | b | c |\n| --- | --- | --- |\n| 1 |  |  |",
    ),
    "links in cells": (
        '<table><tr><th>a<th>b<tr><td><a href="/m|n">x</a><td>y</table>',
        "| a | b |\n| --- | --- |\n| [x](https://a.example/m%7Cn) | y |",
    ),
}


@pytest.mark.parametrize("case", TABLES)
def test_tables_of_data(case):
    source, wanted = TABLES[case]
    assert markdown(source) == wanted


@pytest.mark.parametrize(
    "source",
    [
        "<table><tr><td>only one<tr><td>column of cells</table>",
        "<table><tr><td>one<td>row</table>",
        "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
        f"<table><tr><td>{LONG * 6}<td>b<tr><td>c<td>d</table>",
        "<table><tr><td><h2>A part</h2><td>b<tr><td>c<td>d</table>",
        "<table><tr><td colspan=4000>a<td>b<tr><td>c<td>d</table>",
        "<table><tr><td rowspan=9999 colspan=60>" + "abc " * 90 + "<td>b" + "<tr><td>c" * 200 + "</table>",
    ],
    ids=["column", "row", "presentation", "long cell", "heading", "too wide", "copies"],
)
def test_other_tables_become_text(source):
    shown = markdown(source)
    assert "---" not in shown
    assert "|" not in shown
    assert shown


def test_a_table_round_another_becomes_text_and_the_inner_one_stays_a_table():
    shown = markdown("<table><tr><td>outer<td><table><tr><td>a<td>b<tr><td>c<td>d</table><tr><td>e<td>f</table>")
    assert shown == "outer\n\n| a | b |\n| --- | --- |\n| c | d |\n\ne\n\nf"


def test_a_base_element_moves_links():
    assert markdown('<p>See <a href="p">this</a>.</p>', head='<base href="/deep/er/">') == (
        "See [this](https://a.example/deep/er/p)."
    )
