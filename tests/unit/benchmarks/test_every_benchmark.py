"""Every benchmark can be loaded: what it measures is still there under the name that it uses."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "benchmarks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_can_be_loaded(name):
    importlib.import_module(f"benchmarks.{name}")


def test_all_of_them_were_found():
    assert len(NAMES) >= 15
