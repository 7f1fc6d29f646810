"""axe-core on every page, in light and dark: nothing serious, nothing critical."""

from __future__ import annotations

from pathlib import Path

import pytest

AXE = Path(__file__).parents[2] / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
PAGES = {
    "ask": "ask", "requests": "requests", "peek": "requests?peek={web}", "nothing found": "requests?q=zzzz",
    "request": "r/{web}", "step": "r/{web}?step=3", "signals": "r/{rate}?tab=signals",
    "findings": "r/{injected}?tab=findings", "withheld": "r/{injected}?tab=sources&source=1",
    "receipt": "r/{web}?tab=receipt", "compare": "diff",
    "diff": "diff?a={success}&b={web}", "policy": "policy", "what-if": "what-if", "health": "health",
    "refused": "r/nothing",
}  # fmt: skip
RUN = "async () => (await axe.run(document, {resultTypes: ['violations']})).violations"


@pytest.fixture(scope="module", autouse=True)
def axe():
    if not AXE.is_file():
        pytest.skip("axe-core is not here: `make test-browser` fetches it from npm")
    return AXE.read_text(encoding="utf-8")


def judged(page, axe):
    """The violations that count; the script is added past the page's own policy."""
    page.evaluate(axe)
    return [
        (one["id"], one["impact"], [node["target"] for node in one["nodes"]][:4], one["nodes"][0]["failureSummary"])
        for one in page.evaluate(RUN)
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page(visit, demo, axe, name, theme):
    here = visit(demo, color_scheme=theme).sign_in()
    path = PAGES[name]
    for known, session in demo.ids.items():
        path = path.replace(f"{{{known}}}", session)
    here.open(f"/console/{path}")
    assert judged(here.page, axe) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_that_need_an_action(visit, demo, axe, theme):
    here = visit(demo, color_scheme=theme)
    here.open("/console")
    assert judged(here.page, axe) == []
    here.sign_in()
    demo.hold_search()
    try:
        here.page.fill("#question", "What does drinking water cost in Port Kelder?")
        here.page.keyboard.press("Enter")
        here.page.wait_for_selector("#steps li.call")
        assert judged(here.page, axe) == []
    finally:
        demo.release_search()
    here.page.wait_for_selector(".answer .ref")
    assert judged(here.page, axe) == []
    here.page.keyboard.press("?")
    assert judged(here.page, axe) == []
    here.open(f"/console/r/{demo.ids['web']}")
    here.page.keyboard.press("r")
    here.page.wait_for_selector("#replayed")
    assert judged(here.page, axe) == []
    here.open("/console/what-if")
    here.page.click(".caps-form .primary")
    here.page.wait_for_selector(".headline", timeout=60_000)
    assert judged(here.page, axe) == []
