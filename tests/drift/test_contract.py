"""The contract's text, its data, the seed it came from and the types ↔ each other."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from tests.reference.stop_model import codes, priority_order

from app.kernel.caps import PolicyCaps
from app.kernel.stops import StopReason
from app.system.contract_files import CONTRACT_VERSION, read_contract

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "contracts" / CONTRACT_VERSION
TEXT = (FOLDER / "CONTRACT.md").read_text(encoding="utf-8")
SEED = Path(os.environ.get("PORTCULLIS_SEEDS", ROOT.parent / "shared" / "seeds")) / "phase18-contract.md"


def _fences(text: str) -> list[str]:
    section = text.split("### 6.2", 1)[1].split("### 6.3", 1)[0]
    return [fence.strip().strip('"') for fence in re.findall(r"```\n(.*?)```", section, re.DOTALL)]


def _caps(text: str) -> dict[str, str]:
    section = text.split("### 3.3", 1)[1].split("### 3.4", 1)[0]
    found = re.findall(r"`(\w+)`[^\n]*?(\d[\d,]*)\s*(?:ms|/min)?", section)
    return {name: number.replace(",", "") for name, number in found if name in PolicyCaps.model_fields}


def test_the_copy_under_docs_is_the_contract():
    assert (ROOT / "docs" / "PHASE18_RESEARCH_CONTRACT.md").read_text(encoding="utf-8") == TEXT


@pytest.mark.clause("6.2")
def test_the_two_texts_are_those_of_the_contract():
    texts = read_contract().actions.texts
    assert _fences(TEXT) == [texts.ASK_CLARIFY, texts.UNKNOWN]


@pytest.mark.clause("2.9")
def test_the_examples_of_the_caps_are_the_caps_of_pro():
    entry = read_contract().caps.entry("PRO", "prod")
    assert {name: int(number) for name, number in _caps(TEXT).items()} == entry.caps.model_dump()


@pytest.mark.skipif(not SEED.is_file(), reason="the specification is not beside this clone")
def test_codes_order_thresholds_and_texts_are_those_of_the_specification():
    seed = SEED.read_text(encoding="utf-8")
    assert codes(seed) == codes(TEXT)
    assert priority_order(seed) == priority_order(TEXT)
    assert _fences(seed) == _fences(TEXT)
    assert _caps(seed) == _caps(TEXT)
    assert len(_caps(seed)) == 5


@pytest.mark.clause("2.10")
def test_stop_table_and_enum():
    data = json.loads((FOLDER / "stop_reasons.json").read_text(encoding="utf-8"))["stop_reasons"]
    assert [row["code"] for row in data] == [reason.value for reason in StopReason]
    assert [row["code"] for row in data if not row["signalled"]] == ["NO_SOURCE", "SUCCESS_COMPLETED"]


def test_all_files_name_the_same_version():
    for name in ("stop_reasons", "actions", "caps", "clauses"):
        data = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        assert data["contract_version"] == CONTRACT_VERSION, name
