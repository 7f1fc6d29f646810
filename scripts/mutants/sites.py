"""The sites: every mutant of one source file, with a name that survives edits elsewhere in the file."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType

from .operators import Change, changes_of

__all__ = ["Site", "Source"]

_SHORT = 70
_ALIASES = ("NewType", "ParamSpec", "TypeVar")


@dataclass(frozen=True)
class Site:
    """One mutant: where it is, what it changes, and whether it acts when the module is imported."""

    name: str
    first_line: int
    last_line: int
    owner: tuple[str, int] | None
    """Qualified name and first line of the outermost function round it; None where it acts at import."""
    change: Change


@dataclass
class _Place:
    """Where the walk is: names so far, the outermost function, and what must be left alone here."""

    names: tuple[str, ...] = ()
    owner: tuple[str, int] | None = None
    lines: tuple[int, int] = (1, 1)
    quiet: frozenset[str] = frozenset()
    in_class: bool = False

    def but(self, **changes: object) -> _Place:
        return _Place(**{**self.__dict__, **changes})


@dataclass
class Source:
    """One file as a tree that can be changed at one site and put back."""

    path: str
    text: str
    tree: ast.Module = field(init=False)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)

    def sites(self) -> list[Site]:
        """All mutants, in the order of the text."""
        found: list[Site] = []
        seen: Counter[str] = Counter()
        for place, change in _block(self.tree.body, _Place()):
            before, after = _texts(change)
            where = ".".join(place.names) or "module"
            label = f"{where}: {change[0]}: {before} -> {after}"
            seen[label] += 1
            if seen[label] > 1:
                label += f" #{seen[label]}"
            found.append(Site(label, *place.lines, place.owner, change))
        return found

    def mutated(self, site: Site, filename: str) -> CodeType:
        """The module's code with this one fault."""
        _, node, name, value = site.change
        kept = getattr(node, name)
        setattr(node, name, value)
        try:
            return compile(ast.fix_missing_locations(self.tree), filename, "exec", dont_inherit=True)
        finally:
            setattr(node, name, kept)


def _texts(change: Change) -> tuple[str, str]:
    """The changed part before and after: an expression as a whole, of a block the one statement."""
    _, node, name, value = change
    kept = getattr(node, name)
    if isinstance(kept, list) and isinstance(value, list) and len(value) < len(kept):
        gone = next(old for old in kept if not any(old is new for new in value))
        called = f" of {_short(node.func)}" if isinstance(node, ast.Call) else ""
        return _short(gone) + called, "nothing"
    if isinstance(node, ast.expr | ast.comprehension | ast.AugAssign):
        before = _short(node)
        setattr(node, name, value)
        after = _short(node)
        setattr(node, name, kept)
        return before, after
    if isinstance(kept, list) and isinstance(value, list) and len(kept) == len(value):
        pairs = [(old, new) for old, new in zip(kept, value, strict=True) if old is not new]
        return _short(pairs[0][0]), _short(pairs[0][1])
    return _short(kept), _short(value)


def _short(shown: object) -> str:
    if isinstance(shown, list):
        text = "; ".join(_short(one) for one in shown)
    else:
        text = ast.unparse(ast.fix_missing_locations(shown)) if isinstance(shown, ast.AST) else repr(shown)
    text = " ".join(text.split())
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def _block(body: list[ast.stmt], place: _Place) -> Iterator[tuple[_Place, Change]]:
    for statement in body:
        yield from _statement(statement, place)


def _statement(node: ast.stmt, place: _Place) -> Iterator[tuple[_Place, Change]]:
    here = place.but(lines=(node.lineno, node.end_lineno or node.lineno))
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return
        case ast.Expr(value=ast.Call(func=ast.Name(id="assert_never"))):
            return  # the type checker shows that nobody gets there
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return
        case ast.Assign(value=ast.Call(func=ast.Name(id=name))) if name in _ALIASES:
            return
        case ast.ClassDef():
            inner = place.but(names=(*place.names, node.name), in_class=True)
            yield from _removals(node, "body", inner)
            yield from _block(node.body, inner)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from _function(node, here)
        case ast.AnnAssign():
            if place.in_class and place.owner is None:
                yield from _annotation(node.annotation, here)
            if node.value is not None:
                yield from _expression(node.value, here)
        case ast.Raise():
            # Texts of errors are for people; what the tests expect is the type.
            yield from _children(node, here.but(quiet=here.quiet | {"text"}))
        case ast.Assign(targets=[ast.Tuple()], value=ast.Tuple() as value):
            for part in value.elts:
                yield from _expression(part, here)
        case _:
            yield from _whole(node, here)


