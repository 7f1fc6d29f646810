"""docs/api.md and the README: every example runs in an empty folder, and every public name is on the page."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import app

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTIONS = [section.partition("\n") for section in TEXT.split("\n## ")[1:]]
EXAMPLES = {
    title: body.split("```python\n")[1].partition("```")[0] for title, _, body in SECTIONS if "```python" in body
}

EXAMPLES["the README's"] = README.split("```python\n")[1].partition("```")[0]


def test_there_is_an_example_for_every_subject():
    assert len(EXAMPLES) >= 8
    assert TEXT.count("```python") + README.count("```python") == len(EXAMPLES)


@pytest.mark.parametrize("title", EXAMPLES)
def test_the_example_runs_in_an_empty_folder(title, tmp_path):
    program = tmp_path / "example.py"
    program.write_text(EXAMPLES[title], encoding="utf-8")
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    done = subprocess.run(
        [sys.executable, "-W", "error", program], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_used_in_an_example_that_runs():
    used = {node.id for text in EXAMPLES.values() for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert sorted(set(app.__all__) - used) == []


def test_the_floor_plan_has_every_floor_from_the_top_down():
    """As the import contracts have them; planned floors, in parentheses there, are not built yet."""
    contract = (ROOT / "importlinter.ini").read_text(encoding="utf-8").partition("[importlinter:contract:floors]")[2]
    rows = contract.partition("layers =\n")[2].partition("\n\n")[0].splitlines()
    floors = [name.strip().strip("()") for row in rows for name in row.split("|")]
    built = [name for name in floors if (ROOT / "backend" / "app" / name).is_dir()]
    assert re.findall(r"^\| `backend/app/(\w+)/` \|", README, re.MULTILINE) == built
