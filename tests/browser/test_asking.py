"""Asking in the browser: the estimate, live progress, finishing early, cancelling."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

ON_THE_WEB = "What does drinking water cost in Port Kelder?"


@pytest.fixture
def held(demo):
    """The web search waits until the test lets it answer."""
    demo.hold_search()
    yield demo
    demo.release_search()


def asked(here, question):
    here.open("/console/ask")
    here.page.fill("#question", question)
    here.page.keyboard.press("Enter")
    expect(here.page.locator("#steps li").first).to_contain_text("Started")
    return here.page


def test_the_estimate_follows_the_question_and_the_choices(operator):
    operator.open("/console/ask")
    page = operator.page
    page.fill("#question", "What is autolyse, and how long should sourdough proof?")
    expect(page.locator("#estimate")).to_contain_text("for 2 parts")
    broad = page.inner_text("#estimate")
    page.check("text=Documents only")
    expect(page.locator("#estimate")).not_to_have_text(broad)
    page.check("input[value=shallow]", force=True)
    expect(page.locator("#estimate")).to_contain_text("2 to 4 units")


def test_steps_appear_while_it_runs_and_the_answer_afterwards(operator, held):
    page = asked(operator, ON_THE_WEB)
    expect(page.locator("#steps li.call").first).to_contain_text("looked into the documents")
    assert page.locator(".answer").count() == 0
    held.release_search()
    page.wait_for_selector(".answer .ref")
    assert "Port Kelder" in page.inner_text(".answer")
    assert "port-kelder.example" in page.inner_text(".right")


def test_finish_now_keeps_what_was_found(operator, held):
    page = asked(operator, f"How long should sourdough proof in the fridge? {ON_THE_WEB}")
    page.wait_for_selector("#steps li.call")
    page.click("text=Finish now")
    page.wait_for_selector("#steps li.call")
    held.release_search()
    page.wait_for_selector(".facts .tag")
    assert page.inner_text(".facts .tag") == "finished early"
    page.click("[data-open]")
    page.wait_for_selector(".journal")
    assert "FinishAsked" in page.inner_text(".journal")


def test_cancel_ends_without_an_answer(operator, held):
    page = asked(operator, ON_THE_WEB)
    page.wait_for_selector("#steps li.call")
    page.click("text=Cancel")
    expect(page.locator(".left .empty")).to_contain_text("cancelled")
    operator.open("/console/requests?stop=TIMEOUT&cause=cancelled")
    page.locator("[data-row]").first.focus()
    page.keyboard.press("o")
    page.wait_for_url("**/console/r/*")
    assert "the caller went away or cancelled it" in page.inner_text("h1")


def test_a_question_that_is_not_one_is_refused_with_its_rule(operator):
    operator.open("/console/ask")
    operator.page.evaluate("document.querySelector('#question').removeAttribute('required')")
    operator.page.click("button.primary")
    operator.page.wait_for_selector(".refused")
    assert "question" in operator.page.inner_text(".refused")
