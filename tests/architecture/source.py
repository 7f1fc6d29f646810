"""Reading the product's source as trees, for the guards."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "backend" / "app"


def modules(*rooms: str) -> dict[str, ast.Module]:
    """Path inside the package → tree; fails when a room is empty, so that no guard looks at nothing."""
    paths = [path for room in rooms or ("",) for path in sorted((PACKAGE / room).rglob("*.py"))]
    assert paths, f"no modules under {rooms}"
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def absolute_imports(tree: ast.Module) -> set[str]:
    """Every module that is imported from outside the package, wherever in the file."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module or "")
    return found
