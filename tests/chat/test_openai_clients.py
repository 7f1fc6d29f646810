"""OpenAI's own Python library against the real server: chat completions and responses, plain and streamed."""

from __future__ import annotations

import base64
import json
import re

import httpx2
import openai
import pytest

from app.system.settings import Settings
from app.wiring import open_archive
from tests.chat.scripted_server import ANSWER, CANARY, GROUNDED
from tests.chat.serving import SCRIPTED, bearer, events_of, make_key, served

RESEARCH, BASELINE = "portcullis-research", "portcullis-baseline"
BLOCK = "**Sources**\n1. [The ferry]"
LOCATOR = "doc:documents/ferry.md#0-90"
ABSENT = "What does the absent ferry cost?"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("openai"), program=SCRIPTED) as one:
        yield one


@pytest.fixture(scope="module")
def client(server):
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=make_key(server.data), max_retries=0) as one:
        yield one


def _said(question):
    return [{"role": "user", "content": question}]


def _anyones(value):
    """What was said, without the id of the request that stands in the addresses of its sources."""
    return re.sub(r"research/[0-9a-f-]{36}/", "research/ID/", json.dumps(value, sort_keys=True))


def _sessions(server):
    return len(list(open_archive(Settings(data_dir=server.data)).sessions(1_000)))


def test_the_models_are_listed(client):
    assert [model.id for model in client.models.list()] == [RESEARCH, BASELINE]
    assert client.models.retrieve(RESEARCH).owned_by == "portcullis"
    with pytest.raises(openai.NotFoundError) as refused:
        client.models.retrieve("gpt-9")
    assert refused.value.code == "model_not_found"


def test_a_completion_has_its_citations_three_ways(server, client):
    reply = client.chat.completions.create(
        model=RESEARCH, messages=_said(GROUNDED), temperature=0.2, user="u", tools=[]
    )
    (choice,) = reply.choices
    text = choice.message.content
    assert (choice.finish_reason, choice.message.refusal) == ("stop", None)
    (annotation,) = choice.message.annotations
    cited = annotation.url_citation
    shown = f"{server.url}/v1/research/{reply.id.removeprefix('chatcmpl-')}/sources/1"
    assert text.endswith(f"{BLOCK}({shown})")
    assert (annotation.type, cited.url, cited.title) == ("url_citation", shown, "The ferry")
    assert text[cited.start_index : cited.end_index] == "[1]"
    assert reply.citations == [shown]
    (found,) = reply.search_results
    assert (found["url"], found["evidence"]["locator"]) == (shown, LOCATOR)
    assert ANSWER in found["snippet"]
    assert found["evidence"]["end"] - found["evidence"]["start"] == len(found["snippet"])
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0
    assert reply._request_id == reply.id.removeprefix("chatcmpl-")


def test_a_streamed_completion_is_the_same(client):
    whole = client.chat.completions.create(model=RESEARCH, messages=_said(GROUNDED))
    stream = client.chat.completions.create(
        model=RESEARCH, messages=_said(GROUNDED), stream=True, stream_options={"include_usage": True}
    )
    chunks = list(stream)
    *spoken, ended, usage = chunks
    assert spoken[0].citations == ended.citations
    assert _anyones(spoken[0].citations) == _anyones(whole.citations)
    assert spoken[0].search_results == ended.search_results
    assert _anyones(ended.search_results) == _anyones(whole.search_results)
    assert spoken[0].choices[0].delta.role == "assistant"
    said = "".join(chunk.choices[0].delta.content or "" for chunk in spoken)
    assert _anyones(said) == _anyones(whole.choices[0].message.content)
    annotated = [one for chunk in spoken for one in getattr(chunk.choices[0].delta, "annotations", None) or []]
    assert _anyones(annotated) == _anyones([one.model_dump() for one in whole.choices[0].message.annotations])
    assert ended.choices[0].finish_reason == "stop"
    assert (usage.choices, usage.usage.prompt_tokens) == ([], whole.usage.prompt_tokens)
    first_text = next(place for place, chunk in enumerate(chunks) if chunk.choices[0].delta.content)
    last_note = max(place for place, chunk in enumerate(spoken) if hasattr(chunk.choices[0].delta, "annotations"))
    assert last_note < first_text


def test_responses_have_flat_annotations_plain_and_streamed(client):
    whole = client.responses.create(model=RESEARCH, input=GROUNDED, reasoning={"effort": "low"})
    assert (whole.status, whole.error) == ("completed", None)
    (part,) = whole.output[0].content
    (cited,) = part.annotations
    assert cited.type == "url_citation"
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1/research/[0-9a-f-]{36}/sources/1", cited.url)
    assert part.text[cited.start_index : cited.end_index] == "[1]"
    with client.responses.stream(model=RESEARCH, input=_said(GROUNDED)) as stream:
        events = list(stream)
        final = stream.get_final_response()
    assert _anyones(final.output_text) == _anyones(whole.output_text)
    assert _anyones(final.output[0].content[0].annotations[0].model_dump()) == _anyones(cited.model_dump())
    assert [event.sequence_number for event in events] == sorted(event.sequence_number for event in events)
    kinds = [event.type for event in events]
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert "response.output_text.annotation.added" in kinds


