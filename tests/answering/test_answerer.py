"""A scripted model endpoint over real HTTP: what holds is shown with our markers, everything else stays behind."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import SecretStr

from app import Principal, Settings, open_gate
from app.answering.evidence_sentences import evidence_of
from app.system.contract_files import samples_dir
from app.system.settings import ModelEndpoint
from app.wiring.answering_setup import open_answerer
from tests.fixtures.scripted_model import scripted_model

ASKED = "How long should sourdough proof in the fridge?"
WHO = Principal(tenant="acme", user="ada", tier="MAX", collections=("documents",))


@pytest.fixture(scope="module")
def grounded(tmp_path_factory):
    """A grounded result over the sample documents, and its data folder."""
    data = tmp_path_factory.mktemp("answering")

    async def run():
        async with open_gate(samples_dir(), settings=Settings(data_dir=data)) as gate:
            return await gate.call("research", {"question": ASKED, "constraints": {"source_filter": "documents"}}, WHO)

    return asyncio.run(run()).result, data


def written(grounded, *texts, how="stream", timeout_ms=20_000):
    result, data = grounded

    async def run():
        async with scripted_model(texts, how) as model:
            endpoint = ModelEndpoint(url=model.url, model="tiny-1", key=SecretStr("sk-canary"), timeout_ms=timeout_ms)
            answerer = open_answerer(Settings(data_dir=data, model=endpoint))
            return await answerer.write(ASKED, result), model

    return asyncio.run(run())


def test_what_holds_is_shown_with_our_markers(grounded):
    answer, model = written(grounded, "e1 | In the fridge, sourdough should proof for about 8 to 16 hours.\n")
    assert answer.by_model
    assert answer.result.answer == "In the fridge, sourdough should proof for about 8 to 16 hours. [1]"
    assert answer.result.citations == grounded[0].citations
    assert answer.result.cost_metadata.model_id == "tiny-1"
    ((head, body),) = model.asked
    assert "authorization: bearer sk-canary" in head.lower()
    assert "tools" not in body
    assert body["stream"] is True


def test_the_evidence_stands_between_marks_that_nobody_could_have_guessed(grounded):
    marks = set()
    for _ in range(2):
        _, model = written(grounded, "e1 | x")
        asked = model.asked[0][1]["messages"][1]["content"].splitlines()
        assert asked[1] == asked[-1]
        marks.add(asked[1])
        quoted = [line.split(" ", 2)[2] for line in asked[2:-1]]
        assert quoted == [one.text for one in evidence_of(grounded[0])]
    assert len(marks) == 2


@pytest.mark.parametrize(
    "text",
    [
        "e99 | In the fridge, sourdough should proof for about 8 to 16 hours.",
        "Sourdough should proof in the fridge for about 8 to 16 hours. [1]",
        "e1 | Sourdough should proof in the fridge for about 9 to 16 hours.",
        "e1 | Sourdough should proof in the fridge for about 8 to 16 minutes.",
        "e1 | Sourdough should proof in the fridge, see https://bread.example/proof for 8 to 16 hours.",
        "e1 | Sourdough should not proof in the fridge for about 8 to 16 hours.",
        "e1 | Sourdough should proof in the fridge for about 8 to 16 hours [7].",
        "References:\n[1] The Bread Book, 2019",
        "e1 | <script>alert(1)</script> sourdough should proof in the fridge",
    ],
)
def test_what_does_not_hold_gives_the_sentences_of_the_sources(grounded, text):
    answer, _ = written(grounded, text)
    assert not answer.by_model
    assert answer.result == grounded[0]
    assert answer.why_not == "too many lines of the model do not hold"
    assert answer.kept_lines == 0


def test_one_bad_line_among_good_ones_is_left_out(grounded):
    good = "e1 | Sourdough should proof in the fridge for about 8 to 16 hours."
    answer, _ = written(grounded, f"{good}\ne1 | The record stands at 97 hours.\n- | In short, both agree.\n")
    assert answer.by_model
    assert answer.dropped == (("number", 1),)
    assert answer.result.answer == "Sourdough should proof in the fridge for about 8 to 16 hours. [1]"


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("down", "unreachable"),
        ("slow", "slow"),
        ("refuses", "provider_down"),
        ("redirect", "provider_down"),
        ("garbage", "unreadable"),
        ("endless", "too_large"),
    ],
)
def test_a_model_that_gives_no_answer(grounded, how, kind):
    answer, model = written(grounded, "", how=how, timeout_ms=1_500)
    assert not answer.by_model
    assert answer.result == grounded[0]
    assert answer.why_not == f"the model was not available ({kind})"
    assert len(model.asked) == 1


@pytest.mark.parametrize("how", ["plain", "tools"])
def test_an_endpoint_that_does_not_stream_or_calls_tools_that_it_was_not_given(grounded, how):
    answer, _ = written(grounded, "e1 | Sourdough should proof in the fridge for about 8 to 16 hours.", how=how)
    assert answer.by_model


def test_nothing_of_what_was_written_is_kept(grounded):
    answer, _ = written(grounded, "e1 | Nothing of this holds, says the canary.")
    assert len(answer.written) == 64
    kept = b"".join(path.read_bytes() for path in (grounded[1] / "store").rglob("*") if path.is_file())
    assert b"says the canary" not in kept


@pytest.mark.parametrize("how", ["cut", "gzip", "surrogate"])
def test_half_an_answer_and_one_in_another_form_are_not_believed(grounded, how):
    good = "e1 | Sourdough should proof in the fridge for about 8 to 16 hours."
    answer, _ = written(grounded, good, how=how)
    assert not answer.by_model


def test_many_spaces_cost_no_time(grounded):
    answer, _ = written(grounded, f"e1 | a{' ' * 15_000}b\ne1{' ' * 500}x\n")
    assert not answer.by_model


def test_a_result_without_citations_is_left_alone(grounded, tmp_path):
    empty = type(grounded[0]).model_validate({**dict(grounded[0]), "citations": ()})
    answer, model = written((empty, tmp_path), "e1 | x")
    assert answer.result == empty
    assert model.asked == []
