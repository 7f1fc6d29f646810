"""Planted faults: each stands where it says, and a sample of them is found in copies of the product."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulation.planted import PLANTED
from tests.simulation.planting import SESSIONS, planted_in, try_all

ROOT = Path(__file__).parents[2]
SAMPLE = 5


def test_every_fault_can_be_planted_exactly_where_it_says():
    assert len(PLANTED) >= 25
    assert len({fault.name for fault in PLANTED}) == len(PLANTED)
    for fault in PLANTED:
        text = (ROOT / fault.file).read_text(encoding="utf-8")
        assert planted_in(text, fault) != text, fault.name
    with pytest.raises(ValueError, match="stand 0 times"):
        planted_in("nothing here", PLANTED[0])


def test_a_name_that_no_fault_has_is_refused():
    words = [sys.executable, "-m", "tests.simulation.planting", "--only", PLANTED[0].name, "nosuch", "neither"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "no planted fault is called `neither`, `nosuch`\n"


def test_a_sample_of_the_faults_is_found(capsys):
    faults = PLANTED[6 :: len(PLANTED) // SAMPLE][:SAMPLE]
    report = try_all(faults, SESSIONS, 2, control=False)
    with capsys.disabled():
        print(f"\n{SAMPLE} of {len(PLANTED)} planted faults: " + ", ".join(fault.name for fault in faults))
    assert report["missed"] == []
