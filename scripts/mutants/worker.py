"""The worker: runs inside a copy of the checkout, plants the mutants one by one and writes down how each ended."""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType

import coverage
import pytest

from .running import QUIET, Ended, NotPlanted, Piece, Warm, fresh, side_by_side
from .sites import Site, Source
from .survey import Survey, SurveyFailed, take_survey, within
from .targets import SLOW, TESTS

__all__ = ["main"]

# What every fork would otherwise import again. The product itself is not among it.
_PACKAGES = (
    "ada_url",
    "asyncio",
    "hypothesis.strategies",
    "jsonschema",
    "opentelemetry.sdk.trace",
    "pydantic",
    "re2",
    "rfc8785",
    "selectolax.lexbor",
    "sqlite3",
    "typer",
)
# A mutant that the quick tests leave alive is not handed to the slow ones: it counts as a survivor. The measure is
# what all tests take here: in seconds, a slow machine would hand out far fewer tests than a quick one.
_SHARE = 0.125
_SKIP = tuple(word for test in SLOW for word in ("--deselect", test))

Sites = dict[str, list[Site]]


@dataclass(frozen=True)
class Patience:
    """How many tests a mutant gets; one that was noticed before, with the same bytes, gets all of them."""

    left: Mapping[str, Sequence[str]]
    """For files that were hunted before: what survived then, equivalents among it."""

    def handed(self, name: str, site: Site, tests: list[str], seconds: Mapping[str, float]) -> list[str]:
        """Those of the tests, or of the files of tests, that may notice it."""
        noticed_before = name in self.left and site.name not in self.left[name]
        return tests if noticed_before else within(_SHARE, seconds, tests)


