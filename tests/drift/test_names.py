"""The suite imports `app`; a part of it runs again on the same files under the installed name."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.names import INSTALLED, VARIABLE

ROOT = Path(__file__).parents[2]
# Seconds in all; `make test-names` runs the rest.
CHOSEN = (
    "tests/golden",
    "tests/tools/test_worker_names.py",
    "tests/unit/capabilities/test_plans.py",
    "tests/unit/kernel",
    "tests/unit/research",
    "tests/unit/screen",
    "tests/unit/test_package_name.py",
)
TESTS_MIN = 900


def test_the_core_passes_its_tests_under_the_installed_name():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", *CHOSEN]
    environment = {**os.environ, VARIABLE: INSTALLED}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:]
    (passed,) = re.findall(r"^(\d+) passed in ", done.stdout, re.MULTILINE)
    assert int(passed) > TESTS_MIN


def test_the_checkout_has_both_names_for_one_folder():
    link = ROOT / "backend" / "portcullis"
    assert link.is_symlink()
    assert os.readlink(link) == "app"


def test_the_public_names_are_the_same_under_both():
    code = "import {0} as gate; print(gate.__version__, *gate.__all__)"
    told = [
        subprocess.run([sys.executable, "-c", code.format(name)], capture_output=True, text=True, check=True).stdout
        for name in ("app", INSTALLED)
    ]
    assert told[0] == told[1]
    assert "open_gate" in told[0]
