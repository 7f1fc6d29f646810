"""Replies: numbers, titles, spans and lists of sources, and the dialects as functions of one reply."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.chat.serving import events_of

from app.capabilities.answers.research import stopped
from app.capabilities.answers.research_input import ResearchInput
from app.capabilities.answers.research_models import ResultCitation
from app.chat.dialects.chat_completions import completion_chunks, completion_object
from app.chat.dialects.plain_chat import chat_reply, ending_events
from app.chat.dialects.responses_api import response_events, response_object
from app.chat.reply import (
    Reply,
    ReplySource,
    in_markdown,
    marker_spans,
    sources_block,
    sources_of,
    text_pieces,
    with_links,
)
from app.chat.source_page import source_page
from app.kernel.calls import Ended
from app.kernel.outcome import ResearchOutcome, SourceBundle, Verdict
from app.kernel.stops import Action, Cause, Signal, StopReason
from app.system.contract_files import read_contract

TEXTS = read_contract().actions.texts


def _source(number, title="A page", url="https://ex.example/a"):
    return ReplySource(number, title, url, "An excerpt.", None, url)


def _reply(text, *sources, action=Action.GROUNDED):
    return Reply("r-1", "research", action, text, sources, 1_763_370_000, asked_chars=40)


def _citation(title, locator):
    return ResultCitation(
        source="web", locator=locator, title=title, snippet=None, raw_excerpt="Something.", confidence=0.5
    )


def test_titles_differ_whatever_the_pages_are_called():
    result = _result_with(
        _citation("Home", "https://one.example/"),
        _citation("Home", "https://one.example/x"),
        _citation("Home", "https://two.example/"),
        _citation("Home", "doc:documents/a.md"),
        _citation("Home", "doc:documents/b.md"),
        _citation(None, "doc:documents/c.md"),
        _citation("Home (one.example)", "doc:documents/d.md"),
        _citation("a\n b", "doc:documents/e.md"),
    )
    titles = [source.title for source in sources_of(result)]
    assert titles == [
        "Home (one.example)",
        "Home (one.example) (2)",
        "Home (two.example)",
        "Home",
        "Home (2)",
        "doc:documents/c.md",
        "Home (one.example) (3)",
        "a b",
    ]


MARKUP = {"image", "link_open", "html_inline", "html_block"}
ACTIVE = [
    "It keeps ![x](//evil.example/p.png) in the dark. [1]",
    "The [cellar](javascript:alert(1)) is dry. [1]",
    "The <img src=//evil.example/p.png> cellar </b> <!-- is --> dry. [1]",
    "[![cellar](//evil.example/a.png)](//evil.example) [1]",
    "[1]: //evil.example\n\nThe cellar is dry. [1]",
    "[1](//evil.example) is dry. [1][2]",
    "\\[cellar](//evil.example) \\\\[cellar](//evil.example) \\<b> [1]",
    "The [cellar][1] and [1][cellar] are dry. [2]",
]


def _rendered(text):
    """The kinds of all tokens, and the text that is shown."""
    blocks = MarkdownIt("commonmark").parse(text)
    inline = [token for block in blocks for token in block.children or ()]
    shown = "".join(token.content for token in inline if token.type in ("text", "text_special"))
    return {token.type for token in (*blocks, *inline)}, shown


@pytest.mark.parametrize("text", ACTIVE)
def test_markup_of_a_source_is_shown_and_never_active(text):
    reply = with_links(_reply(text, _source(1), _source(2)), "https://chat.example")
    kinds, shown = _rendered(reply.text)
    assert not kinds & MARKUP
    assert shown.count("[") == text.count("[")
    assert all(reply.text[start:end] == f"[{source.number}]" for source, start, end in marker_spans(*_spans(reply)))


def _spans(reply):
    return reply.text, tuple(source for source in reply.sources if f"[{source.number}]" in reply.text)


@given(st.text(alphabet="[]()<>!\\:/ab1 \n`&;#", max_size=40))
def test_no_text_makes_an_image_a_link_or_a_tag(text):
    kinds, _ = _rendered(in_markdown(text))
    assert not kinds & MARKUP


def test_the_renderer_of_these_tests_sees_markup():
    assert sum(bool(_rendered(text)[0] & MARKUP) for text in ACTIVE) == 6


def _result_with(*citations):
    outcome = _outcome(StopReason.NO_SOURCE, Action.UNKNOWN)
    return stopped(ResearchInput(question="x"), outcome).model_copy(update={"citations": citations})


@pytest.mark.parametrize(
    "text",
    [
        "Plain words [1].",
        "\U0001f600 a family \U0001f468\u200d\U0001f469\u200d\U0001f467 before it [1] and [1] after",
        "e\u0301 combining [1]",
        "日本語のテキスト[1]。",
        "\U0001d518 [1]",
    ],
    ids=["plain", "emoji", "combining", "wide", "astral"],
)
def test_a_span_is_the_marker_in_code_points(text):
    ((_, start, end),) = marker_spans(text, (_source(1),))
    assert text[start:end] == "[1]"
    assert "[1]" not in text[: end - 1]
    message = completion_object(_reply(text, _source(1)), "m", with_block=True)["choices"][0]["message"]
    cited = message["annotations"][0]["url_citation"]
    assert message["content"][cited["start_index"] : cited["end_index"]] == "[1]"


def test_sources_keep_their_number_order_and_one_annotation_each():
    reply = _reply("Second [2], first [1], second again [2].", _source(1, "A"), _source(2, "B"))
    spans = [(source.number, reply.text[start:end]) for source, start, end in marker_spans(reply.text, reply.sources)]
    assert spans == [(1, "[1]"), (2, "[2]")]


def test_only_web_addresses_become_links_and_markdown_stays_text():
    block = sources_block(
        (
            _source(1, "A [b](https://evil.example) <i>", "https://ex.example/a_(b) c"),
            _source(2, "D", "javascript:alert(1)"),
            _source(3, "E", "doc:documents/e.md"),
        )
    )
    assert block.splitlines()[2:] == [
        "**Sources**",
        r"1. [A \[b\]\(https://evil.example\) \<i\>](https://ex.example/a_%28b%29%20c)",
        "2. D",
        "3. E",
    ]
    assert sources_block(()) == ""


@given(st.text(max_size=400))
def test_pieces_are_the_text(text):
    assert "".join(text_pieces(text)) == text


@given(st.text(alphabet="ab .!?[1]\n\"'", max_size=200))
def test_streams_say_what_the_objects_say(text):
    reply = _reply(text, _source(1))
    told = [
        data for _, data in _events(completion_chunks(reply, "m", with_block=True, with_usage=True)) if data != "[DONE]"
    ]
    whole = completion_object(reply, "m", with_block=True)
    spoken = "".join(one["choices"][0]["delta"].get("content", "") for one in told if one["choices"])
    assert spoken == whole["choices"][0]["message"]["content"]
    assert told[-1]["usage"] == whole["usage"]
    answered = [data for _, data in _events(response_events(reply, "m", with_block=True))]
    deltas = "".join(one["delta"] for one in answered if one["type"] == "response.output_text.delta")
    assert answered[-1]["response"] == response_object(reply, "m", with_block=True)
    assert deltas == answered[-1]["response"]["output"][0]["content"][0]["text"]
    assert [one["sequence_number"] for one in answered] == list(range(len(answered)))
    ended = _events(ending_events(reply, "c"))
    assert "".join(data["text"] for name, data in ended if name == "text") == chat_reply(reply, "c").text == text


def _events(pieces):
    return events_of(b"".join(pieces).decode())


def _outcome(stop, action):
    cause = next(iter(Cause))
    verdict = Verdict(stop=stop, action=action, signals=(Signal(reason=stop, cause=cause, limit=5, value=7),))
    facts = {"contract_version": "18.0.0", "sources": (), "withheld_source_ids": (), "digest": "0" * 64}
    bundle = SourceBundle(accepted_count=0, **facts)
    return ResearchOutcome(
        session_id="s-1",
        contract_version="18.0.0",
        capability="research",
        environment="dev",
        started_at_ms=1,
        elapsed_ms=1,
        verdict=verdict,
        text=TEXTS.of(action),
        bundle=bundle,
        outcomes=(),
        rejections=(),
        findings=(),
        gaps=(),
        spent_units=0,
        ended=Ended.STOPPED,
    )


@pytest.mark.ruling("R14")
@pytest.mark.clause("3.6")
@pytest.mark.parametrize("stop", [stop for stop in StopReason if stop is not StopReason.SUCCESS_COMPLETED])
def test_a_stop_of_every_kind_is_told_by_the_text_of_its_action_alone(stop):
    action = Action.ASK_CLARIFY if stop in (StopReason.NO_SOURCE, StopReason.VALIDATION_FAIL) else Action.BASELINE
    result = stopped(ResearchInput(question="What is it?"), _outcome(stop, action))
    reply = _reply(result.answer, *sources_of(result), action=action)
    shown = [
        json.dumps(completion_object(reply, "m", with_block=True)),
        json.dumps(response_object(reply, "m", with_block=True)),
        chat_reply(reply, "c").model_dump_json(),
        b"".join(completion_chunks(reply, "m", with_block=True, with_usage=True)).decode(),
        b"".join(response_events(reply, "m", with_block=True)).decode(),
        b"".join(ending_events(reply, "c")).decode(),
    ]
    assert result.answer == TEXTS.of(action)
    for one in shown:
        assert stop.value not in one
        assert next(iter(Cause)).value not in one
        assert "max_tool" not in one


def test_every_source_gets_an_address_that_a_browser_can_follow():
    reply = _reply(
        "A [1] [2] [3].",
        _source(1, url="https://ex.example/a"),
        _source(2, url="doc:documents/e.md"),
        _source(3, url="javascript:alert(1)"),
    )
    shown = with_links(reply, "http://localhost:8080")
    here = "http://localhost:8080/v1/research/r-1/sources"
    assert [one.url for one in shown.sources] == ["https://ex.example/a", f"{here}/2", f"{here}/3"]
    assert [one.locator for one in shown.sources] == [one.url for one in reply.sources]
    assert (shown.text, shown.request_id, shown.action) == (reply.text, reply.request_id, reply.action)


def test_the_page_of_a_source_holds_text_alone():
    evil = "</blockquote><script>alert(1)</script>"
    page = source_page(ReplySource(1, evil, "u", f"{evil} & more", None, f"javascript:{evil}")).decode()
    assert "<script" not in page
    assert "href" not in page
    assert page.count("</blockquote>") == 1
    assert "&amp; more" in page
    assert 'href="https://ex.example/a?b&amp;c"' in source_page(_source(1, url="https://ex.example/a?b&c")).decode()
