"""Who may import what: the import contracts, and the guard for what they cannot see."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.guard import check_tree
from scripts.guard.lists import ALLOWED_IMPORTS, CORE, EXCEPTIONS
from tests.architecture.source import ROOT, absolute_imports, modules


@pytest.mark.clause("3.1")
def test_import_contracts_are_kept():
    linter = [str(Path(sys.executable).with_name("lint-imports")), "--config", "importlinter.ini", "--no-cache"]
    done = subprocess.run(linter, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    contracts = (ROOT / "importlinter.ini").read_text(encoding="utf-8").count("[importlinter:contract:")
    assert f"{contracts} kept, 0 broken" in done.stdout


@pytest.mark.clause("3.1")
def test_the_guard_is_clean():
    assert [str(finding) for finding in check_tree(ROOT).findings] == []


@pytest.mark.parametrize("room", sorted(CORE))
def test_the_allow_list_names_nothing_that_nobody_imports(room):
    used = set().union(*(absolute_imports(tree) for tree in modules(room).values()))
    assert ALLOWED_IMPORTS[room] - used <= {"contextlib", "typing"}


def test_every_exception_has_a_reason():
    assert all(len(re.findall(r"\w+", reason)) >= 5 for reason in EXCEPTIONS.values())


def test_the_guard_runs_as_a_command(tmp_path):
    command = [sys.executable, "-m", "scripts.guard", "--tree"]
    clean = subprocess.run([*command, str(ROOT)], cwd=ROOT, capture_output=True, text=True)
    assert (clean.returncode, clean.stdout) == (0, "")
    (tmp_path / "sneaky.py").write_text("\nimport app.tools.toolbox\n", encoding="utf-8")
    red = subprocess.run([*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert red.returncode == 1
    assert "sneaky.py:2 tools-import imports `app.tools.toolbox`" in red.stdout
