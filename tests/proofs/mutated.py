"""A genuine module of the product, and the same one with a single mutant in it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import FunctionType, ModuleType

from scripts.mutants.sites import Source

ROOT = Path(__file__).parents[2]


def text_of(name: str) -> str:
    """The source as it stands."""
    return (ROOT / name).read_text(encoding="utf-8")


def mutated_text(name: str, mutant: str) -> str:
    """The source with the mutant in it."""
    source = Source(name, text_of(name))
    site = next(site for site in source.sites() if site.name == mutant)
    _, node, field, value = site.change
    setattr(node, field, value)
    return ast.unparse(ast.fix_missing_locations(source.tree))


def mutated_module(name: str, mutant: str) -> ModuleType:
    """A second module beside the genuine one; nobody else sees it."""
    dotted = name.removeprefix("backend/").removesuffix(".py").replace("/", ".")
    module = ModuleType(f"{dotted}_mutant")
    module.__package__ = dotted.rpartition(".")[0]
    sys.modules[module.__name__] = module  # where pydantic looks names of annotations up
    FunctionType(compile(mutated_text(name, mutant), name, "exec"), module.__dict__)()
    return module
