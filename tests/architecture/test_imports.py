"""Who may import what: the import contracts, and the guard for what they cannot see."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from scripts.guard import check_tree
from scripts.guard.lists import ALLOWED_IMPORTS, CORE, DYNAMIC, EXCEPTIONS, MACHINE
from scripts.guard.outside import PACKAGES
from tests.architecture.source import PACKAGE, ROOT, absolute_imports, modules

PLANNED = ("providers",)
# Clock, chance, environment and files: what a value does not come from.
IMPURE = frozenset({
    "calendar", "datetime", "fileinput", "getpass", "glob", "locale", "logging", "os", "platform", "random", "secrets",
    "shutil", "sqlite3", "sys", "sysconfig", "tantivy", "tempfile", "time", "unicodedata", "uuid",
    "zoneinfo",
})  # fmt: skip


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
def test_a_room_may_import_only_what_exists_and_is_harmless(room):
    """A list says what a room may import, for files that come later as well; it must not open a door by mistake."""
    allowed = ALLOWED_IMPORTS[room]
    assert [name for name in sorted(allowed) if find_spec(name) is None] == [], "misspelled"
    assert {name for name in allowed if name.partition(".")[0] not in sys.stdlib_module_names} <= PACKAGES
    excepted = {subject for path, rule, subject in EXCEPTIONS if rule == "machine" and f"/app/{room}/" in path}
    dangerous = (MACHINE | DYNAMIC | IMPURE) - excepted
    assert [name for name in sorted(allowed) if any(f"{name}.".startswith(f"{one}.") for one in dangerous)] == []


def test_the_list_of_impure_modules_is_that_of_the_import_contract():
    text = (ROOT / "importlinter.ini").read_text(encoding="utf-8")
    contract = text.split("[importlinter:contract:values-not-sources]")[1].split("\n\n")[0]
    forbidden = set(re.findall(r"^    (\w+)$", contract, re.MULTILINE))
    assert len(forbidden) > 5
    assert forbidden <= IMPURE


@pytest.mark.parametrize("room", sorted(CORE))
def test_what_a_room_imports_is_on_its_list(room):
    """Apart from the guard, from the trees themselves; a room that is planned has no files yet."""
    if room in PLANNED and not (PACKAGE / room).is_dir():
        return
    used = set().union(*(absolute_imports(tree) for tree in modules(room).values()))
    assert used <= ALLOWED_IMPORTS[room]


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
