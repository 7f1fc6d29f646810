"""Many first requests at once, on a gate that was just opened in a fresh process."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack

import pytest
from benchmarks.burst import REQUESTS, fresh_burst


@pytest.mark.ruling("R2")
def test_a_burst_on_a_cold_gate_is_answered_within_its_caps():
    assert fresh_burst()["stops"] == {"SUCCESS_COMPLETED": REQUESTS}


@pytest.mark.ruling("R2")
def test_a_burst_on_a_cold_gate_and_a_busy_machine():
    with ExitStack() as busy:
        for _ in range(2):
            spinning = busy.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            busy.callback(spinning.kill)
        assert fresh_burst()["stops"] == {"SUCCESS_COMPLETED": REQUESTS}
