"""The guards beside import-linter: an allow-list for the frozen core, and the ways round imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from tests.architecture.source import ROOT, absolute_imports, modules

ALLOWED = {
    "kernel": {
        "__future__", "collections.abc", "dataclasses", "enum", "hashlib",
        "json", "pydantic", "re", "rfc8785", "typing",
    },
    "research": {
        "__future__", "asyncio", "collections.abc", "contextlib", "dataclasses", "opentelemetry.metrics",
        "opentelemetry.trace", "pydantic", "re", "re2", "typing",
    },
}  # fmt: skip
TELEMETRY_ONLY = {"opentelemetry.metrics", "opentelemetry.trace"}
LOOP_USERS = {"research/adapter.py", "research/cutting.py", "research/router.py"}
FORBIDDEN_CALLS = {
    "__import__",
    "breakpoint",
    "compile",
    "eval",
    "exec",
    "globals",
    "hash",
    "id",
    "input",
    "open",
    "vars",
}
FORBIDDEN_ATTRIBUTES = {"as_completed", "modules", "__subclasses__", "__globals__", "__builtins__", "__dict__", "wait"}


@pytest.mark.clause("3.1")
def test_import_contracts_are_kept():
    linter = [str(Path(sys.executable).with_name("lint-imports")), "--config", "importlinter.ini", "--no-cache"]
    done = subprocess.run(linter, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert "9 kept, 0 broken" in done.stdout


@pytest.mark.clause("3.1")
@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_the_core_imports_only_what_is_listed(room):
    for name, tree in modules(room).items():
        assert absolute_imports(tree) <= ALLOWED[room], name


def test_telemetry_and_the_loop_have_their_rooms():
    for name, tree in modules("research").items():
        imported = absolute_imports(tree)
        assert not imported & TELEMETRY_ONLY or name == "research/telemetry.py", name
        assert "asyncio" not in imported or name in LOOP_USERS, name


@pytest.mark.clause("3.1")
def test_every_import_inside_the_package_is_relative():
    for name, tree in modules().items():
        assert not {imported for imported in absolute_imports(tree) if imported.split(".")[0] == "app"}, name


@pytest.mark.clause("3.1")
def test_nothing_walks_round_an_import():
    for name, tree in modules("kernel", "parsing", "evidence", "research", "capabilities").items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in FORBIDDEN_CALLS, f"{name}:{node.lineno} calls {node.func.id}"
            if isinstance(node, ast.Attribute):
                assert node.attr not in FORBIDDEN_ATTRIBUTES, f"{name}:{node.lineno} reaches for {node.attr}"


def test_no_module_opens_urls_by_the_standard_library():
    for name, tree in modules().items():
        assert "urllib.request" not in absolute_imports(tree), name


def test_every_folder_with_code_is_a_package():
    folders = {(ROOT / "backend" / "app" / name).parent for name in modules()}
    assert all((folder / "__init__.py").is_file() for folder in folders)
