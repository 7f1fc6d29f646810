"""Running mutants: processes that already hold the tests fork once per mutant, and the first failing test ends it."""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.machinery
import math
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from .sites import Site

__all__ = ["QUIET", "Ended", "NotPlanted", "Piece", "Tests", "Warm", "fresh", "limit", "side_by_side"]

Ended = tuple[str, str]
"""`killed`, `timed_out`, `survived`, or `unplanted` where it must be tried another way; and the test that killed."""

_CPU_S, _WALL_S = 4.0, 30.0
_SLOWER, _LONGER, _ALL_LONGER = 15.0, 3.0, 4.0
_BEFORE_S = 30.0
_MEMORY = 3 << 30
_NOTE = 4096
_KILLED, _SURVIVED, _UNPLANTED, _BROKEN = 1, 0, 3, 4
# Packages are in memory before pytest could rewrite the asserts of their plugins.
QUIET = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-W", "ignore:Module already imported")


Tests = Callable[[], int]
"""What a fork runs once its fault is planted; the answer is its exit code."""
Piece = Callable[[Callable[[str], None]], Tests]
"""Work for one fork: it plants its fault and hands over the tests, which say where they are."""


class NotPlanted(Exception):
    """A fork failed before there was a fault in it: whatever it would have told is about the engine."""


def side_by_side(jobs: int, work: Iterable[Piece]) -> Iterator[tuple[int, Ended]]:
    """Fork one process per piece of work, at most `jobs` at once; how each ended, with its number.

    Raises:
        NotPlanted: a piece failed while it planted its fault.
    """
    waiting = enumerate(work)
    running: dict[int, tuple[int, int]] = {}
    while True:
        while len(running) < jobs and (following := next(waiting, None)) is not None:
            number, piece = following
            notes = os.memfd_create("notes")
            pid = os.fork()
            if pid == 0:
                _child(piece, notes)
            running[pid] = (number, notes)
        if not running:
            return
        pid, status = os.wait()
        if pid not in running:
            continue
        number, notes = running.pop(pid)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)  # whatever the tests had started
        told = os.pread(notes, _NOTE, 0).decode()
        os.close(notes)
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _BROKEN:
            for other in running:
                os.kill(other, signal.SIGKILL)
            raise NotPlanted(told)
        yield number, _ended(status, told)


def _ended(status: int, told: str) -> Ended:
    if os.WIFSIGNALED(status):
        alarm = os.WTERMSIG(status) in (signal.SIGALRM, signal.SIGPROF)
        if alarm and not told:
            return "unplanted", ""  # it stood still before its first test: that tells nothing of the mutant
        return ("timed_out" if alarm else "killed"), told
    if os.WEXITSTATUS(status) == _UNPLANTED:
        return "unplanted", ""
    return ("survived", "") if os.WEXITSTATUS(status) == _SURVIVED else ("killed", told)


def _child(piece: Piece, notes: int) -> None:
    code = _BROKEN

    def tell(line: str) -> None:
        """The last word counts; a pipe would fill up."""
        os.ftruncate(notes, 0)
        os.pwrite(notes, line.encode()[:_NOTE], 0)

    try:
        os.setsid()
        silence = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(silence, number)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        limit(_BEFORE_S)  # a fork can also stand still before its first test, which sets its own limit
        tests = piece(tell)
        code = _KILLED  # whatever a mutant raises from here on, it was noticed
        code = tests()
    except BaseException as exc:
        tell(f"raised {type(exc).__name__}: {exc}" if code == _BROKEN else f"raised {type(exc).__name__}")
        raise  # to nobody: the process ends here
    finally:
        os._exit(code)


def limit(seconds: float, until: float = math.inf) -> None:
    """From now on: so much processor time, and so much time at all, then the process dies; at `until` in any case."""
    signal.setitimer(signal.ITIMER_PROF, _CPU_S + _SLOWER * seconds)
    left = max(until - time.monotonic(), 0.001)
    signal.setitimer(signal.ITIMER_REAL, min(_WALL_S + _LONGER * seconds, left))


def _until(seconds: float) -> float:
    """When all tests of a mutant must have ended: one that makes each of them wait a little would take hours."""
    return time.monotonic() + _WALL_S + _ALL_LONGER * seconds


