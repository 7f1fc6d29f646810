"""What the documents say of the simulation ↔ the simulation."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.doors.command import portcullis
from tests.reference.session_model import ORDER
from tests.simulation.matrix import FULL_RUN
from tests.simulation.scenario.faults import FAULTS

ROOT = Path(__file__).parents[2]


def test_the_documents_count_the_faults_as_they_are():
    rows = json.loads((ROOT / "certification" / "manifest.json").read_bytes())["checks"]
    claims = {row["id"]: row["claim"] for row in rows}
    assert f"{len(FAULTS)} kinds of faults" in claims["simulation"]
    text = (ROOT / "docs" / "assurance.md").read_text(encoding="utf-8")
    assert f"each of {len(FAULTS)} faults and {len(ORDER)} stops" in text


def test_the_keys_of_the_printed_document_are_those_of_the_page(tmp_path):
    done = portcullis("simulate", "--json", "--seed", 3, "--sessions", 10, data_dir=tmp_path)
    printed = json.loads(done.stdout)
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    told = text.split("\n## Simulating sessions\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", told, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"\w+", row)} == set(printed)
    assert all(f"`{name}`" in told for name in printed["matrix"])
    assert f"{FULL_RUN:,} sessions" in told
