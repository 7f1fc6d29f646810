"""A few sabotages on the real gate, and the table they come from; `make sabotage` runs them all."""

from __future__ import annotations

import json
import subprocess

import pytest
from scripts.certify.copies import Slot
from scripts.certify.required import BUILT_IN, REQUIRED
from scripts.certify.results import Exit
from scripts.certify.sabotage import control, main, noticed
from scripts.certify.sabotages import SABOTAGES
from tests.doors.command import ROOT

QUICK = (
    "delete-certification",
    "a-stale-certificate",
    "counts-that-nobody-found",
    "a-skipped-test",
    "swapped-priorities",
)
BY_ID = {sabotage.id: sabotage for sabotage in SABOTAGES}


@pytest.fixture(scope="module")
def slot(tmp_path_factory):
    return Slot(ROOT, tmp_path_factory.mktemp("sabotage") / "copy")


def test_the_table():
    assert len(BY_ID) == len(SABOTAGES) >= 40
    assert sum(sabotage.reseal for sabotage in SABOTAGES) >= 25
    assert {sabotage.check for sabotage in SABOTAGES} <= {*BUILT_IN, *REQUIRED}
    assert len({sabotage.check for sabotage in SABOTAGES}) >= 15
    assert all(len(sabotage.names) >= 8 for sabotage in SABOTAGES)


def test_in_a_copy_the_product_is_the_copys(slot):
    place = slot.fresh()
    code = "import app, scripts.certify.gate as gate; print(app.__file__); print(gate.__file__)"
    line = [place / ".venv" / "bin" / "python", "-c", code]
    said = subprocess.run(line, cwd=place, capture_output=True, text=True, check=True).stdout.split()
    assert said == [str(place / "backend/app/__init__.py"), str(place / "scripts/certify/gate.py")]


@pytest.mark.parametrize("check", sorted({BY_ID[name].check for name in QUICK}))
def test_control(slot, check):
    assert control(slot, check).problem == ""


@pytest.mark.parametrize("name", QUICK)
def test_a_sabotage_is_noticed_by_name(slot, name):
    assert noticed(slot, BY_ID[name]).problem == ""


def test_a_sabotage_that_changes_nothing_goes_unnoticed_and_is_told(slot):
    harmless = type(BY_ID["a-skipped-test"])("harmless", "exemptions", "anything", lambda root: None)
    assert noticed(slot, harmless).problem.startswith("harmless: `exemptions` exits with 0")


def test_evidence_of_one_check_is_refreshed_and_the_rest_stays(slot):
    place = slot.fresh()
    folder = place / "certification" / "evidence"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = slot.run("certify", "--check", "exemptions", "--write")
    assert done.returncode == Exit.PASSED, done.stdout
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert [name for name in after if after[name] != before[name]] == ["exemptions.json"]
    assert slot.run("certify", "--check", "certificate").returncode == Exit.PASSED


def test_what_is_stale_runs_with_its_reason_and_nothing_else(slot):
    place = slot.fresh()
    oracle = place / "scripts" / "certify" / "steps" / "policy_oracle.py"
    oracle.write_text(oracle.read_text(encoding="utf-8") + "\nX = 1\n", encoding="utf-8")
    (place / "certification" / "evidence" / "shape.json").unlink()
    told = json.loads(slot.run("certify", "--quick", "--json", "--check", "shape").stdout)
    assert told["stale"]["shape"] == ["no evidence"]
    assert told["stale"]["policy-model"] == ["scripts/certify/steps/policy_oracle.py changed"]
    assert not {"golden", "ledger", "simulation", "stop-calculus"} & set(told["stale"])


def test_an_unknown_sabotage_is_refused(capsys):
    assert main(["kindness"]) == Exit.INVALID
    assert "`kindness`" in capsys.readouterr().err
