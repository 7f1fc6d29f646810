"""The shape of the house: file sizes, docstrings, public names, and the listed exceptions."""

from __future__ import annotations

import ast

import pytest
from scripts.guard import read_house
from scripts.guard.house import at_home
from scripts.guard.lists import CONSTRUCTORS
from scripts.guard.seals import sites
from tests.architecture.source import PACKAGE, ROOT, modules

LINES_MAX = 400
# Every place that may catch everything: the gate itself and one per process border (R12).
CATCH_ALL = {
    "chat/border.py": 1,
    "chat/connections.py": 1,
    "chat/running.py": 1,
    "cli/main.py": 1,
    "mcp_server/process_border.py": 1,
    "research/router.py": 1,
    "tools/sandbox/inside/reader.py": 1,
    "tools/sandbox/inside/worker.py": 1,
}


def test_no_file_is_too_long():
    long = {}
    for name in modules():
        lines = (PACKAGE / name).read_text(encoding="utf-8").splitlines()
        if len(lines) > LINES_MAX and "lines because" not in lines[0]:
            long[name] = len(lines)
    assert long == {}


def test_every_module_says_what_it_is_for():
    for name, tree in modules().items():
        assert ast.get_docstring(tree), name


def test_public_names_are_sorted_and_exist():
    for name, tree in modules().items():
        for node in tree.body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                public = ast.literal_eval(node.value)
                assert public == sorted(public, key=_isort_style), name


def _isort_style(name: str) -> tuple[int, str]:
    if name.isupper():
        return 0, name
    return (1, name) if name[:1].isupper() else (2, name)


@pytest.mark.ruling("R12")
@pytest.mark.clause("3.6")
def test_catching_everything_is_a_listed_exception():
    found: dict[str, int] = {}
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler) and _catches_all(node):
                found[name] = found.get(name, 0) + 1
    assert {name: count for name, count in found.items() if name in CATCH_ALL} == CATCH_ALL
    # `except BaseException: ... raise` cleans up and hides nothing.
    assert set(found) == set(CATCH_ALL)


def _catches_all(handler: ast.ExceptHandler) -> bool:
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)} if handler.type else {"bare"}
    passes_on = isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None
    return bool(names & {"Exception", "BaseException", "bare"}) and not passes_on


@pytest.mark.clause("3.1")
def test_only_the_room_that_owns_a_type_builds_it():
    # The guard refuses other sites; here each listed home has a site that really builds.
    found = sites(read_house(ROOT))
    assert set(found) == set(CONSTRUCTORS)
    for name, homes in CONSTRUCTORS.items():
        assert [site for site in sorted(found[name]) if not at_home(site, homes)] == [], name
        assert [home for home in sorted(homes) if not any(at_home(site, (home,)) for site in found[name])] == [], name


@pytest.mark.clause("3.1")
def test_the_product_adds_nothing_to_its_mcp_server_that_does_not_go_through_the_gate():
    """Only a server that a test suite examines has parts of its own."""
    built, opened = [], []
    for name, tree in modules().items():
        for node in ast.walk(tree):
            called = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
            if called == "AddedParts":
                built.append(name)
            elif called == "open_door":
                opened.append((name, len(node.args), [one.arg for one in node.keywords]))
    assert built == ["mcp_server/added_parts.py"]
    assert {name for name, _, _ in opened} == {"cli/mcp.py"}
    assert all(given == 3 and not more for _, given, more in opened)


@pytest.mark.clause("3.5")
def test_no_model_chooses_a_tool():
    for name, tree in modules("kernel", "research", "capabilities").items():
        for node in ast.walk(tree):
            names = {getattr(node, "id", ""), getattr(node, "attr", "")}
            assert not names & {"openai", "anthropic", "completion", "completions", "llm"}, name


def test_no_two_classes_have_the_same_name():
    places: dict[str, list[str]] = {}
    for name, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(name)
    assert len(places) > 300
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


# One idea on several floors: its values, its rule, its store, its command. Any other name stands for one module.
SHARED_MODULE_NAMES = {
    "assembly", "audit", "clock", "document_index", "errors", "failure", "files", "gate", "health", "ids", "index",
    "ledger", "memory", "notices", "passages", "providers", "records", "sandbox", "scrape_page", "services", "sqlite",
    "tripwire",
}  # fmt: skip


def test_no_two_modules_have_the_same_name_for_different_things():
    places: dict[str, list[str]] = {}
    for name in modules():
        stem = name.rpartition("/")[2].removesuffix(".py")
        if stem != "__init__":
            places.setdefault(stem, []).append(name)
    shared = {stem for stem, where in places.items() if len(where) > 1}
    assert shared == SHARED_MODULE_NAMES


def test_the_top_of_parsing_stays_small():
    assert len([name for name in modules() if name.startswith("parsing/") and name.count("/") == 1]) <= 8