def _cited(server, key, question=GROUNDED, **headers):
    body = {"model": RESEARCH, "messages": _said(question)}
    reply = httpx2.post(f"{server.url}/v1/chat/completions", json=body, headers={**bearer(key), **headers}, timeout=60)
    return reply.json()["citations"][0]


def test_the_link_of_a_document_shows_its_excerpt_to_a_browser_with_the_key(server):
    key = make_key(server.data, "reader")
    link = _cited(server, key)
    html = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}

    def basic(text):
        return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}

    first = httpx2.get(link, headers=html)
    assert (first.status_code, first.headers["www-authenticate"]) == (401, 'Basic realm="portcullis"')
    assert first.headers["content-type"].startswith("text/html")
    assert "needs your key" in first.text
    for given in (basic(f"anybody:{key}"), bearer(key)):
        page = httpx2.get(link, headers={**html, **given})
        assert page.status_code == 200
        assert ANSWER in page.text
        assert LOCATOR in page.text
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["cache-control"] == "no-store"
    for wrong in (f"anybody:{key[:-1]}", key, ":", "x:y"):
        assert httpx2.get(link, headers={**html, **basic(wrong)}).status_code == 401
    assert httpx2.get(link, headers={**html, **basic(f"a:{make_key(server.data, 'bea')}")}).status_code == 404
    # A browser sends the password by itself from then on: it opens this page and nothing else.
    for path in ("/v1/models", "/v1/research/x", "/metrics", "/openapi.json"):
        assert httpx2.get(f"{server.url}{path}", headers=basic(f"a:{key}")).status_code in (401, 200), path
    assert httpx2.get(f"{server.url}/v1/models", headers=basic(f"a:{key}")).status_code == 401
    program = httpx2.get(link, headers=bearer(key)).json()
    assert (program["url"], program["number"]) == (LOCATOR, 1)
    unnamed = httpx2.get(link)
    assert (unnamed.status_code, unnamed.headers["www-authenticate"]) == (401, 'Bearer realm="portcullis"')


def test_links_name_the_host_that_the_client_named(server, tmp_path):
    key = make_key(server.data, "hosts")
    port = server.url.rpartition(":")[2]
    assert _cited(server, key, Host=f"localhost:{port}").startswith(f"http://localhost:{port}/v1/research/")
    with served(tmp_path, "--env", "staging", "--name", "chat.example.org", program=SCRIPTED) as one:
        key = make_key(one.data, "hosts")
        assert _cited(one, key, Host="chat.example.org").startswith("https://chat.example.org/v1/research/")
        assert _cited(one, key, Host="chat.example.org:9000").startswith("http://chat.example.org:9000/v1/research/")
        forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher"}
        assert _cited(one, key, Host="chat.example.org", **forged).startswith("https://chat.example.org/")


@pytest.mark.parametrize(
    "sent_back",
    [
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "42"},
        {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "42"}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]},
        {"type": "item_reference", "id": "msg_1"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"}},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}, {"type": "output_text", "text": "a"}]},
        {"type": "mcp_call", "role": None, "content": {"any": ["thing"]}},
    ],
    ids=lambda item: item.get("type", "message"),
)
def test_what_an_agent_sends_back_on_its_second_turn_is_accepted(server, sent_back):
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key=make_key(server.data, "agent"), max_retries=0)
    reply = client.responses.create(model=RESEARCH, input=[*_said(GROUNDED), sent_back])
    assert ANSWER in reply.output_text


def test_nothing_but_comments_stands_before_the_verdict(server):
    body = {"model": RESEARCH, "messages": _said("How briefly does the ferry cross the sound?"), "stream": True}
    headers = bearer(make_key(server.data, "slow"))
    with httpx2.stream("POST", f"{server.url}/v1/chat/completions", json=body, headers=headers, timeout=60) as stream:
        lines = [line for line in stream.iter_lines() if line]
    first = next(place for place, line in enumerate(lines) if line.startswith("data: "))
    assert first > 1
    assert all(line.startswith(":") for line in lines[:first])
    assert "citations" in json.loads(lines[first].removeprefix("data: "))
    assert lines[-1] == "data: [DONE]"