class Warm:
    """A pytest session that has collected everything; mutants of functions are patched into its forks."""

    def __init__(self, session: pytest.Session, seconds: dict[str, float]) -> None:
        self._items = {item.nodeid: item for item in session.items}
        self._seconds = seconds
        self._functions: dict[tuple[str, str, int], list[FunctionType]] = {}
        gc.unfreeze()  # the suite freezes what was collected, and frozen objects are not listed
        for found in gc.get_objects():
            if isinstance(found, FunctionType):
                code = found.__code__
                key = (code.co_filename, code.co_qualname, code.co_firstlineno)
                self._functions.setdefault(key, []).append(found)

    def can(self, filename: str, site: Site) -> bool:
        """Whether the function is there to be patched, or the site is in a table of the module."""
        if site.owner is None:
            return site.name.startswith("module: ")
        return (filename, *site.owner) in self._functions

    def constants(self, filename: str, mutated: Callable[[], CodeType], tests: Sequence[str]) -> Piece:
        """The same for a table of a module: what it holds is exchanged under the module's functions."""

        def plant(tell: Callable[[str], None]) -> Tests:
            live = next(module for module in sys.modules.values() if getattr(module, "__file__", "") == filename)
            scratch: dict[str, Any] = {"__name__": live.__name__, "__package__": live.__package__}
            module = FunctionType(mutated(), scratch)

            def run() -> int:
                tell("import")
                limit(5.0)
                module()
                changed = {
                    name: value
                    for name, value in scratch.items()
                    if not name.startswith("__") and _is_data(value) and value != live.__dict__.get(name)
                }
                if not changed:
                    return _UNPLANTED
                live.__dict__.update(changed)
                return self._first_failure(tests, tell)

            return run

        return plant

    def piece(self, filename: str, site: Site, mutated: Callable[[], CodeType], tests: Sequence[str]) -> Piece:
        """The work of one fork: patch, run, stop at the first failure."""

        owner = site.owner or ("", 0)

        def plant(tell: Callable[[str], None]) -> Tests:
            inner = _inside(mutated(), *owner)
            for function in self._functions[filename, *owner]:
                if inner.co_freevars != function.__code__.co_freevars:
                    return lambda: _UNPLANTED  # it closes over something else now, `super()` for one
                function.__code__ = inner
            return lambda: self._first_failure(tests, tell)

        return plant

    def _first_failure(self, tests: Sequence[str], tell: Callable[[str], None]) -> int:
        items = [self._items[test] for test in tests]
        until = _until(sum(self._seconds[test] for test in tests))
        for item, following in zip(items, [*items[1:], None], strict=True):
            limit(self._seconds[item.nodeid], until)
            tell(item.nodeid)
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                return _KILLED
        return _SURVIVED


def _is_data(value: object) -> bool:
    """Whether a value means the same to whoever holds it: no class or function of the scratch module is in it."""
    if isinstance(value, dict):
        return all(map(_is_data, value)) and all(map(_is_data, value.values()))
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(_is_data, value))
    return type(value).__module__ in ("builtins", "ipaddress", "re") and not isinstance(value, type | FunctionType)


def _inside(code: CodeType, name: str, line: int) -> CodeType:
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if (inner.co_qualname, inner.co_firstlineno) == (name, line):
                return inner
            if name.startswith(f"{inner.co_qualname}."):
                return _inside(inner, name, line)
    raise LookupError(name)


class _Watch:
    """Says which test runs, and ends the process at the first failure."""

    def __init__(self, tell: Callable[[str], None], seconds: dict[str, float], until: float) -> None:
        self._tell, self._seconds, self._until = tell, seconds, until
        self.ran = 0

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.ran += 1
        limit(self._seconds.get(item.nodeid, 1.0), self._until)
        self._tell(item.nodeid)


def fresh(
    filename: str, mutated: Callable[[], CodeType], stages: Sequence[Sequence[str]], seconds: dict[str, float]
) -> Piece:
    """The work of one fork without the product in memory: the mutated module is what gets imported."""

    def plant(tell: Callable[[str], None]) -> Tests:
        if any(name == "app" or name.startswith("app.") for name in sys.modules):
            raise RuntimeError("the product must not be imported yet")
        code, genuine = mutated(), importlib.machinery.SourceFileLoader.get_code

        def get_code(self: Any, fullname: str) -> CodeType | None:
            return code if self.path == filename else genuine(self, fullname)

        importlib.machinery.SourceFileLoader.get_code = get_code

        def run() -> int:
            tell("import")
            limit(5.0)
            importlib.import_module(filename.partition("/backend/")[2].removesuffix(".py").replace("/", "."))
            for stage in stages:
                files = set(stage)
                until = _until(20.0 + sum(took for test, took in seconds.items() if test.partition("::")[0] in files))
                watch = _Watch(tell, seconds, until)
                limit(20.0)
                ended = pytest.main([*QUIET, "-x", *stage], plugins=[watch])
                if ended != pytest.ExitCode.OK or watch.ran == 0:
                    return _KILLED
            return _SURVIVED

        return run

    return plant
