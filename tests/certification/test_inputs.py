"""Inputs of checks and proofs: what counts of a file, what a file brings in, and what a change makes stale."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.certify.check_inputs import inputs_of
from scripts.certify.manifest import read_manifest
from scripts.inputs.content import Reading, code_of, content_digest
from scripts.inputs.declared import Checkout, Declared, Inputs, stale_because
from scripts.inputs.packages import pins_of
from scripts.inputs.tree import Change, Tree, matching
from scripts.staleness import main, stale_after
from tests.doors.command import ROOT

SPACES = "   "
CODE = f'''"""Docstring."""  # said

# alone
def f(x):{SPACES}
    text = """one{SPACES}

    # no comment
two"""  # a comment
    return f"{{x}}#" + text
'''
BARE = f'''"""Docstring."""
def f(x):
    text = """one{SPACES}

    # no comment
two"""
    return f"{{x}}#" + text'''
BY_BYTES = {"bypasses", "exemptions", "guard", "imports", "lint", "lock", "own-words", "shape", "types"}
DRIFT_AND_TYPES = BY_BYTES | {"clauses", "documents", "rulings", "wheel"}


@pytest.fixture(scope="module")
def manifest():
    return read_manifest(ROOT)


@pytest.fixture(scope="module")
def now():
    return Checkout(Tree(ROOT))


def test_comments_and_blank_lines_do_not_count_and_strings_do():
    assert code_of(CODE.encode()).decode() == BARE
    assert code_of(BARE.encode()) == BARE.encode()
    assert code_of(CODE.replace("one   \n\n", "one\n\n").encode()) != BARE.encode()
    assert code_of(CODE.replace("one   \n\n", "one   \n").encode()) != BARE.encode()
    assert code_of(CODE.replace("Docstring", "Another").encode()) != BARE.encode()


@pytest.mark.parametrize("data", [b"x = (", b"\xff = 1", b"'''open", b"  x\n y\n"])
def test_what_cannot_be_tokenized_counts_by_its_bytes(data):
    assert code_of(data) == data


def test_only_python_has_code():
    assert content_digest("a.json", b"# 1", Reading.CODE) == content_digest("a.json", b"# 1", Reading.BYTES)
    assert content_digest("a.py", b"x # 1", Reading.CODE) == content_digest("a.py", b"x", Reading.CODE)
    assert content_digest("a.py", b"x # 1", Reading.BYTES) != content_digest("a.py", b"x", Reading.BYTES)


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_other_pythons_read_the_same_code(version):
    found = [Path(place) / f"python{version}" for place in os.environ["PATH"].split(os.pathsep)]
    found += sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}*/bin/python"))
    script = (
        "import hashlib, sys, pathlib; sys.path.insert(0, sys.argv[1]); from scripts.inputs.content import code_of\n"
        "files = sorted(pathlib.Path(sys.argv[1]).glob('*/**/*.py'))\n"
        "print(hashlib.sha256(b''.join(code_of(file.read_bytes()) for file in files)).hexdigest())"
    )

    def said(python):
        done = subprocess.run([python, "-c", script, ROOT / "scripts"], cwd=ROOT, capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else ""

    mine = said(sys.executable)
    others = {told for python in found if python.is_file() and (told := said(python))}
    assert len(mine) == 65
    assert others <= {mine}


@pytest.mark.parametrize(
    ("patterns", "wanted"),
    [
        (("a",), ["a/b.py", "a/c/d.py", "a/e.json"]),
        (("a/*.py",), ["a/b.py"]),
        (("a/**/*.py",), ["a/b.py", "a/c/d.py"]),
        (("**/*.py", "!a/c"), ["a/b.py"]),
        (("*.md",), ["x.md"]),
    ],
)
def test_patterns(patterns, wanted):
    assert list(matching(["a/b.py", "a/c/d.py", "a/e.json", "x.md"], patterns)) == wanted


@pytest.fixture
def house(tmp_path):
    files = {
        "backend/app/__init__.py": "from .kernel.a import A\nfrom .wiring import open_gate\n",
        "backend/app/kernel/__init__.py": "",
        "backend/app/kernel/a.py": "import pydantic\nA = 1\n",
        "backend/app/wiring.py": "from .capabilities.registry import ALL\nfrom .research.adapter import open_tool\n",
        "backend/app/research/__init__.py": "",
        "backend/app/research/adapter.py": "from ..tools.tool import open_tool\nfrom ..kernel import a\n",
        "backend/app/tools/__init__.py": "",
        "backend/app/tools/tool.py": 'NAME = f"{__package__}.helper:run"\nPART = "worker:run"\n',
        "backend/app/tools/worker.py": "",
        "backend/app/capabilities/__init__.py": "",
        "backend/app/capabilities/registry.py": "from .one import ONE\nALL = ONE\n",
        "backend/app/capabilities/one.py": "from .part import PART\nONE = 1\n",
        "backend/app/capabilities/part.py": "PART = 1\n",
        "tests/__init__.py": "",
        "tests/conftest.py": "from tests.fixtures import box\n",
        "tests/fixtures/__init__.py": "",
        "tests/fixtures/box.py": "",
        "tests/test_adapter.py": "def test():\n    from app.research.adapter import Adapter\n",
        "tests/test_front.py": "from app import A\n",
        "tests/test_gate.py": "from app import open_gate\n",
        "tests/test_one.py": "from app.capabilities import one\n",
        "tests/test_started.py": 'LINE = ["-m", "tests.program"]\nCODE = "from app.kernel.a import A; print(A)"\n',
        "tests/test_typed.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from app.kernel.a import A\n",
        "tests/program/__init__.py": "",
        "tests/program/__main__.py": "from ..fixtures import box\n",
        "pyproject.toml": "[tool.pytest.ini_options]\nxfail_strict = true\n[tool.other]\nx = 1\n",
        "requirements/dev.txt": "pydantic==2 \\\n    # via -r run.in\ncore==1\n    # via\n    #   pydantic\nruff==9\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


APP = "backend/app"


@pytest.mark.parametrize(
    ("test", "wanted"),
    [
        ("test_adapter", [f"{APP}/kernel/a.py", f"{APP}/research/adapter.py"]),
        ("test_front", [f"{APP}/kernel/a.py"]),
        (
            "test_gate",
            [
                *(f"{APP}/{name}.py" for name in ("kernel/a", "research/adapter", "tools/tool", "tools/worker")),
                f"{APP}/wiring.py",
            ],
        ),
        ("test_one", [f"{APP}/capabilities/one.py", f"{APP}/capabilities/part.py"]),
        ("test_started", [f"{APP}/kernel/a.py", "tests/program/__init__.py", "tests/program/__main__.py"]),
        ("test_typed", []),
    ],
)
def test_what_a_test_brings_in(test, wanted, house):
    path = f"tests/{test}.py"
    found = Checkout(Tree(house)).inputs(Declared(), [path]).files
    always = {path, "tests/conftest.py", "tests/fixtures/box.py", "pyproject.toml [tool.pytest]"}
    pins = {name for name in found if name.startswith("requirements/")}
    assert set(found) - always - pins == set(wanted)
    assert pins == (
        {f"requirements/dev.txt [{name}]" for name in ("core", "pydantic")} if wanted and test != "test_one" else set()
    )


def test_settings_of_other_tools_do_not_count(house):
    before = Checkout(Tree(house)).inputs(Declared(), ["tests"])
    text = (house / "pyproject.toml").read_text(encoding="utf-8")
    (house / "pyproject.toml").write_text(text.replace("x = 1", "x = 2"), encoding="utf-8")
    assert Checkout(Tree(house)).inputs(Declared(), ["tests"]) == before
    (house / "pyproject.toml").write_text(text.replace("true", "false"), encoding="utf-8")
    changed = stale_because(before, Checkout(Tree(house)).inputs(Declared(), ["tests"]))
    assert changed == ("pyproject.toml [tool.pytest] changed",)


def test_an_entry_counts_and_its_neighbours_do_not(house):
    table = house / "catalog.json"
    declared = Declared(rows=("catalog.json [one]",))
    table.write_text('{"tools": [{"name": "one", "price": 1}]}', encoding="utf-8")
    before = Checkout(Tree(house)).inputs(declared)
    table.write_text('{"tools": [{"name": "one", "price": 1}, {"name": "two"}]}', encoding="utf-8")
    assert Checkout(Tree(house)).inputs(declared) == before
    table.write_text('{"tools": [{"name": "one", "price": 2}]}', encoding="utf-8")
    assert Checkout(Tree(house)).inputs(declared) != before
    assert Checkout(Tree(house)).unknown(Declared(rows=("catalog.json [three]",))) == ("catalog.json [three]",)


def test_reasons_name_what_changed():
    old = Inputs.of({"a": "1", "b": "1"})
    assert stale_because(old, old) == ()
    assert stale_because(old, Inputs.of({"a": "2", "c": "1"})) == (
        "a changed",
        "c is a new input",
        "b is no longer an input",
    )
    assert stale_because(Inputs.of({}), old) == ("its inputs were not recorded",)
    assert not old.model_copy(update={"files": {"a": "1"}}).consistent


def test_a_package_counts_with_what_it_needs():
    requirements = (ROOT / "requirements" / "dev.txt").read_bytes()
    assert {"pydantic", "pydantic-core", "typing-extensions"} <= set(pins_of(requirements, ["pydantic"]))
    assert "google-re2" in pins_of(requirements, ["re2"])
    assert pins_of(requirements, ["json", "app"]) == {}


# The end state that this way of counting is for.
@pytest.mark.parametrize(
    ("changes", "most", "proofs"),
    [
        ({"backend/app/research/telemetry.py": Change.COMMENT}, BY_BYTES, set()),
        ({"catalog/providers.json": Change.CODE}, {"documents", "doors", "own-words", "wheel"}, set()),
        (
            {"backend/app/capabilities/another.py": Change.CODE, "backend/app/capabilities/registry.py": Change.CODE},
            DRIFT_AND_TYPES,
            set(),
        ),
        ({"backend/app/providers/another.py": Change.CODE}, DRIFT_AND_TYPES, set()),
    ],
    ids=["comment", "catalogue", "capability", "provider"],
)
def test_what_grows_and_what_is_said_makes_little_stale(changes, most, proofs, manifest):
    told = stale_after(ROOT, manifest, changes)
    assert set(told["checks"]) <= most
    assert set(told["proofs"]) == proofs
    assert told["checks"]


def test_the_screen_makes_stale_what_goes_through_it(manifest):
    told = stale_after(ROOT, manifest, {"backend/app/screen/fold.py": Change.CODE})
    assert {"coverage", "doors", "golden", "rooms", "simulation"} <= set(told["checks"])
    assert not {"policy-model", "stop-calculus", "journal"} & set(told["checks"])
    assert set(told["proofs"]) == {"fuzz", "planted", "simulation"}


def test_every_check_has_inputs_and_its_own_tests_are_among_them(manifest, now):
    for check in manifest.checks:
        files = inputs_of(now, check).files
        assert set(now.test_files(check.paths)) <= set(files), check.id
        assert len(files) > 10, check.id


def test_a_package_front_only_hands_on():
    """So that one which is only on the way to a module need not count."""
    for path in (
        path for name in ("backend", "scripts", "tests", "benchmarks") for path in (ROOT / name).rglob("__init__.py")
    ):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        kinds = ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.Expr
        assert all(isinstance(node, kinds) or _hands_on_late(node) for node in body), path


def _hands_on_late(node):
    """The names of the package are loaded with the first that is asked for; type checkers see them at once."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "TYPE_CHECKING" and not node.orelse
    return isinstance(node, ast.FunctionDef) and node.name in ("__getattr__", "__dir__")