def _whole(node: ast.stmt, here: _Place) -> Iterator[tuple[_Place, Change]]:
    """A statement with its own changes, those of its expressions, and its blocks."""
    head = here
    first = node.lineno
    bodies = [name for name, value in ast.iter_fields(node) if _is_block(value)]
    if bodies:
        head = here.but(lines=(first, max(first, node.body[0].lineno - 1)))
    for change in changes_of(node):
        if change[2] not in bodies:
            yield head, change
    if isinstance(node, ast.With | ast.AsyncWith) and all(item.optional_vars is None for item in node.items):
        yield head, ("unguarded", node, "items", [ast.withitem(_nothing())])
    if isinstance(node, ast.Try):
        yield from _try(node, here)
    for name, value in ast.iter_fields(node):
        if name in bodies:
            yield from _removals(node, name, here)
            yield from _block(value, here)
        elif isinstance(value, list) and value and isinstance(value[0], ast.match_case):
            for case in value:
                if case.guard is not None:
                    yield here.but(lines=(case.pattern.lineno,) * 2), ("always", case, "guard", None)
                    yield from _expression(case.guard, here.but(lines=(case.pattern.lineno,) * 2))
                yield from _removals(case, "body", here)
                yield from _block(case.body, here)
        elif isinstance(value, ast.AST | list):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.expr):
                    yield from _expression(child, head)
                elif isinstance(child, ast.withitem):
                    yield from _expression(child.context_expr, head)


def _try(node: ast.Try, here: _Place) -> Iterator[tuple[_Place, Change]]:
    for handler in node.handlers:
        lines = here.but(lines=(handler.body[0].lineno, handler.body[-1].end_lineno or handler.lineno))
        if not (len(handler.body) == 1 and isinstance(handler.body[0], ast.Raise) and handler.body[0].exc is None):
            yield lines, ("handler", handler, "body", [ast.Raise()])
        yield from _removals(handler, "body", here)
        yield from _block(handler.body, here)


def _is_block(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], ast.stmt)


def _removals(node: ast.AST, name: str, here: _Place) -> Iterator[tuple[_Place, Change]]:
    """Statements of a block that are taken away or exchanged, each at its own lines."""
    body: list[ast.stmt] = getattr(node, name)
    for change in changes_of(_Block(body)):
        new = change[3]
        if isinstance(new, list):
            place = next(number for number, (old, other) in enumerate(zip(body, new, strict=True)) if old is not other)
            gone = body[place]
            if isinstance(gone, ast.Expr) and _is_unremovable(gone):
                continue
            lines = (gone.lineno, gone.end_lineno or gone.lineno)
            yield here.but(lines=lines), (change[0], node, name, new)


class _Block(ast.AST):
    """A bare list of statements, so that the operators see nothing else."""

    _fields = ("body",)

    def __init__(self, body: list[ast.stmt]) -> None:
        super().__init__()
        self.body = body


def _is_unremovable(node: ast.Expr) -> bool:
    called = node.value.func if isinstance(node.value, ast.Call) else None
    return isinstance(node.value, ast.Constant) or (isinstance(called, ast.Name) and called.id == "assert_never")


def _nothing() -> ast.expr:
    """A context that does nothing, for `with` and `async with`."""
    return ast.parse("__import__('contextlib').nullcontext()", mode="eval").body


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, here: _Place) -> Iterator[tuple[_Place, Change]]:
    names = (*here.names, node.name)
    outside = here.but(names=names, lines=(node.lineno, node.lineno))
    for default in (*node.args.defaults, *node.args.kw_defaults):
        if default is not None:
            yield from _expression(default, outside)
    first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
    owner = here.owner or (".".join(names), first)
    inner = here.but(names=names, owner=owner, in_class=False)
    yield from _removals(node, "body", inner)
    yield from _block(node.body, inner)


def _annotation(node: ast.expr, here: _Place) -> Iterator[tuple[_Place, Change]]:
    """What a model reads from an annotation: constraints and literals; the rest is for the type checker."""
    match node:
        case ast.Call():
            yield from _expression(node, here)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple() as choice):
            for change in changes_of(choice):
                yield here, change
        case _:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from _annotation(child, here)


def _expression(node: ast.expr, here: _Place) -> Iterator[tuple[_Place, Change]]:
    for change in changes_of(node):
        yield here, change
    yield from _children(node, here)


def _children(node: ast.AST, here: _Place) -> Iterator[tuple[_Place, Change]]:
    for name, value in ast.iter_fields(node):
        if name in ("format_spec", "annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if "text" in here.quiet and (isinstance(child, ast.JoinedStr) or _is_text(child)):
                continue
            if isinstance(child, ast.Tuple) and isinstance(node, ast.Subscript) and name == "slice":
                yield from _children(child, here)
            elif isinstance(child, ast.expr):
                yield from _expression(child, here)
            elif isinstance(child, ast.keyword) and child.arg == "strict":
                continue
            elif isinstance(child, ast.keyword | ast.comprehension | ast.arguments):
                for change in changes_of(child):
                    yield here, change
                yield from _children(child, here)


def _is_text(node: object) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
