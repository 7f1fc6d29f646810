"""An oracle must know nothing of the product that it judges."""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["independent"]

_ORACLES = ("stop_model.py", "policy_model.py", "ledger_oracle.py")


def independent(root: Path) -> list[str]:
    """An oracle that imports the product, or a module beside it, is none."""
    problems = []
    for name in _ORACLES:
        tree = ast.parse((root / "tests" / "reference" / name).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            modules = []
            if isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                modules = ["." * node.level + (node.module or "")]
            problems += [
                f"the oracle {name} imports `{module}`"
                for module in modules
                if module.startswith((".", "app", "tests", "scripts", "importlib"))
            ]
    return problems
