"""Worlds about the record: what the simulation once found, and a sample of deaths, full disks and returns."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.simulation.runs import judged
from tests.simulation.scenario.generate import make_world

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))
SEED = 29
ON_DISK = tuple(number for number in range(260) if make_world(SEED, number)["flavour"] == "files")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_the_simulation_once_found_holds(path):
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert kept["note"].replace(" ", "-") == path.stem
    found = judged(kept["case"])
    assert [one["wrong"] for one in found] == [[]] * len(found)
    assert set(kept["happened"]) <= {fault for one in found for fault in one["happened"]}


@pytest.mark.ruling("R12")
@pytest.mark.ruling("R19")
def test_whoever_dies_or_finds_the_disk_full_is_carried_on_as_the_oracle_says():
    found = [one for number in ON_DISK for one in judged(make_world(SEED, number))]
    assert [one for one in found if one["wrong"]] == []
    happened = Counter(fault for one in found for fault in one["happened"])
    assert min(happened[fault] for fault in ("kill", "disk_full")) >= 20
    assert {"clock_back", "clock_forward", "observer_error", "ledger_error"} <= set(happened)
