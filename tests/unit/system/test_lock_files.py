"""The lock at start: which changes it notices, and what a gate on changed files does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from scripts.seal import ROOT, fresh_lock
from scripts.vendor import vendor

from app.system.contract_files import CONTRACT_VERSION
from app.system.lock_files import check_runtime_lock, read_lock

LOCK = f"contracts/{CONTRACT_VERSION}/LOCK"
CAPS = f"contracts/{CONTRACT_VERSION}/caps.json"
ASK = """
import asyncio, sys
from house.gate import Principal, ResearchRequest, open_gate
from house.gate.system.settings import Settings

async def main():
    who = Principal(tenant="acme", user="u1", tier="PRO", collections=("documents",))
    async with open_gate(sys.argv[2], settings=Settings(data_dir=sys.argv[1], environment=sys.argv[3])) as router:
        asked = ResearchRequest(question="How long should sourdough proof in the fridge?")
        verdict = (await router.run(asked, who)).verdict
    print(verdict.stop, *[signal.cause for signal in verdict.signals])

from pathlib import Path
sys.argv[1] = Path(sys.argv[1])
asyncio.run(main())
"""


@pytest.fixture
def gate(tmp_path):
    """A vendored copy under another name, sealed as the checkout is now: only the drift test asks for a seal."""
    folder = tmp_path / "host" / "house" / "gate"
    vendor(folder)
    (folder / LOCK).write_text(fresh_lock(ROOT).model_dump_json(), encoding="utf-8")
    return folder


def _check(folder):
    return check_runtime_lock(folder, folder / "contracts" / CONTRACT_VERSION)


def _flip(path):
    data = bytearray(path.read_bytes())
    # The case of one letter of the opening docstring: every byte counts, also those that change nothing.
    data[4] ^= 0x20
    path.write_bytes(bytes(data))


def _ask(folder, environment, tmp_path):
    host = folder.parent.parent
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(host)}
    line = [sys.executable, "-c", ASK, str(tmp_path / "data"), str(folder / "samples" / "bread"), environment]
    done = subprocess.run(line, cwd=host, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr


@pytest.mark.ruling("R15")
def test_a_vendored_copy_matches_under_another_name(gate):
    state = _check(gate)
    assert state.matches
    assert state.differing == ()
    assert state.digest == read_lock(gate / LOCK).runtime.digest


@pytest.mark.ruling("R15")
@pytest.mark.parametrize(
    "name",
    ["kernel/stops.py", "research/adapter.py", "screen/fold.py", "screen/rules/injection-2.json", CAPS],
)
def test_one_flipped_byte_is_noticed_and_named(name, gate):
    _flip(gate / name)
    state = _check(gate)
    assert not state.matches
    assert state.differing == (name if name.startswith("contracts") else f"app/{name}",)
    assert state.digest != read_lock(gate / LOCK).runtime.digest


@pytest.mark.ruling("R15")
@pytest.mark.parametrize(
    "change", ["missing", "empty", "not json", "not text", "deep", "other version", "forged", "folder"]
)
def test_a_lock_that_cannot_be_read_does_not_match(change, gate):
    path = gate / LOCK
    data = json.loads(path.read_bytes())
    path.unlink()
    match change:
        case "empty":
            path.touch()
        case "not json":
            path.write_text("<<<<<<< ours", encoding="utf-8")
        case "not text":
            path.write_bytes(b"\xff\x00\xfe")
        case "deep":
            path.write_text("[" * 100_000, encoding="utf-8")
        case "other version":
            path.write_text(json.dumps({**data, "contract_version": "17.0.0"}), encoding="utf-8")
        case "forged":
            data["runtime"]["files"]["app/kernel/stops.py"] = "0" * 64
            path.write_text(json.dumps(data), encoding="utf-8")
        case "folder":
            path.mkdir()
    state = _check(gate)
    assert not state.matches
    assert state.differing == (LOCK,)


@pytest.mark.ruling("R15")
def test_files_that_came_or_went_are_noticed(gate):
    (gate / "research" / "shortcut.py").touch()
    (gate / "kernel" / "models.py").unlink()
    (gate / "contracts" / CONTRACT_VERSION / "actions.json").unlink()
    (gate / "contracts" / CONTRACT_VERSION / "schema" / "more.json").touch()  # a door's schema decides nothing
    (gate / "research" / "elsewhere").symlink_to(gate / "tools")
    assert _check(gate).differing == (
        "app/kernel/models.py",
        "app/research/elsewhere",
        "app/research/shortcut.py",
        f"contracts/{CONTRACT_VERSION}/actions.json",
    )


def test_a_room_that_is_gone_is_noticed(gate):
    shutil.rmtree(gate / "kernel")
    differing = _check(gate).differing
    assert "app/kernel/stops.py" in differing
    assert all(name.startswith("app/kernel/") for name in differing)


def test_a_file_name_that_is_not_text_is_noticed_too(gate):
    try:
        (gate / "research" / os.fsdecode(b"odd-\xff.py")).touch()
    except OSError:
        pytest.skip("this file system takes text only")
    assert _check(gate).differing == ("app/research/odd-\\udcff.py",)


def test_what_is_not_frozen_may_change(gate):
    _flip(gate / "wiring" / "gate.py")
    shutil.rmtree(gate / "samples")
    (gate / "research" / "__pycache__").mkdir()
    (gate / "research" / "__pycache__" / "adapter.cpython-311.pyc").touch()
    assert _check(gate).matches


@pytest.mark.ruling("R15")
@pytest.mark.clause("3.3")
@pytest.mark.parametrize("change", ["flipped byte", "no lock"])
def test_changed_files_disable_prod_and_warn_in_dev(change, gate, tmp_path):
    if change == "no lock":
        (gate / LOCK).unlink()
    else:
        _flip(gate / "research" / "policy.py")
    named = LOCK if change == "no lock" else "app/research/policy.py"
    assert _ask(gate, "prod", tmp_path)[0] == ["POLICY_DISABLED", "lock_mismatch"]
    said, warned = _ask(gate, "dev", tmp_path)
    assert said == ["SUCCESS_COMPLETED"]
    assert len(warned.splitlines()) == 1
    assert named in warned


def test_the_warning_names_three_files_at_most(gate, tmp_path):
    for name in ("adapter", "bundle", "ledger", "policy", "router"):
        _flip(gate / "research" / f"{name}.py")
    _, warned = _ask(gate, "dev", tmp_path)
    assert warned.count(".py") == 3
    assert "and 2 more" in warned


def test_sealed_files_open_prod_without_a_word(gate, tmp_path):
    assert _ask(gate, "prod", tmp_path) == (["SUCCESS_COMPLETED"], "")
