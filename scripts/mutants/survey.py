"""The survey: which test runs which line, and how long each takes; a test that fails here ends everything."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path

import coverage
import pytest
from _pytest.runner import runtestprotocol

from .running import Piece, limit, side_by_side

__all__ = ["Survey", "SurveyFailed", "take_survey", "within"]


_LONGEST_S = 120.0  # for one test, before it is known how long it takes; only what hangs gets there


class SurveyFailed(Exception):
    """Without any fault planted, a test fails: nothing can be learnt from it."""


class Survey:
    """Lines → tests, fastest first."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._lines: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))

    def save(self, path: Path) -> None:
        """Keep it for a process that has not run it."""
        lines = {
            name: {str(line): sorted(tests) for line, tests in found.items()} for name, found in self._lines.items()
        }
        names = sorted(self.seconds)
        place = {name: number for number, name in enumerate(names)}
        numbered = {
            name: {line: [place[test] for test in tests] for line, tests in found.items()}
            for name, found in lines.items()
        }
        kept = {"tests": names, "seconds": [self.seconds[name] for name in names], "lines": numbered}
        path.write_text(json.dumps(kept), encoding="utf-8")

    def add(self, part: Path) -> None:
        """Take in what one process wrote."""
        found = json.loads(part.read_text(encoding="utf-8"))
        names: list[str] = found["tests"]
        self.seconds |= dict(zip(names, found["seconds"], strict=True))
        for filename, lines in found["lines"].items():
            for line, numbers in lines.items():
                self._lines[filename][int(line)].update(names[number] for number in numbers)

    def tests(self, filename: str, first: int, last: int) -> list[str]:
        """The tests that run any of these lines, fastest first."""
        found = set().union(*(self._lines[filename].get(line, set()) for line in range(first, last + 1)))
        return self.fastest(found)

    def touching(self, filename: str) -> list[str]:
        """The tests that run anything of this file."""
        return self.fastest(set().union(*self._lines[filename].values()))

    def fastest(self, tests: set[str]) -> list[str]:
        """By duration, then by name."""
        return sorted(tests, key=lambda test: (round(self.seconds[test], 2), test))


def within(share: float, seconds: Mapping[str, float], names: list[str]) -> list[str]:
    """As many of the named ones, from the first on, as fit into a share of what all together take; one at least."""
    most = share * sum(seconds.values())
    sums = accumulate(seconds[name] for name in names)
    fitting = [name for name, total in zip(names, sums, strict=True) if total <= most]
    return fitting or names[:1]


def take_survey(session: pytest.Session, files: Sequence[str], folder: Path, jobs: int) -> Survey:
    """Run every collected test once, in forks, under coverage.

    Raises:
        SurveyFailed: a test does not pass here.
    """
    by_file: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in session.items:
        by_file[item.nodeid.partition("::")[0]].append(item)
    heaps: list[list[pytest.Item]] = [[] for _ in range(jobs)]
    for items in sorted(by_file.values(), key=len, reverse=True):
        min(heaps, key=len).extend(items)
    parts = [folder / f"survey-{number}.json" for number in range(jobs)]
    work = [_piece(items, files, part) for items, part in zip(heaps, parts, strict=True)]
    survey = Survey()
    for number, (ended, last) in side_by_side(jobs, work):
        if ended != "survived":
            how = "takes too long" if ended == "timed_out" else "does not pass"
            raise SurveyFailed(f"`{last}` {how} without a fault")
        survey.add(parts[number])
    return survey


def _piece(items: Sequence[pytest.Item], files: Sequence[str], part: Path) -> Piece:
    def run(tell: Callable[[str], None]) -> int:
        watched = coverage.Coverage(data_file=None, include=list(files), config_file=False)
        watched.start()
        seconds = []
        for item, following in zip(items, [*items[1:], None], strict=True):
            watched.switch_context(item.nodeid)
            started = time.perf_counter()
            limit(_LONGEST_S)
            tell(item.nodeid)
            if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
                return 1
            seconds.append(round(time.perf_counter() - started, 4))
        watched.stop()
        names = [item.nodeid for item in items]
        place = {name: number for number, name in enumerate(names)}
        data = watched.get_data()
        lines = {
            filename: {
                str(line): sorted(place[name] for name in contexts if name in place)
                for line, contexts in data.contexts_by_lineno(filename).items()
            }
            for filename in data.measured_files()
        }
        part.write_text(json.dumps({"tests": names, "seconds": seconds, "lines": lines}), encoding="utf-8")
        return 0

    return lambda tell: lambda: run(tell)