def test_a_name_that_is_loaded_late_counts_as_that_of_its_own_file(now):
    files = now.graph.brought_in("tests/hosts/test_threads.py")
    assert {f"{APP}/kernel/request.py", f"{APP}/wiring/gate.py"} <= files
    assert not {f"{APP}/__init__.py", f"{APP}/front/__init__.py", f"{APP}/research/audience.py"} & files


def test_the_adapter_only_hands_its_tools_on():
    """So that whoever takes no opener from it depends on no tool."""
    tree = ast.parse((ROOT / APP / "research" / "adapter.py").read_text(encoding="utf-8"))
    taken = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tools")
        for alias in node.names
    }
    assert taken
    assert not taken & {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def test_the_command_answers_for_files_that_changed_or_would(capsys):
    assert main(["backend/app/research/resolver.py", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["checks"]["stop-calculus"] == ["backend/app/research/resolver.py changed"]
    assert "mutants of backend/app/research/resolver.py" in told["proofs"]["mutants"]
    assert main(["tests/unit/kernel/test_new.py"]) == 1
    assert "tests/unit/kernel/test_new.py is a new input" in capsys.readouterr().out
    assert main(["nowhere/at/all.txt", "--json"]) == 1
    assert list(json.loads(capsys.readouterr().out)["checks"]) == ["own-words"]


@pytest.mark.parametrize("words", [["--comment"], ["--luck"]])
def test_what_the_command_does_not_understand(words, capsys):
    with pytest.raises(SystemExit):
        main(words)
    assert "usage:" in capsys.readouterr().err


def test_ids_of_tests_depend_on_nothing_but_the_files(tmp_path, request):
    """A digest of them is part of the evidence, and it must be the same on every machine and at every time of day."""
    line = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:xdist", "-p", "no:cacheprovider", "tests"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    (tmp_path / "home").mkdir()
    (tmp_path / "tmp").mkdir()
    other = {
        "HOME": str(tmp_path / "home"),
        "PORTCULLIS_CORPORA": str(tmp_path / "nowhere"),
        "PORTCULLIS_SEEDS": str(tmp_path / "nowhere"),
        "PYTHONHASHSEED": "18",
        "TMPDIR": str(tmp_path / "tmp"),
        "TZ": "Asia/Tokyo",
    }

    def listed(more):
        lines = subprocess.run(line, cwd=ROOT, env={**kept, **more}, capture_output=True, text=True).stdout.splitlines()
        return [name for name in lines if "::" in name]

    ids, elsewhere = [item.nodeid for item in request.session.items], listed(other)
    if len(ids) != len(elsewhere):  # a part of the suite runs here
        ids = listed({"PYTHONHASHSEED": "1", "TZ": "UTC"})
    assert len(ids) > 5_000
    assert ids == elsewhere
    assert max(map(len, ids)) < 600
