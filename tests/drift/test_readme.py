"""README ↔ contract data, Makefile and the example a reader would copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.readme import rendered
from scripts.vendor import vendor

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
MAKE = (ROOT / "Makefile").read_text(encoding="utf-8")


PAGES = (ROOT / "docs" / "scraping.md").read_text(encoding="utf-8")


def _examples(text: str = TEXT) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def _example() -> str:
    return _examples()[0]


def _run(code, cwd, data_dir, path):
    env = {"PATH": os.environ["PATH"], "HOME": str(data_dir), "PORTCULLIS_DATA": str(data_dir), "PYTHONPATH": str(path)}
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, env=env, capture_output=True, text=True, timeout=120)


def test_the_tables_are_those_of_the_contract():
    assert rendered(TEXT) == TEXT, "run `make readme`"


def test_a_host_uses_the_gate_in_about_ten_lines():
    (example,) = _examples()
    assert len([line for line in example.splitlines() if line.strip()]) <= 12


def test_the_example_runs_in_any_folder(tmp_path):
    done = _run(_example(), tmp_path, tmp_path, ROOT / "backend")
    assert done.returncode == 0, done.stderr
    assert '"action": "GROUNDED"' in done.stdout


def test_the_example_of_reading_a_page_runs(tmp_path):
    """For the tier without research, so that no connection is opened."""
    (code,) = _examples(PAGES)
    done = _run(code.replace('tier="PRO"', 'tier="FREE"'), ROOT, tmp_path, ROOT / "backend")
    assert (done.returncode, done.stdout.split()[0]) == (0, "config"), done.stderr


@pytest.mark.clause("9")
def test_the_example_runs_vendored_beside_another_app(tmp_path):
    host = tmp_path / "host"
    (host / "app").mkdir(parents=True)
    (host / "app" / "__init__.py").write_text("OWNER = 'the host'\n", encoding="utf-8")
    vendor(host / "thirdparty" / "gate")
    (host / "thirdparty" / "__init__.py").touch()
    shutil.copytree(ROOT / "samples", host / "samples")
    code = _example().replace("from portcullis import", "from thirdparty.gate import")
    code += "\nimport app, sys\nassert app.OWNER == 'the host'\n"
    code += "assert not [name for name in sys.modules if name.startswith(('app.', 'portcullis'))]\n"
    done = _run(code, host, tmp_path, host)
    assert done.returncode == 0, done.stderr
    assert '"action": "GROUNDED"' in done.stdout


def test_every_make_command_that_the_documents_name_exists():
    targets = set(re.findall(r"^([a-z-]+):", MAKE, re.MULTILINE))
    named = set()
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "README.md"]:
        named |= set(
            re.findall(r"\bmake ([a-z][a-z-]+)\b(?=[`\n ]|$)", "\n".join(_code(path.read_text(encoding="utf-8"))))
        )
    assert len(named) > 5
    assert named <= targets


def _code(text: str) -> list[str]:
    return [*re.findall(r"`([^`\n]+)`", text), *re.findall(r"^    (\S.*)$", text, re.MULTILINE)]


def test_every_link_of_the_readme_leads_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", TEXT)
    assert len(links) > 8
    assert [link for link in links if "://" not in link and not (ROOT / link).exists()] == []
