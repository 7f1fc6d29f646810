"""The table, the peek panel, one request, two of them, replay, what-if and health, by mouse and by keys."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect


def test_filters_stand_in_the_address_with_counts(operator):
    page = operator.page
    operator.open("/console/requests")
    total = int(page.inner_text(".table-head b"))
    row = page.locator(".filters li a", has_text="INJECTION_DETECTED")
    count = int(row.locator(".count").inner_text())
    row.click()
    page.wait_for_url("**stop=INJECTION_DETECTED**")
    assert page.locator("[data-row]").count() == count == 2
    assert set(page.locator(".rows .chip").all_inner_texts()) == {"INJECTION_DETECTED"}
    page.reload()
    assert page.locator("[data-row]").count() == 2
    page.click("text=Clear filters")
    page.wait_for_url("**/console/requests")
    assert int(page.inner_text(".table-head b")) == total >= 30
    stops = page.locator(".filters section").first.locator("li").all_inner_texts()
    assert len(stops) == 11  # every stop reason of the contract


def test_words_of_a_question_are_found(operator):
    page = operator.page
    operator.open("/console/requests")
    page.keyboard.press("/")
    page.keyboard.type("king of denmark")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=king**")
    assert page.locator("[data-row]").count() == 1
    operator.open("/console/requests?q=nobody+asked+this")
    assert "No request matches" in page.inner_text(".empty")


def test_j_and_k_move_and_enter_looks_beside_the_table(operator):
    page = operator.page
    operator.open("/console/requests")
    titles = page.locator("[data-row]").all_inner_texts()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.innerText") == titles[1]
    page.keyboard.press("Enter")
    page.wait_for_selector(".peek")
    assert page.inner_text(".peek h2") == titles[1]
    page.keyboard.press("j")
    expect(page.locator(".peek h2")).to_have_text(titles[2])
    assert page.locator(".rows [data-row]").count() == len(titles)
    page.keyboard.press("Escape")
    page.wait_for_selector(".peek", state="detached")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def test_a_request_shows_its_calls_in_plan_order_and_its_excerpts(operator, demo):
    page = operator.page
    operator.open(f"/console/r/{demo.ids['web']}")
    calls = page.locator(".waterfall .call")
    assert calls.count() >= 4
    labels = page.locator(".waterfall .label").all_text_contents()
    assert labels[0] == "services · searxng"
    assert any(label.startswith("scrape_page · kelder-power.example") for label in labels)
    assert page.locator(".waterfall .border").count() >= 1
    assert page.locator(".waterfall .deadline").count() == 1
    boxes = [box for box in (one.bounding_box() for one in page.locator(".waterfall .filled").all()) if box]
    assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes)
    assert "240 megawatts" in page.inner_text(".source mark >> nth=0")
    assert page.locator(".source.broken").count() == 0
    calls.nth(1).click()
    page.wait_for_url("**step=*")
    assert "query" in page.inner_text("#step .pairs")
    assert page.locator(".call.selected").count() == 1


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "rate",
            r"RATE_LIMITED: the next batch would make 4 calls in 60 s, and 3 are allowed; next free \d\d:\d\d:\d\d",
        ),
        ("budget", r"BUDGET_EXHAUSTED: the next batch would bring the spend to 1 unit, and 0 are allowed"),
        ("injected", r"INJECTION_DETECTED.*: an instruction was found in what call .* brought back"),
        ("sandbox", r"SANDBOX_VIOLATION: a destination that is forbidden"),
        ("tier", r"ENTITLEMENT_CAP: the tier of the caller"),
        ("collection", r"ENTITLEMENT_CAP: the caller has no access to the collection"),
        ("disabled", r"POLICY_DISABLED: research is switched off"),
        ("invalid", r"VALIDATION_FAIL: 1 candidate came back and none was accepted"),
        ("none", r"NO_SOURCE: no stop condition held"),
        ("broken", r"INTERNAL_INCONSISTENCY: "),
    ],
)
def test_the_sentence_says_why_it_stopped(operator, demo, name, sentence):
    operator.open(f"/console/r/{demo.ids[name]}")
    assert re.match(sentence, operator.page.inner_text("h1"))


def test_findings_name_the_blocked_page_and_file(operator, demo):
    page = operator.page
    operator.open(f"/console/r/{demo.ids['injected']}?tab=findings")
    assert "https://tidewatch-blog.example/posts/best-power-plants" in page.inner_text(".finding .where >> nth=0")
    assert "previous instructions" in page.inner_text(".finding .inert >> nth=0")
    operator.open(f"/console/r/{demo.ids['poisoned document']}")
    assert "doc:documents/oven-notes.md" in page.inner_text(".finding .where >> nth=0")


def test_the_receipt_is_copied_and_everything_is_downloaded(operator, demo):
    page, session = operator.page, demo.ids["success"]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=demo.url)
    operator.open(f"/console/r/{session}?tab=receipt")
    page.click("[data-copy]")
    expect(page.locator("#copied")).to_have_text("Copied")
    assert json.loads(page.evaluate("navigator.clipboard.readText()"))["session_id"] == session
    with page.expect_download() as journal:
        page.click(".tools >> text=Journal")
    lines = journal.value.path().read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["facts"]["session_id"] == session
    with page.expect_download() as bundle:
        page.click(".tools >> text=Bundle")
    assert json.loads(bundle.value.path().read_text(encoding="utf-8"))["bundle"]["accepted_count"] >= 1


def test_brackets_lead_to_the_neighbours_and_escape_back(operator, demo):
    page = operator.page
    operator.open(f"/console/r/{demo.ids['success']}")
    page.keyboard.press("]")
    page.wait_for_url(f"**/r/{demo.ids['first']}")
    page.keyboard.press("[")
    page.wait_for_url(f"**/r/{demo.ids['success']}")
    page.keyboard.press("Escape")
    page.wait_for_url("**/console/requests")


def test_two_requests_side_by_side(operator, demo):
    page = operator.page
    operator.open(f"/console/r/{demo.ids['success']}")
    page.click("text=Compare")
    page.wait_for_url("**/diff?a=*")
    page.locator(".recent a").first.click()  # the one that asked the same
    page.wait_for_selector(".diff")
    assert page.inner_text("h1").startswith("The same stop; 0 of")
    operator.open(f"/console/diff?a={demo.ids['success']}&b={demo.ids['web']}")
    changes = set(page.locator(".change").all_inner_texts())
    assert {"same", "changed", "gone", "added"} <= changes


def test_replay_says_that_it_is_not_live(operator, demo):
    operator.open(f"/console/r/{demo.ids['web']}")
    operator.page.keyboard.press("r")
    operator.page.wait_for_selector("#replayed")
    told = operator.page.inner_text("#replayed")
    assert "Replay, not live." in told
    assert "identical" in told
    assert "pages derived again" in told


def test_what_if_counts_the_stops_that_change(operator):
    page = operator.page
    operator.open("/console/what-if?tier=MAX&environment=dev")
    page.fill("#f-max_tool_calls_total", "1")
    page.fill("#f-budget_units_clamp", "30")
    page.click(".caps-form .primary")
    page.wait_for_selector(".headline", timeout=60_000)
    changed, of = map(int, re.findall(r"\d+", page.inner_text(".headline")))
    assert 1 <= changed < of
    assert "Replay, not live." in page.inner_text(".right")
    page.locator(".right tbody a").first.click()
    page.wait_for_selector(".waterfall, .left .empty")


def test_what_if_names_a_cap_that_cannot_be(operator):
    page = operator.page
    operator.open("/console/what-if")
    page.fill("#f-per_call_timeout_ms", "0")
    page.click(".caps-form .primary")
    page.wait_for_selector(".error")
    assert "out of range" in page.inner_text(".error")
    assert page.input_value("#f-per_call_timeout_ms") == "0"


def test_a_bar_of_stops_leads_to_its_requests(operator):
    page = operator.page
    operator.open("/console/health")
    assert page.inner_text("h1") == "Questions can be answered."
    page.locator(".bars a[aria-label*=RATE_LIMITED]").first.click(force=True)
    page.wait_for_url("**stop=RATE_LIMITED**")
    assert page.locator("[data-row]").count() == 1
    assert "searxng" in (operator.open("/console/health"), page.inner_text("#providers"))[1]


def test_policy_shows_the_caps_that_rule(operator):
    operator.open("/console/policy")
    rows = operator.page.locator(".caps tbody tr").all_inner_texts()
    assert len(rows) == 9
    assert any(row.split() == ["PRO", "prod", "5", "10", "5,000", "15,000", "500"] for row in rows)


def test_the_theme_is_kept(operator):
    page = operator.page
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click(".theme button")
    page.wait_for_selector("html[data-theme=dark]")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    operator.open("/console/policy")
    assert page.locator("html[data-theme=dark]").count() == 1
