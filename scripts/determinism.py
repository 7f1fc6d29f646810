"""Play all golden sessions under several Pythons, hash seeds, completion orders and processes: one digest or none."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from tests.golden.orders import ORDERS

from app.kernel.canonical import digest_of
from scripts.programs import ended

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT / "requirements" / "run.txt"
PLACE = ROOT / ".determinism"
PYTHONS = ("3.11", "3.12", "3.13")
HASH_SEEDS = ("0", "1", "4294967295")
PROCESSES = (1, 2)
_VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"
# Order → case → [digest of the journal, digest without times, call ids as they ended]
Played = dict[str, dict[str, list[str]]]


@dataclass(frozen=True)
class Run:
    """One process: it plays every order."""

    python: str
    seed: str
    process: int


class NotEvaluated(Exception):
    """Something that the claim needs is not here, so nothing is said."""


class Differs(Exception):
    """Two configurations disagree."""


def find_python(version: str, environ: Mapping[str, str]) -> str:
    """An interpreter of this version that really runs; a name on the PATH may be a shim that leads nowhere."""
    for candidate in _candidates(version, environ):
        try:
            probe = ended([candidate, "-c", _VERSION], patience_s=60)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if probe.returncode == 0 and probe.stdout.strip() == version:
            return candidate
    raise NotEvaluated(f"no working Python {version} on the PATH or among pyenv's versions")


def _candidates(version: str, environ: Mapping[str, str]) -> Iterator[str]:
    pyenv = Path(environ.get("PYENV_ROOT") or Path(environ.get("HOME", "/")) / ".pyenv")
    yield from map(str, sorted(pyenv.glob(f"versions/{version}*/bin/python")))
    for folder in environ.get("PATH", "").split(os.pathsep):
        found = shutil.which(f"python{version}", path=folder) if folder else None
        if found:
            yield found


def prepare(version: str, environ: Mapping[str, str], place: Path = PLACE) -> Path:
    """The interpreter of a virtual environment that holds the locked run-time packages and nothing else."""
    folder = place / version
    python, stamp = folder / "bin" / "python", folder / ".ready"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted and python.exists()):
        found = find_python(version, environ)
        _say(f"Python {version}: installing the locked packages")
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes"]
        for line in ([found, "-m", "venv", "--clear", str(folder)], [str(python), *pip, "-r", str(REQUIREMENTS)]):
            done = ended(line)
            if done.returncode != 0:
                raise NotEvaluated(f"the packages cannot be installed for Python {version}\n{done.stderr[-2000:]}")
        stamp.write_text(wanted, encoding="utf-8")
    return python


def play_in(python: Path, run: Run) -> Played:
    """What a fresh process finds; it gets the hash seed and the source tree, and nothing else of ours."""
    env = {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": run.seed,
        "PYTHONPATH": os.pathsep.join((str(ROOT / "backend"), str(ROOT))),
    }
    line = [str(python), "-m", "tests.golden.orders"]
    done = ended(line, cwd=ROOT, env=env)
    if done.returncode != 0:
        raise Differs(f"Python {run.python}, hash seed {run.seed}: a session broke off\n{done.stderr[-2000:]}")
    told = json.loads(done.stdout)
    if told["python"] != run.python:
        raise NotEvaluated(f"Python {run.python} turned out to be {told['python']}")
    played: Played = told["sessions"]
    return played


def compared(results: Sequence[tuple[Run, Played]]) -> dict[str, object]:
    """The one digest over all configurations.

    Raises:
        Differs: names the first configuration and case that differ from the first run as written.
        NotEvaluated: an order was not played, or shuffled nothing.
    """
    first = results[0][1][ORDERS[0].name]
    for run, played in results:
        for order in ORDERS:
            sessions = played.get(order.name, {})
            where = f"Python {run.python}, hash seed {run.seed}, order {order.name}, process {run.process}"
            if set(sessions) != set(first) or not first:
                raise NotEvaluated(f"{where}: not the same cases")
            if order.by != "plan" and all(sessions[name][2:] == first[name][2:] for name in first):
                raise NotEvaluated(f"{where}: no call ended in another order")
            for name in sorted(first):
                # A stretched order takes other times, so only what is told without them can be the same.
                if sessions[name][1] != first[name][1] or (not order.stretch and sessions[name][0] != first[name][0]):
                    raise Differs(f"{where}: `{name}` differs")
    exact = [order.name for order in ORDERS if not order.stretch]
    return {
        "digest": digest_of({name: found[0] for name, found in first.items()}),
        "digest_without_times": digest_of({name: found[1] for name, found in first.items()}),
        "configurations": len(results) * len(ORDERS),
        "configurations_to_the_byte": len(results) * len(exact),
        "cases": len(first),
        "pythons": sorted({run.python for run, _ in results}),
        "hash_seeds": sorted({run.seed for run, _ in results}),
        "orders": [order.name for order in ORDERS],
        "processes": len({run.process for run, _ in results}),
    }


def evaluate(environ: Mapping[str, str], place: Path = PLACE) -> dict[str, object]:
    """Find or build every interpreter, play everything, compare."""
    missing = []
    pythons: dict[str, Path] = {}
    for version in PYTHONS:
        try:
            pythons[version] = prepare(version, environ, place)
        except NotEvaluated as exc:
            missing.append(str(exc))
    if missing:
        raise NotEvaluated("\n".join(missing))
    runs = [Run(*place) for place in product(PYTHONS, HASH_SEEDS, PROCESSES)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        results = []
        for run, played in zip(runs, pool.map(lambda run: play_in(pythons[run.python], run), runs), strict=True):
            _say(f"Python {run.python}, hash seed {run.seed}, process {run.process}: {len(ORDERS)} orders played")
            results.append((run, played))
    return compared(results)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main(environ: Mapping[str, str] = os.environ, place: Path = PLACE) -> int:
    """Exit code 1 when two configurations differ, 2 when the claim could not be evaluated."""
    try:
        print(json.dumps(evaluate(environ, place), indent=2))
    except Differs as exc:
        _say(f"not deterministic: {exc}")
        return 1
    except NotEvaluated as exc:
        _say(f"not evaluated: {exc}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