class Hunt:
    """A pytest plugin: instead of running the tests, it runs them against mutants of functions."""

    def __init__(self, sources: dict[str, Source], sites: Sites, patience: Patience, folder: Path, jobs: int) -> None:
        self._sources, self._sites, self._patience = sources, sites, patience
        self._folder, self._jobs = folder, jobs
        self._early: dict[str, set[int]] = {}
        self.results: dict[str, dict[str, Ended]] = defaultdict(dict)

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self, session: pytest.Session) -> Generator[None, object, object]:
        """Remember what runs while tests are collected: a mutant planted later comes too late there."""
        files = [str(Path(name).resolve()) for name in self._sources]
        watched = coverage.Coverage(data_file=None, include=files, config_file=False)
        watched.start()
        try:
            collected = yield
        finally:
            watched.stop()
        data = watched.get_data()
        self._early = {name: set(data.lines(name) or ()) for name in data.measured_files()}
        return collected

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Survey, then hunt."""
        if session.testsfailed:
            raise SurveyFailed("the tests cannot be collected")
        files = [str(Path(name).resolve()) for name in self._sources]
        survey = take_survey(session, files, self._folder, self._jobs)
        survey.save(self._folder / "survey.json")
        self._hunt(Warm(session, survey.seconds), survey)
        (self._folder / "warm.json").write_text(json.dumps(self.results), encoding="utf-8")
        return True

    def _hunt(self, warm: Warm, survey: Survey) -> None:
        order: list[tuple[str, Site]] = []
        killers: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)

        self._control(warm, survey)

        def pieces() -> Iterator[Piece]:
            for name, sites in self._sites.items():
                filename = str(Path(name).resolve())
                for site in sites:
                    tests = survey.touching(filename)
                    if site.owner is not None:
                        tests = survey.tests(filename, site.first_line, site.last_line)
                    if not tests or not warm.can(filename, site):
                        continue
                    order.append((name, site))
                    # What noticed its neighbours will most likely notice this one too.
                    known = [test for test, _ in killers[name, _room(site)].most_common(5) if test in set(tests)]
                    tests = [*known, *(test for test in tests if test not in set(known))]
                    tests = self._patience.handed(name, site, tests, survey.seconds)
                    source = self._sources[name]

                    def mutated(s: Source = source, m: Site = site, f: str = filename) -> CodeType:
                        return s.mutated(m, f)

                    if site.owner is None:
                        yield warm.constants(filename, mutated, tests)
                    else:
                        yield warm.piece(filename, site, mutated, tests)

        for number, ended in side_by_side(self._jobs, pieces()):
            name, site = order[number]
            if ended[0] == "unplanted" or (ended[0] == "survived" and self._ran_early(name, site)):
                continue
            self.results[name][site.name] = ended
            if ended[0] == "killed":
                killers[name, _room(site)][ended[1]] += 1
            _progress(len(order), name, site, ended)

    def _control(self, warm: Warm, survey: Survey) -> None:
        """Where nothing is changed, nothing may be noticed.

        Raises:
            SurveyFailed: something is noticed, or not one function can be patched.
        """
        patchable = False
        for name, sites in self._sites.items():
            filename, source = str(Path(name).resolve()), self._sources[name]
            for site in sites:
                tests = within(_SHARE, survey.seconds, survey.touching(filename))
                patchable = patchable or (site.owner is not None and bool(tests))
                if site.owner is not None and tests and warm.can(filename, site):
                    sound = partial(_sound, source, filename)
                    work = [warm.piece(filename, site, sound, tests), warm.constants(filename, sound, tests)]
                    _hold(dict(side_by_side(self._jobs, work)), {0: "survived", 1: "unplanted"})
                    return
        if patchable:
            raise SurveyFailed("not one function can be patched in the session that collected the tests")

    def _ran_early(self, name: str, site: Site) -> bool:
        lines = self._early.get(str(Path(name).resolve()), set())
        return not lines.isdisjoint(range(site.first_line, site.last_line + 1))


def _sound(source: Source, filename: str) -> CodeType:
    return compile(source.text, filename, "exec", dont_inherit=True)


def _hold(ends: Mapping[int, Ended], wanted: Mapping[int, str]) -> None:
    """A control that ends otherwise makes every other end worthless."""
    for number, want in wanted.items():
        end, last = ends[number]
        if end != want:
            raise SurveyFailed(f"without a fault a mutant is {end}, not {want}: `{last}`")


def _room(site: Site) -> str:
    return site.owner[0] if site.owner else ""


def _progress(number: int, name: str, site: Site, ended: Ended) -> None:
    if ended[0] != "killed":
        print(f"{number} {ended[0]} {name}:{site.first_line} {site.name} {ended[1]}", file=sys.stderr, flush=True)
    elif number % 100 == 0:
        print(f"{number} {name}", file=sys.stderr, flush=True)


def _slowly(
    sources: dict[str, Source], sites: Sites, patience: Patience, folder: Path, jobs: int
) -> dict[str, dict[str, Ended]]:
    """What acts at import, and what no test runs once everything is imported: planted before the import."""
    warm: dict[str, dict[str, Ended]] = json.loads((folder / "warm.json").read_text(encoding="utf-8"))
    survey = Survey()
    survey.add(folder / "survey.json")
    cost: Counter[str] = Counter()
    for test, seconds in survey.seconds.items():
        cost[test.partition("::")[0]] += seconds
    first = next(iter(sources))
    filename = str(Path(first).resolve())
    quick = within(_SHARE, cost, sorted(cost, key=lambda file: (cost[file], file)))
    sound = fresh(filename, partial(_sound, sources[first], filename), [[*_SKIP, *quick]], survey.seconds)
    _hold(dict(side_by_side(1, [sound])), {0: "survived"})
    order: list[tuple[str, Site]] = []
    killers: dict[str, Counter[str]] = defaultdict(Counter)

    def pieces() -> Iterator[Piece]:
        for name, found in sites.items():
            filename = str(Path(name).resolve())
            for site in found:
                before = warm.get(name, {}).get(site.name)
                # A table may have gone into defaults and other modules before it was exchanged.
                if before is not None and not (site.owner is None and before[0] == "survived"):
                    continue
                order.append((name, site))
                near = {test.partition("::")[0] for test in survey.touching(filename)}
                far = set() if near and site.owner is not None else set(cost) - near
                known = [file for file, _ in killers[name].most_common(2)]
                # Each has a share of its own: a slow one of the first would leave nothing for the rest.
                quickest = [sorted(names - set(known), key=lambda file: (cost[file], file)) for names in (near, far)]
                stages = [known, *(patience.handed(name, site, names, cost) for names in quickest)]
                lines = [[*_SKIP, *stage] for stage in stages if stage]
                source = sources[name]
                yield fresh(filename, lambda s=source, m=site, f=filename: s.mutated(m, f), lines, survey.seconds)

    for number, ended in side_by_side(jobs, pieces()):
        name, site = order[number]
        if ended[0] == "unplanted":
            raise SurveyFailed(f"{name}: {site.name}: cannot be planted")
        warm.setdefault(name, {})[site.name] = ended
        if ended[0] == "killed" and "::" in ended[1]:
            killers[name][ended[1].partition("::")[0]] += 1
        _progress(len(order), name, site, ended)
    return warm


def main(request: Path) -> int:
    """Read what is wanted, run it, write how it ended beside it."""
    wanted = json.loads(request.read_text(encoding="utf-8"))
    folder, jobs, patience = request.parent, int(wanted["jobs"]), Patience(wanted["left"])
    sources = {name: Source(name, Path(name).read_text(encoding="utf-8")) for name in wanted["files"]}
    sites = {}
    for name, names in wanted["files"].items():
        chosen = None if names is None else set(names)
        sites[name] = [site for site in sources[name].sites() if chosen is None or site.name in chosen]
    for package in _PACKAGES:
        importlib.import_module(package)
    pid = os.fork()
    if pid == 0:
        hunt = Hunt(sources, sites, patience, folder, jobs)
        ended = 1
        try:
            ended = pytest.main([*QUIET, *_SKIP, *TESTS], plugins=[hunt])
        except BaseException:
            traceback.print_exc()
            raise  # to nobody: the process ends here
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(ended)
    _, status = os.waitpid(pid, 0)
    if status != 0 or not (folder / "warm.json").is_file():
        print("the tests do not pass without a fault, or could not be run", file=sys.stderr)
        return 2
    try:
        results = _slowly(sources, sites, patience, folder, jobs)
    except (NotPlanted, SurveyFailed) as exc:
        print(f"{type(exc).__name__}: {exc}", file=sys.stderr)
        return 2
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
