"""Two hundred forged answers of a scripted endpoint over real HTTP: nothing of them reaches the user."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

from app import Settings
from app.answering.evidence_sentences import evidence_of
from app.capabilities.answers.research_models import ResearchResult, ResultCitation
from app.system.settings import ModelEndpoint
from app.wiring.answering_setup import open_answerer
from tests.answering.test_answerer import grounded
from tests.fixtures.scripted_model import scripted_model

__all__ = ["grounded"]  # the fixture

ATTACKS = Path(__file__).parent / "data" / "attacks.jsonl"
INVENTED = "e77 | A sentence of evidence that nobody has offered stands here for canary 77.\n"
LISTED = "Sources: [1] Canary, A. (2019), The Canary Book, https://canary.example/book\n"
LINKED = "e1 | See https://canary.example/more for everything about this.\n"


def result_over(sentences, result):
    """The result as if its citations said these sentences."""
    first = result.citations[0]
    told = [
        ResultCitation.model_validate({**dict(first), "raw_excerpt": sentence, "evidence": None})
        for sentence in sentences
    ]
    return ResearchResult.model_validate({**dict(result), "citations": tuple(told)})


def answers_over(cases, result, tmp_path):
    """What becomes of each (evidence, what the model says); asked one after the other over one endpoint."""

    async def run():
        async with scripted_model([said for _, said in cases]) as model:
            endpoint = ModelEndpoint(url=model.url, model="tiny-1", timeout_ms=20_000)
            answerer = open_answerer(Settings(data_dir=tmp_path, model=endpoint))
            return [await answerer.write("What is known?", result_over(told, result)) for told, _ in cases]

    return asyncio.run(run())


def test_of_two_hundred_forged_answers_nothing_reaches_the_user(grounded, tmp_path):
    """Numbers, names, addresses, bibliographies, exchanged roles, negations and inventions."""
    rows = [json.loads(line) for line in ATTACKS.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 200
    cases = []
    for row in rows:
        evidence = evidence_of(result_over(row["evidence"], grounded[0]))
        named = " ".join(f"e{one.number}" for one in evidence)
        honest = "".join(f"e{one.number} | {one.text}\n" for one in evidence)
        # Enough lines that hold, so that the answer is the model's: what is forged must be taken out of it.
        also = "".join(f"e{one.number} | {one.text[:-1]}!\n" for one in evidence)
        cases.append((row["evidence"], f"{honest}{also}{named} | {row['line']}\n"))
        assert len(evidence) >= 1
    answers = answers_over(cases, grounded[0], tmp_path)
    assert [row["id"] for row, answer in zip(rows, answers, strict=True) if row["line"] in answer.result.answer] == []
    assert Counter(answer.by_model for answer in answers)[True] > 150
    assert all(sum(count for _, count in answer.dropped) >= 1 for answer in answers)


def test_two_hundred_answers_with_invented_ids_addresses_and_bibliographies(grounded, tmp_path):
    rows = [json.loads(line) for line in ATTACKS.read_text(encoding="utf-8").splitlines()]
    extras = (INVENTED, LISTED, LINKED, INVENTED + LISTED + LINKED)
    cases = []
    for at, row in enumerate(rows):
        evidence = evidence_of(result_over(row["evidence"], grounded[0]))
        honest = "".join(f"e{one.number} | {one.text}\n" for one in evidence)
        cases.append((row["evidence"], honest + extras[at % len(extras)]))
    for (told, _), answer in zip(cases, answers_over(cases, grounded[0], tmp_path), strict=True):
        assert "anary" not in answer.result.model_dump_json()
        assert [one.raw_excerpt for one in answer.result.citations] == told
