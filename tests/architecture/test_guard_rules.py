"""Variations that a careless hand would write are refused like their kin in the corpus, and plain code is not."""

from __future__ import annotations

import pytest
from scripts.guard import check_source, check_tree, read_house
from tests.architecture.source import ROOT

HOUSE = read_house(ROOT)
_SCREEN = "from ..research.injection import InjectionScreen\n"
REFUSED = (
    ("cli/x.py", "foreign-assignment", f"{_SCREEN}for kind in (InjectionScreen,):\n    kind.find = None\n"),
    ("cli/x.py", "foreign-assignment", f"{_SCREEN}del InjectionScreen.find\n"),
    ("cli/x.py", "foreign-assignment", "def f(router):\n    kind = type(router)\n    kind.run = 1\n"),
    ("system/x.py", "foreign-assignment", "from ..research import validator\nvalidator.accept, x = 1, 2\n"),
    ("system/x.py", "foreign-assignment", "def f(kind: type[object]):\n    kind.run = 1\n"),
    ("system/x.py", "foreign-assignment", "from ..kernel.stops import Cause\nCause.table['x'] = 1\n"),
    ("cli/x.py", "sealed-type", "from ..kernel import request\nA = TypeAdapter[request.Grant | None](object)\n"),
    ("cli/x.py", "sealed-type", "def f(grant):\n    return getattr(grant, 'model_copy')(update={})\n"),
    ("wiring/x.py", "sealed-type", "import dataclasses\nf = dataclasses.replace\n"),
    ("research/x.py", "forged-context", "def f(kind):\n    return kind(**{'scopes': ()})\n"),
    ("system/x.py", "open-line", "import os as o\ndef f(number):\n    return o.write(number, b'')\n"),
    ("tools/x.py", "open-line", "from sys import stdout\n"),
    ("cli/x.py", "open-line", "def f():\n    return open(1, 'wb')\n"),
    ("research/x.py", "forbidden-name", "def f():\n    print('x')\n"),
    ("research/x.py", "kept-state", "X = deque(maxlen=3)\n"),
    ("research/x.py", "kept-state", "if True:\n    X = {}\n"),
    ("research/x.py", "kept-state", "X = iter((1, 2))\n"),
    ("kernel/x.py", "kept-state", "Y = (X := [])\n"),
    ("kernel/x.py", "kept-state", "def f(*, a={}):\n    return a\n"),
    ("capabilities/x.py", "kept-state", "class Q:\n    seen = []\n"),
    ("capabilities/x.py", "kept-state", "X = [1]\nf = lambda: X.append(2)\n"),
    ("capabilities/x.py", "plan-impure", "async def f(x):\n    return x\n"),
    ("capabilities/x.py", "plan-impure", "def f(clock):\n    return clock.now_ms()\n"),
    ("system/x.py", "leaked-task", "from asyncio import ensure_future as go\n"),
    ("wiring/x.py", "leaked-task", "import atexit\n"),
    ("wiring/x.py", "hidden-code", "X = 'portcullis.tools.toolbox'\n"),
    ("parsing/x.py", "module-as-attribute", "import zipfile\nX = zipfile.importlib\n"),
    ("parsing/x.py", "module-as-attribute", "import zipfile\nX = getattr(zipfile, 'shutil')\n"),
    ("parsing/x.py", "module-as-value", "import zipfile as z\ny = z\n"),
    ("parsing/x.py", "module-as-value", "import zipfile\ndef f(z=zipfile):\n    return z.shutil\n"),
    ("parsing/x.py", "module-as-value", "import zipfile\nmatch zipfile:\n    case object(shutil=x):\n        pass\n"),
    ("kernel/x.py", "module-as-value", "import re\n__all__ = ['re']\n"),
    ("kernel/x.py", "core-import", "from json import decoder\n"),
    ("kernel/x.py", "module-as-attribute", "from re import enum\n"),
    ("providers/x.py", "module-as-attribute", "from urllib.parse import sys as s\n"),
    ("system/x.py", "module-as-attribute", "from os.path import os as o\n"),
    ("system/x.py", "unlisted-package", "from pydantic import v1\n"),
    ("system/x.py", "unlisted-package", "import pydantic\nX = pydantic.types.ImportString\n"),
    ("system/x.py", "unlisted-name", "from os import no_such_function\n"),
    ("system/x.py", "unlisted-name", "from uuid import getnode\n"),
    ("system/x.py", "forbidden-name", "from bdb import exec as run\nfrom builtins import eval as e\n"),
    ("parsing/x.py", "forbidden-name", "from io import open as o\n"),
    ("research/telemetry.py", "way-out", "from opentelemetry.trace import environ as e\n"),
    ("scripts/x.py", "module-as-attribute", "from zipfile import importlib as i\n"),
    ("wiring/x.py", "foreign-assignment", "from dataclasses import dataclass as d\nd(frozen=False)(object)\n"),
    ("parsing/x.py", "file-access", "from zipfile import ZipFile\nf = (ZipFile, 'w')\n"),
    ("capabilities/x.py", "hidden-code", "class M:\n    a: f'{1}'\n"),
    ("capabilities/x.py", "hidden-code", "class M:\n    a: 'f' + '()'\n"),
    ("capabilities/x.py", "hidden-code", "def f(n):\n    class M:\n        a: n\n"),
    ("capabilities/x.py", "hidden-code", "n = 'f()' if 1 else int\nX = list[n]\n"),
    ("capabilities/x.py", "hidden-code", "class M(Base['f()']):\n    pass\n"),
    ("capabilities/x.py", "hidden-code", "class M(Base['f(']):\n    pass\n"),
    ("capabilities/x.py", "hidden-code", "X = dict[str, 'f()']\n"),
    ("capabilities/x.py", "hidden-code", "from typing import NamedTuple\nX = NamedTuple('X', [('a', 'f()')])\n"),
    ("capabilities/x.py", "hidden-code", "X = type('X', (), {'__module__': 'y'})\n"),
    ("capabilities/x.py", "private-reach", "def f(g):\n    return g(__module__='y')\n"),
)
PLAIN = (
    ("research/x.py", "def f(a):\n    b = []\n    b.append(a)\n    return b\n"),
    ("system/x.py", "class A:\n    def f(self):\n        self.a.append(1)\n        self.a[0] = 2\n"),
    ("system/x.py", "import os\ndef f(path):\n    os.remove(path)\n"),
    (
        "capabilities/x.py",
        "class Q:\n    q: str\n    def next_step(self, grant, so_far):\n        return self.q.strip()\n",
    ),
    ("parsing/x.py", "from functools import lru_cache\n@lru_cache\ndef f(a):\n    return a\n"),
    ("system/x.py", "import os\ndef f(path):\n    return os.path.join(path, 'x')\n"),
    (
        "parsing/x.py",
        "from io import BytesIO\nfrom zipfile import ZipFile\nX = ZipFile(BytesIO())\n",
    ),
    ("kernel/x.py", "Tree = tuple['Tree', ...] | dict[str, 'Tree | None']\n"),
    ("kernel/x.py", "from typing import Annotated, Literal\nX = Annotated[Literal['a b', 'c'], 'a note']\n"),
    ("kernel/x.py", "def f(row, key):\n    return row['a b'], row[f'{key}'], row[key + 'x']\n"),
)
_OURS = "[project.scripts]\nportcullis = 'portcullis.cli.start:main'\n"


