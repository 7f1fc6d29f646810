"""A stored attack stays text: in questions, titles, names, bodies and addresses, on every page that shows it."""

from __future__ import annotations

import pytest

from tests.browser.hostile_texts import QUESTIONS, TITLES

PAGES = (
    "r/{id}", "r/{id}?step=3", "r/{id}?tab=receipt", "r/{id}?tab=signals", "requests?peek={id}", "diff?a={id}&b={id}",
    "diff?a={id}",
)  # fmt: skip

ASKED = (
    "requests?q={}", "requests?stop={}", "requests?peek={}", "ask?question={}", "diff?a={}&b={}", "health?span={}",
    "what-if?tier={}", "r/{}",
)  # fmt: skip


def intact(page):
    """Nothing of a text became an element, and nothing ran."""
    assert page.evaluate("window.taken") is None
    strange = "iframe, object, embed, math, [onerror], [onload], [onfocus], [ontoggle], [onmouseover], [srcdoc]"
    assert page.locator(strange).count() == 0
    assert page.locator("script:not([src^='/console/static/'])").count() == 0
    assert page.locator("img:not([src^='/console/static/'])").count() == 0
    links = page.eval_on_selector_all(
        "a[href]", "links => links.map(link => new URL(link.href.baseVal ?? link.href, document.baseURI).protocol)"
    )
    assert set(links) <= {"http:", "https:"}


@pytest.mark.parametrize("number", range(len(QUESTIONS)))
def test_questions(operator, demo, number):
    session = demo.ids[f"hostile {number}"]
    for path in PAGES:
        operator.open(f"/console/{path.replace('{id}', session)}")
        intact(operator.page)
    operator.open(f"/console/r/{session}")
    shown = operator.page.inner_text(".asked")
    assert QUESTIONS[number][:20] in shown
    assert "\u202e" not in shown


def test_titles_names_and_bodies_of_documents(operator, demo):
    session = demo.ids["hostile documents"]
    for path in PAGES:
        operator.open(f"/console/{path.replace('{id}', session)}")
        intact(operator.page)
    operator.open(f"/console/r/{session}")
    operator.page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true })")
    shown = operator.page.inner_text(".right")
    assert sum(title[:18] in shown for title in TITLES) >= 2
    assert operator.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_addresses(operator, demo):
    for text in (
        "<script>window.taken=1</script>",
        "javascript:window.taken=1",
        '"><img src=x onerror=window.taken=1>',
    ):
        for path in ASKED:
            operator.open(f"/console/{path.replace('{}', text)}")
            intact(operator.page)


def test_asked_here_and_now(operator, demo):
    operator.open("/console/ask")
    operator.page.fill("#question", QUESTIONS[1])
    operator.page.keyboard.press("Enter")
    operator.page.wait_for_selector(".right")
    intact(operator.page)
    assert "onerror" in operator.page.inner_text("h1")
