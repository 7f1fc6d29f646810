"""The wheel: what is in it, and that it answers from an empty folder with nothing of the checkout in sight."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from app.cli.exits import Exit

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=300)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_contract_rules_samples_and_types(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for name in (
        "app/py.typed",
        "app/contracts/18.0.0/CONTRACT.md",
        "app/contracts/18.0.0/LOCK",
        "app/contracts/18.0.0/caps.json",
        "app/contracts/18.0.0/schema/caller_view.json",
        "app/research/rules/injection-2.json",
        "app/samples/bread/cold-proof-in-the-fridge.md",
    ):
        assert name in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "scripts"))]


def test_the_installed_wheel_answers_from_an_empty_folder(wheel, tmp_path):
    site, empty = tmp_path / "site", tmp_path / "empty"
    empty.mkdir()
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, capture_output=True, timeout=300)
    env = {"PATH": os.environ["PATH"], "HOME": str(empty), "PYTHONPATH": str(site)}
    code = "import app, sys; sys.exit(not app.__file__.startswith(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, str(site)], cwd=empty, env=env, check=True)
    command = str(site / "bin" / "portcullis")
    for name in ("certify", "simulate"):
        words = [sys.executable, command, name, "--json"]
        refused = subprocess.run(words, cwd=empty, env=env, capture_output=True, timeout=120)
        assert refused.returncode == Exit.NOT_EVALUATED
        assert json.loads(refused.stdout)["error"]["kind"] == "not_evaluated"
        assert b"needs a source checkout" in refused.stderr
    ask = [sys.executable, str(site / "bin" / "portcullis"), "ask", "How warm should water for yeast be?", "--json"]
    done = subprocess.run(ask, cwd=empty, env=env, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["action"] == "GROUNDED"
    # R15: outside `dev` the gate opens only on files that match the lock.
    sealed = subprocess.run([*ask, "--env", "prod"], cwd=empty, env=env, capture_output=True, timeout=120)
    assert json.loads(sealed.stdout)["action"] == "GROUNDED"
    assert b"frozen files" not in sealed.stderr
