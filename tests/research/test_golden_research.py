"""Golden research cases: the result as recorded, valid by its schema, audited, and the same from its record."""

from __future__ import annotations

import asyncio
import json

import jsonschema
import pytest

from app import open_archive
from app.capabilities.answers.research_models import ResearchResult
from app.evidence.grounding.facets import facets_of
from tests.research.golden import cases, facts, opened, played

CASES = cases()
SCHEMA = ResearchResult.model_json_schema()


def test_there_are_enough_cases():
    asked = [case["question"] for case in CASES]
    assert len(CASES) >= 43
    assert sum(len(facets_of(question)) >= 3 for question in asked) >= 10
    assert sum(case["place"] == "web" for case in CASES) >= 5
    assert len({case["note"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("place", sorted({case["place"] for case in CASES}))
def test_the_cases_of_a_place(place, tmp_path):
    async def run():
        async with opened(place, tmp_path) as (gate, settings):
            here = [(number, case) for number, case in enumerate(CASES) if case["place"] == place]
            return [(case, await played(gate, case, number)) for number, case in here], settings

    found, settings = asyncio.run(run())
    archive = open_archive(settings)
    assert len(found) >= 5
    for case, (result, _) in found:
        told = result.model_dump_json()
        jsonschema.validate(json.loads(told), SCHEMA)
        assert facts(result) == case["want"], case["note"]
        report = archive.audit(told.encode())
        assert report.faults == (), case["note"]
        assert report.urls_not_fetched == 0
        assert archive.research_result(result.trace_id).model_dump_json() == told, case["note"]
        _groups(case, result)


def _groups(case, result):
    """Each covered facet of a question with several has its own group; the others are named in a note."""
    facets = [facet for facet in facets_of(case["question"], case.get("context") or "") if not facet.known]
    if len(facets) < 2 or not result.citations:
        return
    lines = result.answer.split("\n\n")
    noted = " ".join(line for line in lines if line.startswith("Not "))
    for facet in facets:
        label = facet.label.rstrip("?. ")
        heads = (f"About {label}:", f"{label[:1].upper()}{label[1:]}?")
        assert any(head in lines for head in heads) or label in noted, (case["note"], label)
