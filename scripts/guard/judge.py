"""The judge: runs every rule on one file or on a whole tree and takes the listed exceptions out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from .entries import PROJECT, entry_rules, missing_entries
from .finding import Finding, Report
from .house import PACKAGE, House, read_house
from .imports import import_rules
from .lasting import lasting_rules
from .lists import EXCEPTIONS
from .notes import note_rules
from .patches import patch_rules
from .plans import plan_rules
from .reach import reach_rules
from .resolved import resolved_rules
from .seals import seal_rules
from .state import state_rules
from .words import LINKS

__all__ = ["check_source", "check_tree"]

# Files that Python runs or loads without an import statement that anybody could read.
_FOREIGN = (".pth", ".so", ".pyd", ".dll", ".pyc", ".egg", ".pyz")
_START_UP = ("sitecustomize.py", "usercustomize.py")
# The guard spells what it refuses.
_OWN = "scripts/guard/"


def check_source(path: str, source: str, house: House) -> list[Finding]:
    """What the guard says about one file at a would-be path (from the root of the repository)."""
    return [found for found in _all(path, source, house) if _key(found) not in EXCEPTIONS]


def check_tree(root: Path) -> Report:
    """What the guard says about a repository; a stale exception is a finding as well."""
    house = read_house(root)
    findings: list[Finding] = []
    used = set()
    for path, source in house.files.items():
        for found in _all(path, source, house):
            if _key(found) in EXCEPTIONS:
                used.add(_key(found))
            else:
                findings.append(found)
    for path, leads_to in house.links.items():
        if (path, leads_to) not in LINKS:
            findings.append(Finding(path, 0, "link", leads_to, f"leads to `{leads_to}`, where nobody looks"))
    for path, rule, subject in sorted(set(EXCEPTIONS) - used):
        message = f"exception for `{subject}` of rule {rule} is not needed any more"
        findings.append(Finding(path, 0, "stale-exception", subject, message))
    for subject in missing_entries(house.files.get(PROJECT, "")):
        message = f"the list of entry points has `{subject}`, which is gone"
        findings.append(Finding(PROJECT, 0, "stale-exception", subject, message))
    return Report(sum(path.endswith(".py") for path in house.files), tuple(sorted(findings)))


def _key(found: Finding) -> tuple[str, str, str]:
    return found.path, found.rule, found.subject


def _all(path: str, source: str, house: House) -> Iterator[Finding]:
    name = PurePosixPath(path).name
    if name.endswith(_FOREIGN) or name in _START_UP:
        yield Finding(path, 0, "foreign-file", name, f"`{name}` runs or loads code without an import")
    yield from entry_rules(path, source)
    if not name.endswith(".py") or path.startswith(_OWN):
        return
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        yield Finding(path, 0, "unreadable", name, "is not Python that the guard can read")
        return
    if path.startswith(PACKAGE):
        yield from _folders(path, house)
        yield from seal_rules(path, tree)
        yield from state_rules(path, tree)
        yield from lasting_rules(path, tree)
        yield from plan_rules(path, tree)
        yield from note_rules(path, tree)
    yield from patch_rules(path, tree, house)
    yield from import_rules(path, tree, house)
    yield from reach_rules(path, tree)
    yield from resolved_rules(path, tree)


def _folders(path: str, house: House) -> Iterator[Finding]:
    """A folder without `__init__.py` is importable and unseen by import contracts."""
    for folder in PurePosixPath(path.removeprefix(PACKAGE)).parents:
        module = ".".join(folder.parts)
        if module not in house.packages and not (path.endswith("/__init__.py") and folder.parts):
            yield Finding(path, 0, "namespace-folder", module, f"folder `{module}` has no `__init__.py`")
