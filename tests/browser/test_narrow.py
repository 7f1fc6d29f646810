"""Narrow windows: no page is wider than the window, and the table of requests is not below the fold."""

from __future__ import annotations

import pytest

from tests.browser.test_accessibility import PAGES

WIDTHS = {"phone": (390, 844), "tablet": (820, 1000)}
STICKS_OUT = """() => {
  const width = document.documentElement.clientWidth;
  const scrolls = (one) =>
    one && (/auto|scroll|hidden|clip/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
  return [...document.querySelectorAll("main *, header *")]
    .filter((one) => one.getBoundingClientRect().right > width + 1 && !scrolls(one.parentElement))
    .map((one) => `${one.tagName} ${one.className}`);
}"""


@pytest.fixture(params=WIDTHS)
def narrow(request, visit, demo):
    width, height = WIDTHS[request.param]
    here = visit(demo).sign_in()
    here.page.set_viewport_size({"width": width, "height": height})
    return here


def test_no_page_is_wider_than_the_window(narrow, demo):
    for name, path in PAGES.items():
        for known, session in demo.ids.items():
            path = path.replace(f"{{{known}}}", session)
        narrow.open(f"/console/{path}")
        assert narrow.page.evaluate(STICKS_OUT) == [], name
        assert narrow.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, name


def test_what_a_what_if_finds_fits_too(narrow):
    narrow.open("/console/what-if?tier=MAX&environment=dev")
    narrow.page.fill("#f-max_tool_calls_total", "2")
    narrow.page.click(".caps-form .primary")
    narrow.page.wait_for_selector(".headline", timeout=60_000)
    assert narrow.page.locator("tbody tr").count() > 0
    assert narrow.page.evaluate(STICKS_OUT) == []


def test_the_first_request_is_seen_without_scrolling(narrow):
    narrow.open("/console/requests")
    assert narrow.page.locator("a.row").first.bounding_box()["y"] < narrow.page.viewport_size["height"] * 0.7


def test_a_row_that_is_looked_at_and_its_panel_are_both_seen(narrow, demo):
    narrow.open(f"/console/requests?peek={demo.ids['web']}")
    height = narrow.page.viewport_size["height"]
    row, panel = narrow.page.locator("tr.peeked").bounding_box(), narrow.page.locator(".peek-head").bounding_box()
    assert 0 <= row["y"] < panel["y"] < panel["y"] + panel["height"] <= height
