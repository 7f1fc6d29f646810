"""A new file moves into a room and no list is edited: an honest one is welcome, a dishonest one refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.guard import check_tree
from tests.architecture.source import ROOT

# What guard and import contracts read; neither of them is copied with its lists changed.
READ = ("backend/app", "benchmarks", "scripts")
_ABOUT = '"""{}."""\n\nfrom __future__ import annotations\n\n'

HONEST = {
    "capabilities/papers/__init__.py": '"""A family of capabilities."""\n',
    "capabilities/papers/count_words.py": """
        import math
        import re
        from dataclasses import dataclass
        from enum import StrEnum
        from functools import reduce
        from itertools import chain

        from pydantic import BaseModel

        from ...kernel.capability import Capability

        __all__ = ["COUNT_WORDS"]

        _WORD = re.compile("[a-z]+")


        class Unit(StrEnum):
            WORD = "word"


        @dataclass(frozen=True)
        class CountWordsPlan:
            text: str

            def next_step(self, grant, so_far):
                words = chain(_WORD.findall(self.text), so_far)
                return math.floor(reduce(lambda count, _: count + 1, words, 0))


        class CountWordsInput(BaseModel):
            text: str


        def _plan(request):
            return CountWordsPlan(text=request.question)


        COUNT_WORDS = Capability(
            name="count_words", kind="compute", effect="none", description="Counts words.", plan=_plan
        )
    """,
    "evidence/spread.py": """
        import math
        from itertools import pairwise

        __all__ = ["widest_gap"]


        def widest_gap(values):
            return max((math.fabs(after - before) for before, after in pairwise(sorted(values))), default=0.0)
    """,
    "parsing/initials.py": """
        import re

        __all__ = ["initials"]


        def initials(name):
            return "".join(word[0] for word in re.findall(r"[^\\W\\d]+", name))
    """,
    "providers/__init__.py": '"""One outside service per file."""\n',
    "providers/open_shelf.py": """
        import json
        from urllib.parse import urlencode

        from ..parsing.document import title_from_name

        __all__ = ["parse", "request"]


        def request(params):
            return "https://shelf.example/search?" + urlencode(sorted(params.items()))


        def parse(body):
            return tuple(title_from_name(one["title"]) for one in json.loads(body)["found"])
    """,
    "providers/quiet_press.py": """
        from selectolax.lexbor import LexborHTMLParser

        __all__ = ["parse"]


        def parse(body):
            return tuple(node.text() for node in LexborHTMLParser(body).css("h1"))
    """,
    "screen/doubled.py": """
        from itertools import pairwise

        from .fold import fold

        __all__ = ["has_doubled_word"]


        def has_doubled_word(text):
            return any(before == after for before, after in pairwise(fold(text).text.split()))
    """,
    "tools/echo.py": """
        from pathlib import Path

        from ..kernel.results import RawResult

        __all__ = ["open_echo"]


        def open_echo(folder):
            names = sorted(path.name for path in Path(folder).iterdir())

            def echo(call, context):
                return RawResult(status="empty", spent_units=len(names))

            return echo
    """,
    "wiring/second_gate.py": """
        from ..research.adapter import ToolOpener

        __all__ = ["reader"]


        def reader():
            return open_reader()
    """,
}
# File → its text, what the import contracts say about it, and the guard's rule.
DISHONEST = {
    "capabilities/knock.py": ("import socket\n", "app.capabilities.knock -> socket", "core-import"),
    "capabilities/toolbox.py": (
        "from ..tools.toolbox import open_toolbox\n",
        "app.capabilities.toolbox -> app.tools.toolbox",
        "tools-import",
    ),
    "capabilities/remembers.py": ("from functools import cache\n", "", "core-import"),
    "evidence/knock.py": ("import socket\n", "app.evidence.knock -> socket", "core-import"),
    "evidence/forged.py": ("from ..kernel.capability import Capability\nX = Capability()\n", "", "sealed-type"),
    "parsing/knock.py": ("import socket\n", "app.parsing.knock -> socket", "core-import"),
    "providers/knock.py": ("import socket\n", "app.providers.knock -> socket", "core-import"),
    "providers/late.py": ("import time\n", "app.providers.late -> time", "core-import"),
    "providers/machine.py": (
        "from ..system.settings import Settings\n",
        "app.providers.machine -> app.system.settings",
        "",
    ),
    "providers/reads_xml.py": ("from xml.etree import ElementTree\n", "", "core-import"),
    "providers/second.py": (
        "from .open_shelf import parse\n",
        "app.providers.second -> app.providers.open_shelf",
        "",
    ),
    "providers/tool.py": (
        "from ..tools.toolbox import open_toolbox\n",
        "app.providers.tool -> app.tools.toolbox",
        "tools-import",
    ),
    "research/upward.py": (
        "from .router import Router\n",
        "app.research.upward -> app.research.router",
        "",
    ),
    "screen/knock.py": ("import socket\n", "app.screen.knock -> socket", "core-import"),
    "system/index.py": ("import sqlite3\n", "app.system.index -> sqlite3", ""),
    "tools/knock.py": ("import socket\n", "app.tools.knock -> socket", "machine"),
    "tools/starts.py": ("import subprocess\n", "app.tools.starts -> subprocess", "machine"),
}


def _source(text: str, about: str) -> str:
    body = "\n".join(line.removeprefix("        ") for line in text.strip("\n").splitlines())
    return text if text.startswith('"""') else _ABOUT.format(about) + body.rstrip() + "\n"


@pytest.fixture
def tree(tmp_path):
    """A copy of what is read, with an honest file more in each room."""
    for name in READ:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("importlinter.ini", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    _add(tmp_path, {name: _source(text, f"About {name}") for name, text in HONEST.items()})
    return tmp_path


def _add(tree: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = tree / "backend" / "app" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name == "__init__.py" and path.exists():
            continue  # the room is there already
        assert not path.exists()
        path.write_text(text, encoding="utf-8")


def _contracts(tree: Path) -> subprocess.CompletedProcess[str]:
    linter = [str(Path(sys.executable).with_name("lint-imports")), "--config", "importlinter.ini", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(tree / "backend")}
    return subprocess.run(linter, cwd=tree, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.clause("3.1")
def test_an_honest_file_needs_no_line_in_any_list(tree):
    assert [str(finding) for finding in check_tree(tree).findings] == []
    done = _contracts(tree)
    assert done.returncode == 0, done.stdout
    assert " 0 broken" in done.stdout


@pytest.mark.parametrize("kept", [(), ("open_shelf.py",)], ids=["none", "one"])
def test_the_contracts_do_not_ask_how_many_providers_there_are(tree, kept):
    for path in (tree / "backend" / "app" / "providers").glob("*.py"):
        if path.name not in ("__init__.py", *kept):
            path.unlink()
    assert _contracts(tree).returncode == 0


@pytest.mark.clause("3.1")
def test_a_dishonest_file_is_refused_in_every_room(tree):
    _add(tree, {name: _ABOUT.format("Harmless") + text for name, (text, _, _) in DISHONEST.items()})
    found = {(finding.path.removeprefix("backend/app/"), finding.rule) for finding in check_tree(tree).findings}
    assert [name for name, (_, _, rule) in DISHONEST.items() if rule and (name, rule) not in found] == []
    assert {path for path, _ in found} <= set(DISHONEST), "an honest file was blamed"
    done = _contracts(tree)
    assert done.returncode == 1
    assert [name for name, (_, said, _) in DISHONEST.items() if said not in done.stdout] == []
    assert [name for name, (_, said, rule) in DISHONEST.items() if not said and not rule] == []