def test_the_list_of_sources_can_be_left_out(server, client):
    for quiet in (
        client.chat.completions.create(model=RESEARCH, messages=_said(GROUNDED), extra_body={"sources_block": False}),
        openai.OpenAI(
            base_url=f"{server.url}/v1", api_key=make_key(server.data, "chips", sources_block=False)
        ).chat.completions.create(model=RESEARCH, messages=_said(GROUNDED)),
    ):
        assert "Sources" not in quiet.choices[0].message.content
        assert quiet.choices[0].message.annotations


def test_the_last_message_of_the_user_is_the_question(client):
    turns = [*_said(ABSENT), {"role": "assistant", "content": "Something else."}, *_said(GROUNDED)]
    assert ANSWER in client.chat.completions.create(model=RESEARCH, messages=turns).choices[0].message.content
    parts = [{"role": "user", "content": [{"type": "text", "text": GROUNDED}, {"type": "image_url"}]}]
    assert ANSWER in client.chat.completions.create(model=RESEARCH, messages=parts).choices[0].message.content


@pytest.mark.ruling("R6")
def test_messages_tell_whether_the_last_answer_asked_to_clarify(client):
    first = client.chat.completions.create(model=RESEARCH, messages=_said(ABSENT)).choices[0].message.content
    assert first.startswith("I couldn't find reliable sources")
    turns = [*_said(ABSENT), {"role": "assistant", "content": first}, *_said(ABSENT)]
    again = client.chat.completions.create(model=RESEARCH, messages=turns).choices[0].message.content
    assert again == "No sources are available for this request."


@pytest.mark.ruling("R6")
def test_a_named_conversation_is_believed_before_the_messages(client):
    named = {"X-OpenWebUI-Chat-Id": "chat-7"}

    def asked(*turns):
        reply = client.chat.completions.create(model=RESEARCH, messages=list(turns), extra_headers=named)
        return reply.choices[0].message.content

    clarify = asked(*_said(ABSENT))
    assert asked(*_said(ABSENT)) == "No sources are available for this request."
    # The stored conversation says that the last answer was another one, whatever the messages say.
    assert asked(*_said(ABSENT), {"role": "assistant", "content": clarify}, *_said(ABSENT)) == clarify


@pytest.mark.ruling("R6")
def test_a_conversation_may_be_named_in_the_body(client):
    named = {"conversation_id": "body-1"}
    asked = [client.responses.create(model=RESEARCH, input=ABSENT, extra_body=named).output_text for _ in range(2)]
    again = client.chat.completions.create(model=RESEARCH, messages=_said(ABSENT), extra_body=named)
    assert asked[0].startswith("I couldn't find")
    assert asked[1] == "No sources are available for this request."
    assert again.choices[0].message.content == asked[0]
    odd = {"conversation_id": "no name!"}
    assert client.responses.create(model=RESEARCH, input=ABSENT, extra_body=odd).output_text == asked[0]


def test_depth_and_domains_are_read_and_an_offered_tool_is_not_called(server, client):
    more = {"search_domain_filter": ["-blog.example"], "web_search_options": {"search_context_size": "low"}}
    reply = client.chat.completions.create(model=RESEARCH, messages=_said(GROUNDED), extra_body=more)
    assert ANSWER in reply.choices[0].message.content
    only = {"search_domain_filter": ["museum.example"]}
    elsewhere = client.chat.completions.create(model=RESEARCH, messages=_said(GROUNDED), extra_body=only)
    assert not elsewhere.choices[0].message.annotations
    wrong = {"search_domain_filter": ["not a host!"]}
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model=RESEARCH, messages=_said(GROUNDED), extra_body=wrong)
    tool = {"type": "web_search", "search_context_size": "high", "filters": {"allowed_domains": ["museum.example"]}}
    assert not client.responses.create(model=RESEARCH, input=GROUNDED, tools=[tool]).output[0].content[0].annotations


def test_a_baseline_calls_nothing(server, client):
    before = _sessions(server)
    reply = client.chat.completions.create(model=BASELINE, messages=_said(GROUNDED))
    assert reply.choices[0].message.content.startswith("No language model for general answers")
    assert (reply.citations, reply.choices[0].message.annotations) == ([], [])
    assert _sessions(server) == before


AUXILIARY = (
    "### Task:\nName this conversation in three to five words, with an emoji in front.\n"
    '### Output:\nJSON: { "title": "your title" }\n### Chat History:\n<chat_history>\nUSER: ferry\n</chat_history>',
    "### Task:\nGive one to three broad tags for the subjects of the chat below, and one to three narrower ones.\n"
    '### Output:\nJSON: { "tags": ["one", "two"] }',
    "### Task:\nPropose a few questions that the user could put next.\n### Output:\n"
    'JSON: { "follow_ups": ["Question 1?"] }',
    "### Task:\nDecide whether a look-up is needed, and write its search words.\n### Chat History:\nUSER: ferry",
    "### Task:\nGo on with the text that the user is typing.\n### Context:\nWhat does the fer",
    "Sum up this conversation as a short title. " + "USER: How long does the ferry take? " * 14,
)


