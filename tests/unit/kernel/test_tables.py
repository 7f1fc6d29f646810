"""The tables of the contract refuse what is incomplete, contradictory or absurd."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from app.kernel.caps import CapsTable, PolicyCaps
from app.kernel.catalog import ToolEntry, ToolTable, stricter
from app.kernel.contract import ActionTable, StopTable
from app.kernel.stops import Action, StopReason
from app.system.catalog_files import catalog_dir
from app.system.contract_files import contract_dir

GOOD = {
    "max_tool_calls_total": 5,
    "max_tool_calls_per_minute": 10,
    "per_call_timeout_ms": 5_000,
    "total_research_timeout_ms": 15_000,
    "budget_units_clamp": 500,
}


def _data(name):
    return json.loads((contract_dir() / name).read_text(encoding="utf-8"))


def _refused(model, data):
    with pytest.raises(ValidationError):
        model.model_validate_json(json.dumps(data))


@pytest.mark.clause("2.9")
@pytest.mark.ruling("R13")
@pytest.mark.parametrize("field", GOOD)
@pytest.mark.parametrize("value", [0, -1, None, 10**9, 2.5, "5", True])
def test_a_cap_is_required_positive_and_sane(field, value):
    _refused(PolicyCaps, {**GOOD, field: value})
    _refused(PolicyCaps, {key: kept for key, kept in GOOD.items() if key != field})


def test_one_call_must_fit_into_the_session():
    _refused(PolicyCaps, {**GOOD, "per_call_timeout_ms": 15_001})
    assert PolicyCaps(**{**GOOD, "per_call_timeout_ms": 15_000}).per_call_timeout_ms == 15_000


def test_the_caps_table_is_complete():
    data = _data("caps.json")
    CapsTable.model_validate_json(json.dumps(data))
    _refused(CapsTable, {**data, "entries": data["entries"][1:]})
    _refused(CapsTable, {**data, "entries": data["entries"] + data["entries"][:1]})
    doubled = [one for one in data["entries"] if one["tier"] == "PRO"]
    _refused(CapsTable, {**data, "tiers": [*data["tiers"], "PRO"], "entries": [*data["entries"], *doubled]})
    entry = next(entry for entry in data["entries"] if entry["granted"])
    _refused(CapsTable, {**data, "entries": [{**e, "granted": False} if e == entry else e for e in data["entries"]]})
    _refused(CapsTable, {**data, "entries": [{**e, "caps": None} if e == entry else e for e in data["entries"]]})


def test_a_tool_is_listed_once():
    data = json.loads((catalog_dir() / "tools.json").read_bytes())
    ToolTable.model_validate_json(json.dumps(data))
    _refused(ToolTable, {**data, "tools": data["tools"] * 2})
    _refused(ToolTable, {**data, "catalog_version": 2})
    for wrong in (
        {"price_units": -1},
        {"price_units": 0},
        {"schemes": []},
        {"schemes": ["javascript"]},
        {"schemes": ["data"]},
        {"schemes": ["file"]},
        {"schemes": ["Upper"]},
    ):
        _refused(ToolTable, {**data, "tools": [{**data["tools"][0], **wrong}]})


@pytest.mark.ruling("R22")
def test_the_stricter_of_two_entries_satisfies_both():
    fields = {"name": "t", "price_units": 2, "own_deadline_ms": 9, "max_output_bytes": 7, "effect": "none"}
    one = ToolEntry(**fields, schemes=("doc", "https"))
    other = ToolEntry(**{**fields, "price_units": 3, "own_deadline_ms": 8, "effect": "local_write"}, schemes=("https",))
    agreed = stricter(one, other)
    assert agreed == stricter(other, one)
    assert agreed == ToolEntry(
        name="t", price_units=3, own_deadline_ms=8, max_output_bytes=7, effect="local_write", schemes=("https",)
    )
    assert stricter(one, ToolEntry(**fields, schemes=("http",))) is None


@pytest.mark.clause("4.1")
def test_the_stop_table_is_exhaustive_and_ordered():
    data = _data("stop_reasons.json")
    rows = data["stop_reasons"]
    _refused(StopTable, {**data, "stop_reasons": rows[1:]})
    _refused(StopTable, {**data, "stop_reasons": [*rows, {**rows[0], "code": "OTHER"}]})
    _refused(StopTable, {**data, "stop_reasons": [{**rows[0], "priority": 2}, *rows[1:]]})
    _refused(StopTable, {**data, "stop_reasons": [rows[0], {**rows[0], "priority": 2}, *rows[2:]]})


def test_the_action_table_is_total_and_single():
    data = _data("actions.json")
    _refused(ActionTable, {**data, "rows": data["rows"][1:]})
    _refused(ActionTable, {**data, "rows": data["rows"] + data["rows"][:1]})
    table = ActionTable.model_validate_json(json.dumps(data))
    assert table.action(StopReason.NO_SOURCE, True, True) is Action.UNKNOWN
    assert {action: bool(table.texts.of(action)) for action in Action} == dict.fromkeys(Action, True)


@pytest.mark.clause("3.6")
def test_the_text_of_the_baseline_claims_nothing():
    text = _data("actions.json")["texts"]["BASELINE"].lower()
    for word in ("source", "searched", "found", "[1]", "http", "according"):
        assert word not in text
