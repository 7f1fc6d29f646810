"""LOCK ↔ files, LOCK ↔ changelog, and the command that seals."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from scripts.seal import FULL, differing, fresh_lock, lock_path, main, with_reason

from app.system.lock_files import read_lock

ROOT = Path(__file__).parents[2]
SHIPPED = (".ci", "backend", "benchmarks", "certification", "contracts", "docs", "scripts", "tests")


@pytest.fixture
def checkout(tmp_path):
    """A copy of what the lock speaks of."""
    for name in SHIPPED:
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("CHANGELOG.md", "Makefile", "importlinter.ini", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    main(["--reason", "a copy to try things on"], tmp_path)
    return tmp_path


def _touched(root):
    return {name: (root / name).read_bytes() for name in ("CHANGELOG.md", lock_path(Path()).as_posix())}


@pytest.mark.ruling("R15")
def test_the_lock_is_that_of_the_files():
    assert differing(ROOT) == (), "run `make seal`"


def test_the_changelog_says_why_the_lock_is_as_it_is():
    digest = read_lock(lock_path(ROOT)).full.digest[:12]
    newest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
    assert f"\n- {digest}: " in newest.split("### Sealed")[1]


@pytest.mark.ruling("R15")
def test_the_lock_covers_core_contract_gate_and_golden_cases():
    lock = fresh_lock(ROOT)
    rooms = ("evidence/grounding", "kernel", "parsing/text/words", "research", "screen")
    found = (path for room in rooms for path in _below(f"backend/app/{room}", "*.py"))
    core = {f"app/{path.relative_to(ROOT / 'backend' / 'app')}" for path in found}
    assert len(core) > 20
    data = {f"app/screen/rules/{name}.json" for name in ("concepts-1", "injection-2", "weights-1")}
    assert core | data == {name for name in lock.runtime.files if name[:4] == "app/"}
    cases = {path.relative_to(ROOT).as_posix() for path in _below("tests/golden/cases", "*.json")}
    assert len(cases) >= 60
    assert cases | {"Makefile", ".ci/run", "importlinter.ini", "tests/reference/stop_model.py"} <= set(lock.full.files)
    assert set(lock.runtime.files.items()) < set(lock.full.files.items())
    assert not [name for name in lock.full.files if name.endswith((".pyc", "/LOCK"))]


def _below(folder, pattern):
    return sorted((ROOT / folder).rglob(pattern))


@pytest.mark.parametrize("name", [*[pattern for pattern in FULL if "*" not in pattern], "backend/app/kernel/caps.py"])
def test_check_names_what_differs(name, checkout, capsys):
    with (checkout / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    before = _touched(checkout)
    capsys.readouterr()
    assert main(["--check"], checkout) == 1
    assert (
        capsys.readouterr().out
        == f"differs from the lock: {name.removeprefix('backend/') if 'kernel' in name else name}\n"
    )
    assert _touched(checkout) == before


def test_nothing_is_sealed_without_a_reason(checkout, capsys):
    (checkout / "backend" / "app" / "kernel" / "caps.py").unlink()
    before = _touched(checkout)
    assert main(["--reason", " \n "], checkout) == 2
    assert "REASON" in capsys.readouterr().err
    assert _touched(checkout) == before


def test_a_seal_writes_lock_and_reason(checkout, capsys):
    golden = checkout / "tests" / "golden" / "cases" / "no_source" / "one-more.json"
    golden.write_text("{}\n", encoding="utf-8")
    assert main(["--reason", "one more\n  case"], checkout) == 0
    digest = read_lock(lock_path(checkout)).full.digest
    assert (checkout / "CHANGELOG.md").read_text(encoding="utf-8").count(f"\n- {digest[:12]}: one more case\n") == 1
    assert main(["--check"], checkout) == 0


def test_a_seal_of_what_is_sealed_writes_nothing(checkout, capsys):
    before = _touched(checkout)
    assert main(["--reason", "again"], checkout) == 0
    assert "nothing changed" in capsys.readouterr().out
    assert _touched(checkout) == before


@pytest.mark.parametrize("text", ["<<<<<<< ours\n", "{}", None])
def test_a_lock_that_cannot_be_read_can_be_sealed_again(text, checkout):
    lock_path(checkout).unlink()
    if text is not None:
        lock_path(checkout).write_text(text, encoding="utf-8")
    assert main(["--check"], checkout) == 1
    assert main(["--reason", "a merge left it broken"], checkout) == 0
    assert main(["--check"], checkout) == 0


def test_a_runtime_part_that_is_not_part_of_the_whole_is_found(checkout):
    data = json.loads(lock_path(checkout).read_bytes())
    data["runtime"] = data["full"]
    lock_path(checkout).write_text(json.dumps(data), encoding="utf-8")
    assert differing(checkout) == (lock_path(Path()).as_posix(),)


def test_a_pattern_that_finds_nothing_is_refused(checkout):
    shutil.rmtree(checkout / "tests" / "conformance")
    with pytest.raises(SystemExit, match="conformance"):
        main(["--check"], checkout)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# C\n\n## 2\n\n- a\n\n## 1\n\n- b\n", "# C\n\n## 2\n\n- a\n\n### Sealed\n\n- new\n\n## 1\n\n- b\n"),
        ("# C\n\n## 2\n", "# C\n\n## 2\n\n### Sealed\n\n- new\n"),
        ("## 2\n\n### Sealed\n\n- old\n", "## 2\n\n### Sealed\n\n- old\n- new\n"),
        (
            "## 2\n\n### Sealed\n\n- old\n\n### Fixed\n\n- x\n\n## 1\n\n### Sealed\n\n- b\n",
            "## 2\n\n### Sealed\n\n- old\n- new\n\n### Fixed\n\n- x\n\n## 1\n\n### Sealed\n\n- b\n",
        ),
    ],
)
def test_the_reason_goes_to_the_newest_release(before, after):
    assert with_reason(before, "- new") == after


def test_a_changelog_without_a_release_takes_no_reason():
    with pytest.raises(SystemExit, match="no release"):
        with_reason("# Changelog\n", "- new")
