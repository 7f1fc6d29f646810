"""Hunt mutants in a copy of the checkout: of changed files, of all, or a seeded sample; prints one JSON document."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.checkout import NoCheckoutListing, checkout_files
from scripts.inputs.declared import Checkout
from scripts.inputs.tree import Tree
from scripts.options import above_zero

from .evidence import (
    EVIDENCE,
    Bound,
    FileEnd,
    bound_to,
    document,
    problems,
    read_equivalents,
    read_evidence,
    stale_files,
)
from .sites import Source
from .targets import floor_of, target_files

ROOT = Path(__file__).parents[2]
Wanted = dict[str, list[str] | None]
Results = dict[str, dict[str, list[str]]]


def main() -> int:
    """0 where every floor is kept, 1 where a mutant too many survived, 2 where nothing could be evaluated."""
    parser = argparse.ArgumentParser(prog="python -m scripts.mutants", description=__doc__)
    parser.add_argument("files", nargs="*", help="only these files, whether they changed or not")
    parser.add_argument("--all", action="store_true", help="every file again")
    parser.add_argument("--survivors", action="store_true", help="of unchanged files, only what survived the last time")
    parser.add_argument("--sample", type=above_zero, default=0, help="so many mutants per file; writes nothing")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=above_zero, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    targets = target_files(ROOT)
    for name in options.files:
        if name not in targets:
            parser.error(f"no mutants are hunted in `{name}`; the files are listed in scripts/mutants/targets.py")
    if options.sample:
        return _sample(targets, options.sample, options.seed, options.jobs)
    known, bound = read_evidence(ROOT), _bound()
    chosen = options.files or [name for name in targets if options.all or not _fresh(name, known, bound)]
    ends = {name: end for name, end in known.items() if name in targets}
    wanted: Wanted = dict.fromkeys(chosen)
    for name in chosen if options.survivors else ():
        if _same(name, known, bound):
            wanted[name] = [*known[name].survived, *known[name].equivalents]
    results = _hunt(wanted, known, bound, options.jobs) if chosen else {}
    if results is None:
        return 2
    if _bound() != bound:
        print("files were changed while mutants were hunted; nothing is written", file=sys.stderr)
        return 2
    for name in chosen:
        ends[name] = _end(name, bound[name], results.get(name, {}), None if wanted[name] is None else known[name])
    text = json.dumps(document(ends), indent=2, ensure_ascii=False)
    (ROOT / EVIDENCE).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / EVIDENCE).write_text(f"{text}\n", encoding="utf-8")
    found = (*problems(ROOT, targets), *stale_files(ROOT, Checkout(Tree(ROOT)), targets))
    shown = {name: (end.noticed, floor_of(name), len(end.survived)) for name, end in sorted(ends.items())}
    summary = {key: value for key, value in document(ends).items() if key != "files"}
    print(json.dumps({**summary, "hunted": len(chosen), "noticed": shown, "problems": found}, indent=2))
    return 1 if found else 0


def _bound() -> dict[str, Bound]:
    return bound_to(Checkout(Tree(ROOT)), target_files(ROOT))


def _fresh(name: str, known: dict[str, FileEnd], bound: dict[str, Bound]) -> bool:
    """True if there is evidence for the present file, engine and tests, with its floor kept."""
    return name in known and known[name].bound == bound[name] and known[name].noticed >= floor_of(name)


def _same(name: str, known: dict[str, FileEnd], bound: dict[str, Bound]) -> bool:
    """True if the mutants are those of the last hunt, whatever judges them."""
    end = known.get(name)
    return end is not None and (end.bound.source, end.bound.engine) == (bound[name].source, bound[name].engine)


def _end(name: str, bound: Bound, results: dict[str, list[str]], before: FileEnd | None) -> FileEnd:
    """Together with what was noticed before, where only the survivors were run again."""
    listed = read_equivalents().get(name, {})
    by_end: dict[str, list[str]] = {"killed": [], "timed_out": [], "survived": []}
    for mutant, (end, _) in results.items():
        by_end[end].append(mutant)
    wrong = [mutant for mutant in listed if mutant not in by_end["survived"]]
    if wrong:
        told = [f"{mutant}: {' by '.join(results.get(mutant, ['not there']))}" for mutant in wrong]
        raise SystemExit(f"{name}: listed as equivalent, but {told}")
    return FileEnd(
        bound=bound,
        mutants=before.mutants if before else len(results),
        killed=len(by_end["killed"]) + (before.killed if before else 0),
        timed_out=tuple(sorted([*by_end["timed_out"], *(before.timed_out if before else ())])),
        equivalents=tuple(sorted(listed)),
        survived=tuple(sorted(mutant for mutant in by_end["survived"] if mutant not in listed)),
    )


def _sample(targets: tuple[str, ...], size: int, seed: int, jobs: int) -> int:
    """A few of each file; red where one survives that the committed evidence does not know as a survivor."""
    known, bound = read_evidence(ROOT), _bound()
    listed = read_equivalents()
    wanted: Wanted = {}
    for name in targets:
        names = [site.name for site in Source(name, (ROOT / name).read_text(encoding="utf-8")).sites()]
        # By hash: the same sample for the same seed on every Python.
        drawn = sorted(names, key=lambda one: hashlib.sha256(f"{seed} {name} {one}".encode()).digest())
        wanted[name] = sorted(drawn[:size])
    results = _hunt(wanted, known, bound, jobs)
    if results is None:
        return 2
    survivors, unknown = [], []
    for name, ends in results.items():
        accepted = {*listed.get(name, {}), *(known[name].survived if name in known else ())}
        for mutant, (end, _) in ends.items():
            if end == "survived":
                survivors.append(f"{name}: {mutant}")
                unknown += [] if mutant in accepted else [f"{name}: {mutant}"]
    total = sum(len(ends) for ends in results.values())
    told = {"seed": seed, "files": len(results), "mutants": total, "survived": len(survivors), "problems": unknown}
    print(json.dumps(told, indent=2, ensure_ascii=False))
    return 1 if unknown or not total else 0


def _hunt(wanted: Wanted, known: dict[str, FileEnd], bound: dict[str, Bound], jobs: int) -> Results | None:
    """Run the worker in a copy; None where the tests do not pass there without a fault, or nothing can be told."""
    left = {name: [*known[name].survived, *known[name].equivalents] for name in wanted if _same(name, known, bound)}
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        copy, out = Path(place) / "copy", Path(place) / "out"
        out.mkdir()
        try:
            files = checkout_files(ROOT)
        except NoCheckoutListing as exc:
            print(exc, file=sys.stderr)
            return None
        for name in files:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, copy / name, follow_symlinks=False)
        request = out / "request.json"
        request.write_text(json.dumps({"jobs": jobs, "files": wanted, "left": left}), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": f"{copy / 'backend'}{os.pathsep}{copy}", "PYTHONHASHSEED": "0"}
        line = [sys.executable, "-m", "scripts.mutants.worker", str(request)]
        done = subprocess.run(line, cwd=copy, env=environment, stdout=sys.stderr)  # noqa: S603  our own interpreter
        if done.returncode != 0:
            return None
        results: Results = json.loads((out / "results.json").read_text(encoding="utf-8"))
        return results


if __name__ == "__main__":
    sys.exit(main())