@pytest.mark.parametrize("prompt", AUXILIARY, ids=["title", "tags", "follow-ups", "queries", "autocomplete", "long"])
def test_prompts_of_user_interfaces_call_no_tool_and_change_no_conversation(server, client, prompt):
    named = {"X-OpenWebUI-Chat-Id": f"aux{abs(len(prompt))}"}
    first = client.chat.completions.create(model=RESEARCH, messages=_said(ABSENT), extra_headers=named)
    before = _sessions(server)
    reply = client.chat.completions.create(model=RESEARCH, messages=_said(prompt), extra_headers=named)
    streamed = client.chat.completions.create(model=RESEARCH, messages=_said(prompt), stream=True)
    assert "[1]" not in reply.choices[0].message.content + "".join(
        chunk.choices[0].delta.content or "" for chunk in streamed if chunk.choices
    )
    assert _sessions(server) == before
    if prompt.startswith("### Task:"):
        after = client.chat.completions.create(model=RESEARCH, messages=_said(ABSENT), extra_headers=named)
        assert first.choices[0].message.content.startswith("I couldn't find")
        assert after.choices[0].message.content == "No sources are available for this request."


def test_open_webui_gets_progress_and_excerpts_where_the_key_says_so(server):
    body = {"model": RESEARCH, "messages": _said(GROUNDED), "stream": True}

    def told(key):
        reply = httpx2.post(f"{server.url}/v1/chat/completions", json=body, headers=bearer(key), timeout=60)
        return [data for _, data in events_of(reply.text) if data != "[DONE]"]

    ordinary = told(make_key(server.data, "plain"))
    assert not any("event" in one for one in ordinary)
    theirs = told(make_key(server.data, "webui", dialect="openwebui"))
    kinds = [one["event"]["type"] for one in theirs if "event" in one]
    assert kinds[0] == "status"
    (source,) = [one["event"]["data"] for one in theirs if one.get("event", {}).get("type") == "source"]
    assert ANSWER in source["document"][0]
    assert not any("annotations" in one["choices"][0]["delta"] for one in theirs if one.get("choices"))
    assert "doc_lookup" not in json.dumps(theirs)


def test_errors_are_those_that_the_library_knows(server, client):
    with pytest.raises(openai.AuthenticationError) as refused:
        openai.OpenAI(base_url=f"{server.url}/v1", api_key="pck_000000000000_wrong").models.list()
    assert refused.value.code == "invalid_api_key"
    with pytest.raises(openai.PermissionDeniedError) as refused:
        openai.OpenAI(
            base_url=f"{server.url}/v1", api_key=make_key(server.data, "adm", scopes=("admin",))
        ).models.list()
    assert refused.value.code == "permission_denied"
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model=RESEARCH, messages=[])
    assert (refused.value.code, refused.value.param) == ("invalid_request_error", "messages")
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model=RESEARCH, messages=_said(f"{CANARY}\x00"))
    assert CANARY not in str(refused.value)
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model=RESEARCH, input="x")


def test_a_key_above_its_limit_is_told_when_to_come_again(server):
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key=make_key(server.data, "busy"), max_retries=0) as busy:
        first = busy.models.with_raw_response.list()
        assert first.headers["x-ratelimit-limit-requests"] == "240"
        assert first.headers["x-ratelimit-remaining-requests"] == "239"
        for _ in range(239):
            busy.models.list()
        with pytest.raises(openai.RateLimitError) as refused:
            busy.models.list()
    told = refused.value.response.headers
    assert (refused.value.code, refused.value.type) == ("rate_limit_exceeded", "rate_limit_error")
    assert told["x-ratelimit-remaining-requests"] == "0"
    assert int(told["retry-after-ms"]) == 1000 * int(told["retry-after"]) > 0


def test_the_choice_of_a_tool_by_open_webui_calls_no_tool(server, client):
    """Its system prompt lists tools; the message is made from the history."""
    above = {
        "role": "system",
        "content": "Available Tools: []\n\nYour task is to choose and return the correct tool(s)",
    }
    before = _sessions(server)
    for query in (f"Query: {GROUNDED}", f'History:\nUSER: """{GROUNDED}"""\nQuery: {GROUNDED}'):
        told = [above, {"role": "user", "content": query}]
        assert "[1]" not in client.chat.completions.create(model=RESEARCH, messages=told).choices[0].message.content
        assert "[1]" not in client.responses.create(model=RESEARCH, input=told).output_text
    assert _sessions(server) == before