@pytest.mark.parametrize(("place", "rule", "source"), REFUSED)
def test_a_variation_is_refused(place, rule, source):
    assert rule in {finding.rule for finding in check_source(f"backend/app/{place}", source, HOUSE)}


@pytest.mark.parametrize("name", ["app", "backend.app", "portcullis", "backend.portcullis"])
@pytest.mark.parametrize(
    ("rule", "source"),
    [
        ("tools-import", "from {}.tools.toolbox import open_toolbox\n"),
        ("tools-import", "import {}.tools.toolbox\n"),
        ("star-import", "from {} import *\n"),
    ],
)
def test_a_script_gets_no_tools_under_any_name(name, rule, source):
    found = check_source("scripts/x.py", source.format(name), HOUSE)
    assert rule in {finding.rule for finding in found}


def test_a_link_is_refused_wherever_it_leads(tmp_path):
    """Nobody walks through it: neither this guard nor ruff, mypy or the import contracts."""
    inside = tmp_path / "backend" / "app"
    inside.mkdir(parents=True)
    (inside / "folder").symlink_to("/usr/lib")
    (inside / "file.py").symlink_to("/usr/lib/python3/dist-packages/one.py")
    (tmp_path / "backend" / "portcullis").symlink_to("app")
    found = [(finding.path, finding.rule) for finding in check_tree(tmp_path).findings if finding.rule == "link"]
    assert found == [("backend/app/file.py", "link"), ("backend/app/folder", "link")]
    (tmp_path / "backend" / "portcullis").unlink()
    (tmp_path / "backend" / "portcullis").symlink_to("elsewhere")
    assert ("backend/portcullis", "elsewhere") in {(one.path, one.subject) for one in check_tree(tmp_path).findings}


@pytest.mark.parametrize(("place", "source"), PLAIN)
def test_plain_code_passes(place, source):
    assert [str(finding) for finding in check_source(f"backend/app/{place}", source, HOUSE)] == []


@pytest.mark.parametrize("added", ["[project.gui-scripts]\na = 'b:c'\n", "[project.entry-points.x]\ny = 'a:b'\n"])
def test_an_entry_point_needs_its_line_in_the_list(added):
    assert check_source("pyproject.toml", _OURS, HOUSE) == []
    assert [found.rule for found in check_source("pyproject.toml", _OURS + added, HOUSE)] == ["entry-point"]
    assert [found.rule for found in check_source("inner/pyproject.toml", _OURS, HOUSE)] == ["entry-point"]


def test_a_listed_entry_point_that_is_gone_is_reported(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    gone = [found for found in check_tree(tmp_path).findings if found.path == "pyproject.toml"]
    assert [found.rule for found in gone] == ["stale-exception"]
