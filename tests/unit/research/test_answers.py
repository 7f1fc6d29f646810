"""The end of a call, taken down: what counts as output, and what the record names of it."""

from __future__ import annotations

import pytest
from tests.fixtures.scripted import TOOLS, raw_item

from app.kernel.calls import ToolCall
from app.kernel.errors import ToolResponseInvalid, ToolUnavailable
from app.kernel.journal_records import CallInput
from app.kernel.results import RawResult
from app.kernel.stops import Cause
from app.research.call_results import TakenResult, output_bytes, read_answer, take
from app.research.time_limits import Ran

ALPHA = TOOLS.entry("alpha")


def result(*items):
    given = {"status": "ok", "items": tuple(raw_item(item) for item in items), "spent_units": 1}
    return RawResult.model_validate(given, strict=False)


@pytest.mark.parametrize(
    "more",
    [
        {"title": "séance"},
        {"snippet": "séance"},
        {"requested": "séance"},
        {"hidden": ("séa", "nce")},
        {"metadata": (("séa", "nce"),)},
        {"locator": "doc:documents/page.mdséance"},
        {"body": "Rye.séance"},
    ],
    ids=lambda more: next(iter(more)),
)
def test_every_text_of_an_item_counts_in_bytes(more):
    plain = {"body": "Rye.", "locator": "doc:documents/page.md"}
    assert output_bytes(result({**plain, **more})) == output_bytes(result(plain)) + 7
    assert output_bytes(result(plain, plain)) == 2 * output_bytes(result(plain))


def test_the_record_names_the_bytes_of_fetched_pages_once_and_of_nothing_else():
    page = {"kind": "fetched", "locator": "https://mill.example/a", "body": "Rye.", "content_hash": "a" * 64}
    other = {**page, "content_hash": "b" * 64}
    taken = take(ALPHA, Ran(5, value=result({"body": "Oats."}, other, page, page)), lambda data: "c" * 64)
    assert taken.input.fetched == ("b" * 64, "a" * 64)
    assert (taken.input.ended, taken.input.elapsed_ms, taken.input.raw) == ("answered", 5, "c" * 64)
    assert taken.input.size == output_bytes(taken.raw) > 0


@pytest.mark.ruling("R16")
@pytest.mark.parametrize("error", [ToolResponseInvalid("odd"), ToolUnavailable("eclipse")])
def test_an_answer_that_nobody_understands_is_on_record_as_what_the_tool_raised(error):
    taken = take(ALPHA, Ran(5, error=error), lambda data: "c" * 64)
    assert taken.input.ended == "raised"
    assert (taken.input.raised.status, taken.input.raised.cause) == ("failed", "tool_output_invalid")


@pytest.mark.parametrize("ended", ["cut", "too_large", "invalid"])
def test_a_call_without_an_answer_names_no_code_of_its_own(ended):
    taken = TakenResult(CallInput(ended=ended, elapsed_ms=7, size=9))
    answer = read_answer(ToolCall(call_id="a", tool="alpha"), ALPHA, taken, 5, Cause.PER_CALL_TIMEOUT)
    assert (answer.signal.code, answer.signal.call_id, answer.spent_units) == ("", "a", ALPHA.price_units)
