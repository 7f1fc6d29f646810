"""Schemas ↔ models, and real documents ↔ schemas."""

from __future__ import annotations

import json

import jsonschema
import pytest
from scripts.schemas import MODELS, rendered
from tests.fixtures.scripted import Bench
from tests.golden.cases import case_files, read_case

from app.kernel.request import Principal
from app.research.audience import for_caller, for_end_user, for_operator
from app.system.catalog_files import catalog_dir
from app.system.contract_files import contract_dir, read_rules

FOLDER = contract_dir() / "schema"
CASES = [read_case(path) for path in case_files() if "cancel_after_ms" not in read_case(path)]


def _check(name, document):
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(document)


def test_every_schema_is_that_of_its_model():
    assert {path.stem for path in FOLDER.iterdir()} == set(MODELS)
    for name, model in MODELS.items():
        assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == rendered(model), f"{name}: run `make schemas`"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("action_table", "actions.json"),
        ("caps_table", "caps.json"),
        ("stop_table", "stop_reasons.json"),
    ],
)
def test_the_frozen_files_match_their_schemas(name, file):
    _check(name, json.loads((contract_dir() / file).read_text(encoding="utf-8")))


def test_the_catalogue_matches_its_schema():
    _check("tool_table", json.loads((catalog_dir() / "tools.json").read_text(encoding="utf-8")))


def test_the_rules_match_their_schema():
    _check("rule_set", json.loads(read_rules()))


def test_every_view_of_every_case_matches_its_schema():
    chief = Principal(tenant="t", user="u", tier="PRO", scopes=("operator",))
    for case in CASES:
        outcome = Bench(case).run()
        _check("caller_view", for_caller(outcome).model_dump(mode="json"))
        _check("end_user_view", for_end_user(outcome).model_dump(mode="json"))
        _check("research_outcome", for_operator(outcome, chief).model_dump(mode="json"))


def test_no_hashed_type_has_a_float():
    for name in MODELS.keys() - {"research_result"}:  # a door's type: the research contract has decimals
        text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
        assert '"type": "number"' not in text, name
