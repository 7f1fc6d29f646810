"""The nodes of a file's tree: every rule asks for all of them, so they are listed once."""

from __future__ import annotations

import ast
from functools import lru_cache

__all__ = ["walked"]


@lru_cache(maxsize=64)
def walked(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Every node, in the order of `ast.walk`."""
    return tuple(ast.walk(tree))
