"""Rules about types that are texts: pydantic and dataclasses evaluate them, wherever in a type they stand."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .finding import Finding
from .nodes import walked
from .outside import EVALUATORS
from .resolved import home_of, outside_names
from .roots import second_names

__all__ = ["note_rules"]

# Names of two underscores that a module or a class may bind: they change nothing in another module.
_BOUND = frozenset({"__all__", "__match_args__", "__slots__", "__version__"})
_QUIET = (
    ast.BinOp, ast.BitOr, ast.Constant, ast.Expression, ast.List, ast.Load, ast.Name, ast.Subscript, ast.Tuple,
)  # fmt: skip
_ANYTHING = ast.Constant("what a function is given")
_FILES = frozenset({"__main__", "__pycache__"})


def note_rules(path: str, tree: ast.Module) -> Iterator[Finding]:
    """Every type that holds a text or is computed, and every name by which a class claims another place."""
    known = outside_names(path, tree)
    values = _values(tree)
    for node in walked(tree):
        match node:
            case ast.arg(annotation=ast.expr() as note) | ast.AnnAssign(annotation=note):
                yield from _type(path, values, note)
            case ast.FunctionDef(returns=ast.expr() as note) | ast.AsyncFunctionDef(returns=ast.expr() as note):
                yield from _type(path, values, note)
            case ast.Subscript(value=owner, ctx=ast.Load()) if _is_type(owner, known):
                yield from _type(path, values, node)
            case ast.Call(func=func, args=args) if (first := EVALUATORS.get(home_of(_known(func, known)))) is not None:
                for given in (*args[first.start : first.stop], *(word.value for word in node.keywords)):
                    yield from _type(path, values, given)
            case ast.ClassDef(bases=bases):
                for base in bases:
                    yield from _type(path, values, base) if isinstance(base, ast.Subscript) else ()
            case ast.Name(id=word, ctx=ast.Store()) | ast.keyword(arg=str(word)) if _dunder(word):
                if word not in _BOUND:
                    yield Finding(path, node.lineno, "private-reach", word, f"binds `{word}`, which others believe")
            case ast.Constant(value=str(word)) if _dunder(word) and word not in _FILES | _BOUND:
                yield Finding(path, node.lineno, "hidden-code", word, f"spells `{word}` in a text")


def _type(path: str, values: Mapping[str, Sequence[ast.expr]], note: ast.expr) -> Iterator[Finding]:
    match note:
        case ast.Constant(value=str(text)):
            if not _names_only(text):
                yield Finding(path, note.lineno, "hidden-code", text, "quotes a type, which may be evaluated")
        case ast.Subscript(value=owner) if _last(owner) == "Literal":
            return
        case ast.Subscript(value=owner, slice=ast.Tuple(elts=[first, *_])) if _last(owner) == "Annotated":
            yield from _type(path, values, first)
        case ast.Subscript(value=owner, slice=inside):
            yield from _type(path, values, owner)
            yield from _type(path, values, inside)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            yield from _type(path, values, left)
            yield from _type(path, values, right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _type(path, values, part)
        case ast.Call(func=ast.Name(id="type"), args=[_]):
            return  # the type of a value that is there
        case ast.Name(id=name) if any(_computed(value) for value in values.get(name, ())):
            yield Finding(path, note.lineno, "hidden-code", name, f"`{name}` stands for a type and is computed")
        case ast.Constant() | ast.Attribute() | ast.Name() | ast.Starred():
            return
        case _:
            said = ast.unparse(note)
            yield Finding(path, note.lineno, "hidden-code", said, f"computes a type: `{said}`")


def _values(tree: ast.Module) -> dict[str, list[ast.expr]]:
    """What the file binds its names to; an argument of a function may be anything."""
    found: dict[str, list[ast.expr]] = {}
    for name, value in second_names(tree):
        found.setdefault(name, []).append(value)
    for node in walked(tree):
        if isinstance(node, ast.arg):
            found.setdefault(node.arg, []).append(_ANYTHING)
    return found


def _computed(value: ast.expr) -> bool:
    """A text, or what may become one; a call makes a type variable, an alias or a value."""
    match value:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.BinOp(op=op):
            return not isinstance(op, ast.BitOr)
        case ast.Call(func=ast.Attribute()):
            return True
        case ast.IfExp(body=one, orelse=other):
            return _computed(one) or _computed(other)
    return False


def _names_only(text: str) -> bool:
    """A type that holds itself has to be quoted: names and brackets, which do nothing when they are evaluated."""
    try:
        return all(isinstance(node, _QUIET) for node in ast.walk(ast.parse(text, mode="eval")))
    except SyntaxError:
        return False


def _is_type(node: ast.expr, known: dict[str, Any]) -> bool:
    """`list[...]`, `Optional[...]`, `TypeAdapter[...]`: what stands in the brackets is a type."""
    if isinstance(node, ast.Name) and node.id not in known:
        return isinstance(getattr(builtins, node.id, None), type)
    found = _known(node, known)
    return isinstance(found, type) or type(found).__module__ in ("typing", "typing_extensions")


def _known(node: ast.expr, known: dict[str, Any]) -> Any:
    if isinstance(node, ast.Subscript):
        return _known(node.value, known)
    if isinstance(node, ast.Attribute):
        owner = _known(node.value, known)
        return getattr(owner, node.attr, None) if owner is not None else None
    return known.get(node.id) if isinstance(node, ast.Name) else None


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _dunder(word: str) -> bool:
    return word.startswith("__") and word.endswith("__") and len(word) > 4
