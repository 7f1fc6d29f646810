"""The short form for CI: from a key to a grounded answer, its request, its waterfall and its excerpts."""

from __future__ import annotations

import pytest

from tests.browser.demo_server import DemoServer


@pytest.fixture
def fresh(tmp_path):
    with DemoServer(tmp_path) as server:
        yield server


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
