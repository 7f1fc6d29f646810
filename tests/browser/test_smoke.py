"""The short form for CI: from a key to a grounded answer, its request, its waterfall and its excerpts."""

from __future__ import annotations

import re
import time

import pytest

from tests.browser.demo_server import DemoServer
from tests.chat.serving import served


@pytest.fixture
def fresh(tmp_path):
    with DemoServer(tmp_path) as server:
        yield server


def test_what_is_printed_leads_to_a_grounded_answer_in_three_actions(visit, tmp_path):
    """Follows the printed address and types the printed key; nothing else is known of the server."""
    with served(tmp_path / "empty", "--one-time-key") as server:
        for _ in range(200):  # the key is the last line that is printed
            printed = "".join(server.said)
            if "key, valid until" in printed:
                break
            time.sleep(0.05)
        address = re.search(r"^console: (http://\S+)$", printed, re.MULTILINE)[1]
        key = re.search(r"^key, valid until the server ends, a day at most: (\S+)$", printed, re.MULTILINE)[1]
        page = visit(server).page
        page.goto(address)  # 1: open what is printed
        page.fill("#key", key)
        page.keyboard.press("Enter")  # 2: sign in with what is printed
        page.wait_for_url("**/console/ask")
        page.fill("#question", "How long should sourdough proof in the fridge?")
        page.keyboard.press("Enter")  # 3: ask
        page.wait_for_selector(".answer .ref")
        assert page.inner_text(".facts .chip") == "SUCCESS_COMPLETED"
        assert "8 to 16 hours" in page.inner_text(".answer")


def test_from_a_key_to_a_grounded_answer(visit, fresh):
    here = visit(fresh)
    page = here.sign_in().page
    # Three actions of a person: the key, the question, and a look at a source.
    page.fill("#question", "How long should sourdough proof in the fridge?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer .ref")
    assert page.inner_text(".facts .chip") == "SUCCESS_COMPLETED"
    page.click(".answer .ref")
    assert "hours" in page.inner_text(".source:target mark")
    assert "re-cut ok, sha256" in page.inner_text(".source:target .proof")

    page.click("[data-open]")
    page.wait_for_selector(".waterfall .call .filled")
    assert page.locator(".waterfall .call .hollow").count() >= 1
    assert "No stop condition held" in page.inner_text("h1")
    page.keyboard.press("r")
    page.wait_for_selector("#replayed")
    assert "identical" in page.inner_text("#replayed")


def test_nobody_is_let_in_without_an_operator_key(visit, fresh):
    here = visit(fresh)
    page = here.page
    assert here.open("/console/requests") == 200
    assert page.url.endswith("/console/sign-in?next=/console/requests")
    page.fill("#key", fresh.make_key("admin"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#key-error")
    assert "lacks the scope operator" in page.inner_text("#key-error")
    page.fill("#key", fresh.key)
    page.keyboard.press("Enter")
    page.wait_for_url("**/console/requests")
    assert "no request on record yet" in page.inner_text(".empty")
    page.click("text=Sign out")
    page.wait_for_url("**/console/sign-in")
