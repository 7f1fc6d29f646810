"""The names of the package: listed once, had when they are asked for, and not loaded before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import app
from app.front import gate, values
from app.system.version import VERSION

ROOT = Path(__file__).parents[2]


def test_the_package_offers_what_its_front_holds():
    held = {name: part for part in (values, gate) for name in part.__all__}
    assert sorted(app.__all__) == sorted(held)
    assert dir(app) == sorted([*held, "__version__"])
    assert all(getattr(app, name) is getattr(part, name) for name, part in held.items())
    assert app.__version__ == VERSION


def test_what_is_not_a_name_of_the_package_is_refused():
    with pytest.raises(AttributeError, match="no attribute `Adapter`"):
        _ = app.Adapter


def test_importing_the_package_loads_nothing_else():
    code = "import portcullis, sys; print(*(n for n in sys.modules if n.startswith(('portcullis', 'pydantic'))))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["portcullis"]
