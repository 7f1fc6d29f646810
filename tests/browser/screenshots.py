"""Writes docs/img: every page in light and dark at 1280x800, over recorded sessions, with a fixed clock and no key."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, CHROMIUM, in_a_thread
from tests.browser.demo_server import DemoServer
from tests.browser.demo_sessions import DemoClock, record_all
from tests.browser.small_png import small_png

ROOT = Path(__file__).parents[2]
QUESTION = "What is autolyse, and how long should sourdough proof in the fridge?"
ON_THE_WEB = "What does drinking water cost in Port Kelder?"


def pages(ids: dict[str, str]) -> dict[str, str]:
    """Name → address of the pages that need no action."""
    return {
        "ask": f"ask?question={QUESTION.replace(' ', '+')}",
        "requests": "requests",
        "peek": f"requests?peek={ids['web']}",
        "nothing-found": "requests?stop=TIMEOUT&q=nothing+of+this",
        "request": f"r/{ids['web']}",
        "step": f"r/{ids['web']}?step=6",
        "findings": f"r/{ids['injected']}?tab=findings",
        "signals": f"r/{ids['rate']}?tab=signals",
        "receipt": f"r/{ids['success']}?tab=receipt",
        "stored-attack": f"r/{ids['hostile documents']}",
        "compare": f"diff?a={ids['success']}",
        "diff": f"diff?a={ids['first']}&b={ids['success']}",
        "policy": "policy",
        "what-if": "what-if",
        "health": "health?span=24h",
        "refused": "r/00000000-0000-4000-8000-000000000000",
    }


def shots(page: Page, server: DemoServer, ids: dict[str, str]) -> Iterator[tuple[str, bytes]]:
    """Every page of one theme; the field of the key shows dots."""
    console = f"{server.url}/console"
    page.goto(console)
    yield "sign-in", page.screenshot()
    page.fill("#key", server.key)
    page.keyboard.press("Enter")
    page.wait_for_url("**/console/ask")
    for name, path in pages(ids).items():
        page.goto(f"{console}/{path}")
        yield name, page.screenshot()
    page.goto(f"{console}/r/{ids['web']}")
    page.keyboard.press("r")
    page.wait_for_selector("#replayed")
    yield "replay", page.screenshot()
    page.goto(f"{console}/what-if?tier=MAX&environment=dev")
    page.fill("#f-max_tool_calls_total", "2")
    page.fill("#f-budget_units_clamp", "60")
    page.click(".caps-form .primary")
    page.wait_for_selector(".headline", timeout=60_000)
    yield "what-if-result", page.screenshot()
    page.goto(f"{console}/ask")
    server.hold_search()
    page.fill("#question", ON_THE_WEB)
    page.keyboard.press("Enter")
    page.wait_for_selector("#steps li.call")
    yield "running", page.screenshot()
    server.release_search()
    page.wait_for_selector(".answer")
    page.goto(f"{console}/ask")
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer")
    yield "answer", page.screenshot()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "img")
    parser.add_argument("--only", nargs="*", help="names such as request-light; default: all")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        folder = Path(place)
        ids = in_a_thread(lambda: record_all(folder))
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, "--disable-lcd-text"])
        for theme in ("light", "dark"):
            with DemoServer(folder, DemoClock(int(ids["end"]) + 540_000)) as server:
                context = browser.new_context(
                    viewport={"width": 1280, "height": 800}, color_scheme=theme, reduced_motion="reduce"
                )
                for name, data in shots(context.new_page(), server, ids):
                    if not chosen.only or f"{name}-{theme}" in chosen.only:
                        (chosen.out / f"{name}-{theme}.png").write_bytes(small_png(data))
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
