"""A real browser, a recorded past and a server. `make test-browser` runs every file here; other runs only the smoke."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from pathlib import Path

import pytest
from playwright.sync_api import Error, sync_playwright

from tests.browser.demo_server import DemoServer
from tests.browser.demo_sessions import DemoClock, record_all

ALL = os.environ.get("BROWSER_TESTS") == "all"
collect_ignore = (
    [] if ALL else [path.name for path in Path(__file__).parent.glob("test_*.py") if path.stem != "test_smoke"]
)
CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
_NINE_MINUTES = 540_000


def in_a_thread(make):
    """Run a coroutine in a thread: the browser's own loop stands in this one."""
    found = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(make())))
    thread.start()
    thread.join()
    return found[0]


@pytest.fixture(scope="module")
def browser():
    """Chromium, with a new profile for every context; its loop stands in this thread, so it ends with the module."""
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no browser at {CHROMIUM}: apt-get install chromium")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def past(tmp_path_factory):
    """A folder of recorded sessions, and their ids by what they show."""
    folder = tmp_path_factory.mktemp("past")
    return folder, in_a_thread(lambda: record_all(folder))


@pytest.fixture(scope="module")
def demo(past, tmp_path_factory):
    """A server over a copy of the recorded past, some minutes after its end."""
    folder, ids = past
    copy = tmp_path_factory.mktemp("served")
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    with DemoServer(copy, DemoClock(int(ids["end"]) + _NINE_MINUTES)) as server:
        server.ids = ids
        yield server


class Watched:
    """A page whose console is watched: what a test does not expect there fails it."""

    def __init__(self, page, server) -> None:
        self.page = page
        self.server = server
        self.complaints: list[str] = []
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(f"page: {error}"))
        page.on("dialog", lambda dialog: (self.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))

    def _said(self, message) -> None:
        # A page that is refused on purpose has a status, and the browser tells it.
        if message.type in ("error", "warning") and "the server responded with a status of" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def open(self, path: str):
        """A page of the console; its status."""
        return self.page.goto(self.server.url + path).status

    def sign_in(self):
        """As a person does it: paste, Enter."""
        self.open("/console")
        self.page.fill("#key", self.server.key)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url("**/console/ask")
        return self


@pytest.fixture
def visit(browser):
    """Opens watched pages in fresh contexts; at the end nobody has complained."""
    opened = []

    def start(server, **more):
        context = browser.new_context(viewport={"width": 1280, "height": 800}, **more)
        context.set_default_timeout(20_000)
        watched = Watched(context.new_page(), server)
        opened.append((context, watched))
        return watched

    yield start
    complaints = [complaint for _, watched in opened for complaint in watched.complaints]
    for context, _ in opened:
        try:
            context.close()
        except Error:  # the browser has gone, which is another test's failure
            continue
    assert complaints == []


@pytest.fixture
def operator(visit, demo):
    """A page of somebody who is signed in, over the recorded past."""
    return visit(demo).sign_in()
