"""Text that a page says without showing it: never in the text, always before the screen."""

from __future__ import annotations

import pytest

from app.parsing.document import ParsedDocument, parse_document
from app.parsing.html.page import Page, read_page

LONG = "A paragraph that is long enough to be the main text of this page, with a comma and a full stop."
UNSEEN = "secret words that nobody should read here"

HIDDEN = {
    "comment": f"<!-- {UNSEEN} -->",
    "attribute": f"<div hidden>{UNSEEN}</div>",
    "aria": f"<div aria-hidden=true><p>{UNSEEN}</p></div>",
    "display": f"<p style='DISPLAY : none'>{UNSEEN}</p>",
    "display, with a comment": f"<p style='display:/* x */none'>{UNSEEN}</p>",
    "display, important": f"<p style='color:red;display:none !important'>{UNSEEN}</p>",
    "visibility": f"<p style='visibility:hidden'>{UNSEEN}</p>",
    "opacity": f"<p style='opacity:.01'>{UNSEEN}</p>",
    "no font": f"<p style='font-size:0'>{UNSEEN}</p>",
    "tiny font": f"<p style='font-size:1px'>{UNSEEN}</p>",
    "tiny in em": f"<p style='font-size: 0.05em'>{UNSEEN}</p>",
    "white": f"<p style='color:#FFF'>{UNSEEN}</p>",
    "white on white": f"<div style='background:white'><p style='color:rgb(255, 255, 255)'>{UNSEEN}</p></div>",
    "own colour": f"<p style='color:#123456;background-color:#123456'>{UNSEEN}</p>",
    "transparent": f"<p style='color:transparent'>{UNSEEN}</p>",
    "no alpha": f"<p style='color:rgba(10,20,30,0)'>{UNSEEN}</p>",
    "off the screen": f"<p style='position:absolute;left:-9999px'>{UNSEEN}</p>",
    "indented away": f"<p style='text-indent:-5000px'>{UNSEEN}</p>",
    "clipped": f"<p style='position:absolute;clip:rect(0, 0, 0, 0)'>{UNSEEN}</p>",
    "no height": f"<div style='height:0;overflow:hidden'>{UNSEEN}</div>",
    "scaled": f"<p style='transform: scale(0)'>{UNSEEN}</p>",
    "for ears": f"<span class='sr-only'>{UNSEEN}</span>",
    "noscript": f"<noscript><p>{UNSEEN}</p></noscript>",
    "template": f"<template><p>{UNSEEN}</p></template>",
    "alt": f"<img src=a.png alt='{UNSEEN}'>",
    "label": f"<a href=/ aria-label='{UNSEEN}'>x</a>",
    "title": f"<abbr title='{UNSEEN}'>x</abbr>",
    "meta": f"<meta name=description content='{UNSEEN}'>",
    "option": f"<select><option>{UNSEEN}</option></select>",
    "button": f"<button>{UNSEEN}</button>",
    "drawing": f"<svg><text>{UNSEEN}</text></svg>",
}
SHOWN = {
    "white on a dark box": f"<div style='background-color:#111'><p style='color:white'>{LONG[:-1]}!</p></div>",
    "white on a picture": f"<p style='color:white;background-image:url(a.png)'>{LONG[:-1]}!</p>",
    "half opaque": f"<p style='opacity:.5'>{LONG[:-1]}!</p>",
    "small": f"<p style='font-size:9px'>{LONG[:-1]}!</p>",
    "moved a little": f"<p style='position:absolute;left:-10px'>{LONG[:-1]}!</p>",
    "no margin": f"<p style='margin:0;height:0'>{LONG[:-1]}!</p>",
    "aria false": f"<p aria-hidden=false>{LONG[:-1]}!</p>",
}


def read(part):
    found = read_page(f"<article><p>{LONG}</p>{part}<p>{LONG}</p></article>", "https://a.example/")
    assert isinstance(found, Page)
    return found


@pytest.mark.parametrize("case", HIDDEN)
def test_hidden_text_goes_to_the_screen_alone(case):
    found = read(HIDDEN[case])
    assert "secret" not in found.text
    assert "secret" not in found.markdown
    assert any(UNSEEN in part for part in found.hidden)
    assert not found.too_much_hidden


# A document shows its controls, and its reader looks at the colours of each element alone.
@pytest.mark.parametrize("case", [case for case in HIDDEN if case not in ("option", "button", "white on white")])
def test_local_documents_follow_the_same_rules(case):
    document = parse_document(f"<article><p>{LONG}</p>{HIDDEN[case]}</article>".encode(), "a.html")
    assert isinstance(document, ParsedDocument)
    assert "secret" not in document.text
    assert any(UNSEEN in part for part in document.hidden)


@pytest.mark.parametrize("case", SHOWN)
def test_what_can_be_seen_stays(case):
    assert f"{LONG[:-1]}!" in read(SHOWN[case]).text


@pytest.mark.parametrize("place", ["{}<html>", "<html>{}<head>", "<head>{}</head>", "</html>{}"])
def test_comments_outside_the_body_count_too(place):
    comment = f"<!-- {UNSEEN} -->"
    source = f"<html><head></head><body><p>{LONG}</p></body></html>"
    bare = place.replace("{}", "")
    page = read_page(source.replace(bare, place.format(comment)))
    assert isinstance(page, Page)
    assert any(UNSEEN in part for part in page.hidden)
    document = parse_document(source.replace(bare, place.format(comment)).encode(), "a.html")
    assert isinstance(document, ParsedDocument)
    assert any(UNSEEN in part for part in document.hidden)


@pytest.mark.parametrize("place", ["<html hidden><body>", "<body style='opacity:0'>", "<body style='display:none'>"])
def test_a_page_that_hides_all_of_itself_is_read(place):
    found = read_page(f"{place}<article><p>{LONG}</p></article>")
    assert isinstance(found, Page)
    assert found.text == LONG


def test_carriers_and_controls_are_taken_out_of_everything():
    found = read(
        "<p>zero\u200bwidth &#x202e; and &#7; bell, as a sentence goes on and on, to be long.</p><p hidden>a\u200bb</p>"
    )
    assert "zerowidth  and  bell" in found.text
    assert found.carriers_removed == 2
    assert "ab" in found.hidden


def test_more_hidden_text_than_the_screen_can_take_is_told():
    many = "".join(f"<p hidden>{n} {'x' * 1_000}</p>" for n in range(300))
    assert read(many).too_much_hidden
