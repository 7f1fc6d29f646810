"""A host with a package of its own called `app`, installed beside the built wheel, brings a tool and a capability."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACME = Path(__file__).parent / "acme"
BROUGHT = ACME / "app" / "orders.py"
MOST_LINES = 40


def _wheel(root, folder):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=root, check=True, capture_output=True, timeout=300)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def venv(tmp_path_factory):
    """An empty environment with both wheels; their requirements are those of this one, `.pth` files left out."""
    folder = tmp_path_factory.mktemp("acme")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, capture_output=True)
    python = folder / "bin" / "python"
    for number, root in enumerate((ROOT, ACME)):
        (folder / f"wheel-{number}").mkdir()
        wheel = _wheel(root, folder / f"wheel-{number}")
        install = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", str(wheel)]
        subprocess.run(install, check=True, capture_output=True, timeout=300)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)}))
    (site / "requirements.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    return folder


@pytest.mark.ruling("R24")
def test_a_host_asks_ours_and_its_own_in_one_process(venv, tmp_path):
    line = [venv / "bin" / "python", "-m", "app.chat", str(tmp_path / "data"), str(ROOT / "samples" / "bread")]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run(line, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "documents": ["2", "SUCCESS_COMPLETED", 1],
        "documents of another tenant": ["0", "NO_SOURCE", 0],
        "17": ["Order 17: two rye loaves, to be fetched on Friday.", "SUCCESS_COMPLETED", 2],
        "18": ["upstream_unavailable", "INJECTION_DETECTED", 2],
        "19": ["no such order", "NO_SOURCE", 1],
        "replays": ["identical"] * 5,
    }


def test_what_a_host_brings_is_short():
    lines = [line for line in BROUGHT.read_text(encoding="utf-8").splitlines() if line.strip()]
    print(f"a tool and a capability in {len(lines)} lines, imports and sample data included")
    assert len(lines) <= MOST_LINES


def test_a_host_is_clean_under_strict_types(venv):
    check = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, "--no-incremental"]
    check += ["--python-executable", str(venv / "bin" / "python"), "-p", "app"]
    done = subprocess.run(check, cwd=ACME, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
