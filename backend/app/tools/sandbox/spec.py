"""What a worker is: whose tool or parser it runs, and how much it may use."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from ...kernel.models import FrozenModel, Text
from ...parsing.document import LARGEST_FILE, LAZY_READERS, parse_document
from .walls.levels import SandboxLevel, Wall

__all__ = ["ParserSpec", "WorkerSpec", "page_parser"]

_Target = Annotated[Text, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
_Module = Annotated[Text, StringConstraints(pattern=r"^[A-Za-z_][\w.]*$")]
_Positive = Annotated[int, Field(ge=1)]


class WorkerSpec(FrozenModel):
    """A tool for worker processes: `factory(config)` is called once in each and returns a blocking function."""

    factory: _Target
    config: Text = ""
    memory_limit_bytes: _Positive = 1 << 30
    """Address space, so mapped files and thread stacks count too."""
    max_workers: _Positive = 4
    """The most processes that there may be, blocked ones included."""
    at_once: _Positive | None = None
    """Calls that run together as long as they are short; as many as there may be workers, unless it is said."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that the machine needs (a library path, say); the host's own environment is never passed on."""


class ParserSpec(FrozenModel):
    """A parser for confined processes, `parse(data, name)`, and what one document may use of them."""

    parser: _Target = f"{parse_document.__module__}:{parse_document.__name__}"
    preload: tuple[_Module, ...] = LAZY_READERS
    """Modules that the parser imports only when it meets a document that needs them: later is too late."""
    cpu_limit_s: Annotated[int, Field(ge=1, le=3_600)] = 5
    wall_limit_ms: _Positive = 20_000
    """For a parser that waits instead of working; far above the other, since a machine may be busy."""
    memory_limit_bytes: _Positive = 1 << 30
    largest_document: _Positive = LARGEST_FILE
    largest_answer: _Positive = 12 * LARGEST_FILE  # that many bytes, each escaped at its worst, and headings
    documents_per_process: _Positive = 5_000
    max_processes: _Positive = 2
    deny_files: bool = False
    """Refuse a look at a file in silence, for libraries that search the machine (for fonts, say) and can do without."""
    walls: tuple[Wall, ...] = tuple(Wall)
    """What to raise where the kernel has it; all of it, except where a weaker machine is to be tried."""
    required: SandboxLevel | None = None
    """Read nothing at all where a process does not reach this level."""


def page_parser() -> str:
    """The parser of fetched pages, under whatever name the package was imported; only here are its readers loaded."""
    from ...parsing.fetched import read_fetched

    return f"{read_fetched.__module__}:{read_fetched.__name__}"
