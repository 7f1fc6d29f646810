"""The border of the console over real sockets: cookies, forms from elsewhere, tenants, keys that are revoked."""

from __future__ import annotations

import re

import httpx2
import pytest

from app.system.settings import Settings
from app.wiring.key_guard import open_key_store
from tests.chat.serving import make_key, served

OPERATOR = ("chat", "operator")
QUESTION = "How long should sourdough proof in the fridge?"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Two processes, so that nothing of a browser may stand in the memory of one."""
    with served(tmp_path_factory.mktemp("console"), "--workers", "2") as one:
        yield one


@pytest.fixture
def browser(server):
    with httpx2.Client(base_url=server.url, timeout=60) as client:
        yield client


def sign_in(client, key, **more):
    return client.post("/console/sign-in", data={"key": key, "next": "/console/requests"}, **more)


def token_of(client, path="/console/policy"):
    return re.search(r'name="token" value="([^"]+)"', client.get(path).text)[1]


@pytest.fixture
def operator(server, browser):
    sign_in(browser, make_key(server.data, "operator", scopes=OPERATOR))
    return browser


def test_the_cookie_is_for_this_console_alone(server, browser):
    said = sign_in(browser, make_key(server.data, "operator", scopes=OPERATOR))
    assert (said.status_code, said.headers["location"]) == (303, "/console/requests")
    cookie = said.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/console"} <= set(cookie.split("; ")[1:])
    assert "Secure" not in cookie
    assert len(re.match(r"portcullis_console=([\w-]+)", cookie)[1]) >= 43
    assert "pck_" not in cookie
    origin = {"Origin": server.url.replace("http:", "https:")}  # a proxy that speaks TLS
    assert (
        "Secure" in sign_in(browser, make_key(server.data, "o2", scopes=OPERATOR), headers=origin).headers["set-cookie"]
    )


def test_every_answer_below_the_console_has_a_content_policy(operator):
    for path in ("/console", "/console/ask", "/console/requests", "/console/static/console.css", "/console/nowhere"):
        for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "QUERY"):
            said = operator.request(method, path)
            assert said.headers["content-security-policy"].startswith("default-src 'none'"), (method, path)
            if said.status_code == 405:
                assert said.headers["allow"], (method, path)


@pytest.mark.parametrize(("scopes", "status"), [(("chat",), 403), (("admin",), 403), (("operator",), 303)])
def test_only_the_scope_of_an_operator_opens_it(server, browser, scopes, status):
    said = sign_in(browser, make_key(server.data, "someone", scopes=scopes))
    assert said.status_code == status
    assert ("set-cookie" in said.headers) is (status == 303)


@pytest.mark.parametrize("key", ["", "x" * 500, "pck_aaaaaaaaaaaa_" + "b" * 43, "\u202e'\"><script>"])
def test_a_wrong_key_is_refused_and_never_echoed(browser, key):
    said = sign_in(browser, key)
    assert said.status_code == 401
    assert not key or key not in said.text


def test_nobody_sees_a_page_without_signing_in(browser):
    for path in ("", "/ask", "/requests", "/r/x", "/r/x/journal.jsonl", "/diff", "/policy", "/what-if", "/health",
                 "/ask/x/events", "/ask/estimate", "/nothing"):  # fmt: skip
        said = browser.get(f"/console{path}")
        assert (said.status_code, said.headers["location"].partition("?")[0]) == (303, "/console/sign-in"), path
    for path in ("/ask", "/what-if", "/r/x/replay", "/ask/x/finish", "/ask/x/cancel", "/sign-out"):
        assert browser.post(f"/console{path}", data={}).status_code == 303, path


def test_a_key_in_a_header_does_not_open_the_console(server, browser):
    key = make_key(server.data, "operator", scopes=OPERATOR)
    assert browser.get("/console/requests", headers={"Authorization": f"Bearer {key}"}).status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_from_elsewhere_changes_nothing(server, operator, headers):
    token = token_of(operator)
    for path in ("/ask", "/sign-out", "/what-if", "/theme"):
        said = operator.post(f"/console{path}", data={"token": token, "question": QUESTION}, headers=headers)
        assert said.status_code == 403, path
    assert sign_in(operator, make_key(server.data, "o3", scopes=OPERATOR), headers=headers).status_code == 403
    assert operator.get("/console/policy").status_code == 200


@pytest.mark.parametrize("token", ["", "wrong", "\u00e9"])
def test_a_form_without_its_token_changes_nothing(operator, token):
    for path in ("/ask", "/sign-out", "/what-if"):
        assert operator.post(f"/console{path}", data={"token": token, "question": QUESTION}).status_code == 403


def test_a_token_is_that_of_one_browser(server, operator):
    with httpx2.Client(base_url=server.url, timeout=60) as other:
        sign_in(other, make_key(server.data, "second", scopes=OPERATOR))
        assert operator.post("/console/sign-out", data={"token": token_of(other)}).status_code == 403


def test_forms_are_small_and_of_their_kind(operator):
    token = token_of(operator)
    assert operator.post("/console/ask", data={"token": token, "question": "x" * 70_000}).status_code == 413
    assert operator.post("/console/ask", json={"token": token}).status_code == 415
    assert operator.post("/console/ask", data={f"f{number}": "" for number in range(100)}).status_code == 400


def test_every_answer_carries_the_policy(operator):
    for path in ("/policy", "/sign-in", "/static/console.css", "/r/none", "/ask/estimate"):
        headers = operator.get(f"/console{path}").headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy, path
        assert "default-src 'none'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/v1/models",
        "/console/../v1",
        "/console//x",
        "javascript:1",
    ],
)
def test_signing_in_leads_nowhere_else(server, browser, target):
    key = make_key(server.data, "operator", scopes=OPERATOR)
    said = browser.post("/console/sign-in", data={"key": key, "next": target})
    assert said.headers["location"] == "/console"


def test_signing_out_and_a_revoked_key_end_it_in_every_process(server, browser):
    key = make_key(server.data, "leaving", scopes=OPERATOR)
    sign_in(browser, key)
    assert {browser.get("/console/policy").status_code for _ in range(8)} == {200}
    keys = open_key_store(Settings(data_dir=server.data))
    keys.revoke(key.split("_")[1])
    assert {browser.get("/console/policy").status_code for _ in range(8)} == {303}
    sign_in(browser, make_key(server.data, "staying", scopes=OPERATOR))
    with httpx2.Client(base_url=server.url, timeout=60, cookies=dict(browser.cookies)) as same:
        assert same.get("/console/policy").status_code == 200
        browser.post("/console/sign-out", data={"token": token_of(browser)})
        assert {same.get("/console/policy").status_code for _ in range(8)} == {303}


def test_another_tenants_sessions_are_not_there(server, operator):
    with server.client("ann", tenant="elsewhere") as ann:
        ann.post("/v1/capabilities/ask_documents", json={"question": QUESTION})
    with httpx2.Client(base_url=server.url, timeout=60) as other:
        sign_in(other, make_key(server.data, "operator", tenant="elsewhere", scopes=OPERATOR))
        (session,) = set(re.findall(r"/console/r/([0-9a-f-]{36})", other.get("/console/requests").text))
        assert other.get(f"/console/r/{session}").status_code == 200
    token = token_of(operator)
    for path in ("", "/journal.jsonl", "/receipt.json", "/bundle.json"):
        assert operator.get(f"/console/r/{session}{path}").status_code == 404, path
    assert operator.post(f"/console/r/{session}/replay", data={"token": token}).status_code == 404
    assert operator.get(f"/console/diff?a={session}&b={session}").status_code == 404
    assert operator.get(f"/console/requests?peek={session}").status_code == 404
    assert session not in operator.get("/console/requests").text


def test_a_question_can_be_followed_from_any_process(operator):
    token = token_of(operator)
    said = operator.post("/console/ask", data={"token": token, "question": QUESTION, "documents": "on"})
    assert said.status_code == 303
    place = said.headers["location"]
    for _ in range(6):  # connections go to either process
        with httpx2.Client(base_url=operator.base_url, timeout=60, cookies=dict(operator.cookies)) as client:
            assert "event: end" in client.get(f"{place}/events").text
            page = client.get(place).text
        assert "SUCCESS_COMPLETED" in page
        assert "re-cut ok" in page
        assert QUESTION in page


def test_a_key_that_may_only_look_asks_nothing(server, browser):
    sign_in(browser, make_key(server.data, "auditor", scopes=("operator",)))
    token = token_of(browser)
    assert browser.get("/console/ask").status_code == 200
    for path in ("/ask", "/ask/x/finish", "/ask/x/cancel"):
        said = browser.post(f"/console{path}", data={"token": token, "question": QUESTION})
        assert (said.status_code, "may look and not ask" in said.text) == (403, True), path


@pytest.mark.parametrize("rules", ["", "{", "[]", "{}", '{"rules": [1]}', "\u202e"])
def test_rules_that_are_none_are_told_on_the_page(operator, rules):
    given = {"token": token_of(operator), "tried": "rules_text", "rules_text": rules, "window": "20"}
    said = operator.post("/console/what-if", data=given)
    assert (said.status_code, 'role="alert"' in said.text) == (400, True)


def test_hidden_characters_of_a_question_are_written_out(operator):
    asked = "How long \u202eis bread proofed?"
    assert operator.post("/console/ask", data={"token": token_of(operator), "question": asked}).status_code == 303
    for page in ("/console/ask", "/console/ask?question=%E2%80%AEx"):
        assert "\u202e" not in operator.get(page).text
