"""The source of a plan as one digest: it follows what the plan imports, and nothing that is sealed anyway."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import FunctionType

import pytest

from app.capabilities.registry import CAPABILITIES
from app.system.plan_source import PlanSources

ROOT = Path(__file__).parents[3]
PRINTED = """
from app.capabilities.registry import CAPABILITIES
from app.system.plan_source import PlanSources
print(*(PlanSources()(one) for one in CAPABILITIES.values()))
"""


def _digests(folder: Path) -> list[str]:
    line = [sys.executable, "-c", PRINTED]
    done = subprocess.run(line, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.ruling("R23")
def test_a_digest_follows_the_imports_of_a_plan_beside_the_sealed_rooms(tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(ROOT / "backend" / "app", copy / "app", ignore=shutil.ignore_patterns("__pycache__"))
    names = list(CAPABILITIES)
    here = [str(PlanSources()(one)) for one in CAPABILITIES.values()]  # `None` for those without a plan
    assert _digests(copy) == here, "the same on every machine"

    def changed(file: str) -> set[str]:
        path = copy / "app" / file
        before = path.read_bytes()
        path.write_bytes(before + b"# another byte\n")
        found = {name for name, one, other in zip(names, here, _digests(copy), strict=True) if one != other}
        path.write_bytes(before)
        return found

    assert changed("capabilities/documents/ask_documents.py") == {"ask_documents"}
    assert changed("capabilities/arguments.py") == set(names) - {"check_grounding", "lint_report", "scrape_page"}
    assert changed("evidence/citing.py") == {"research", "scrape_page", "search_and_scrape"}
    assert changed("evidence/answering/composer.py") == {"research"}
    assert changed("research/adapter.py") == set()
    assert changed("cli/main.py") == set()


def test_a_plan_without_a_source_has_no_digest():
    one = CAPABILITIES["ask_documents"]
    assert PlanSources()(replace(one, name="x", plan=len)) is None
    elsewhere = FunctionType(one.plan.__code__.replace(co_filename="/nowhere/plan.py"), {})
    assert PlanSources()(replace(one, name="y", plan=elsewhere)) is None
    sources = PlanSources()
    assert sources(one) == sources(one)
