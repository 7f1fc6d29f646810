"""Run every proof: seeded samples in minutes, or with `--long` everything, with evidence bound to the sealed core."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.mutants.evidence import EVIDENCE as MUTANTS
from scripts.mutants.evidence import lock_runtime

__all__ = ["PROOFS", "Proof", "evidence_path", "evidence_problems", "judged", "worlds_digest"]

ROOT = Path(__file__).parents[1]
FOLDER = "certification/proofs"
PYTHON = (sys.executable, "-m")
PORTCULLIS = (str(Path(sys.executable).with_name("portcullis")),)


@dataclass(frozen=True)
class Proof:
    """One proof: how to run it shortly and at length, and how to read the JSON document that it prints."""

    name: str
    quick: tuple[str, ...]
    long: tuple[str, ...]
    nothing: tuple[str, ...]
    """Keys that must be there and be empty or zero."""
    something: tuple[str, ...]
    """Keys that must be there and be neither."""
    worlds: tuple[str, ...] = ()
    """Files beside the core on which the result depends, as patterns; evidence of other ones is stale."""
    probe: tuple[str, ...] = ()
    """Exits with 0 where the proof can be run at all; where it cannot, nothing is shown."""


_STORES = "backend/app/system/stores"
# What plays a simulated session beside the core, what it is held against, and what is drawn for it.
_WORLDS = (*(f"{_STORES}/{store}*.py" for store in ("content", "journal", "ledger")), "backend/app/wiring/recovery.py",
           "tests/fixtures/scripted.py", "tests/fixtures/virtual_time.py", "tests/reference/*_model.py",
           "tests/reference/ledger_oracle.py", "tests/simulation/__main__.py", "tests/simulation/matrix*",
           "tests/simulation/runs.py", "tests/simulation/*/*.py")  # fmt: skip
PROOFS = (
    Proof(
        "z3",
        (*PYTHON, "scripts.proofs"),
        (*PYTHON, "scripts.proofs", "--window", "4"),
        ("problems",),
        ("proven",),
        ("scripts/proofs/*.py",),
    ),
    Proof(
        "crosshair",
        (*PYTHON, "scripts.proofs.crosshair", "--seconds", "20"),
        (*PYTHON, "scripts.proofs.crosshair", "--seconds", "120"),
        ("problems",),
        ("confirmed",),
        (
            "backend/app/parsing/addresses.py",
            "backend/app/parsing/http_fields.py",
            "scripts/proofs/crosshair.py",
            "tests/proofs/pure.py",
        ),
    ),
    Proof(
        "mutants",
        (*PYTHON, "scripts.mutants", "--sample", "3", "--seed", "18"),
        (*PYTHON, "scripts.mutants", "--all"),
        ("problems",),
        ("mutants",),
    ),
    Proof(
        "fuzz",
        (*PYTHON, "tests.fuzz", "--seconds", "30", "--seed", "18"),
        (*PYTHON, "tests.fuzz", "--seconds", "1200", "--seed", "18000"),
        ("findings",),
        ("inputs", "rounds"),
    ),
    Proof(
        "simulation",
        (*PORTCULLIS, "simulate", "--seed", "11", "--sessions", "3000", "--json"),
        (*PORTCULLIS, "simulate", "--seed", "18", "--sessions", "100000", "--json"),
        ("broken",),
        ("sessions", "digest"),
        _WORLDS,
        probe=(*PORTCULLIS, "simulate", "--help"),
    ),
    Proof(
        "planted",
        (*PYTHON, "tests.simulation.planting", "--only", "cap_is_exclusive", "clarified_is_forgotten"),
        (*PYTHON, "tests.simulation.planting"),
        ("missed",),
        ("planted", "faults"),
        (*_WORLDS, "tests/reference/*.py", "tests/simulation/plant*.py"),
    ),
    Proof(
        "soak",
        (*PYTHON, "benchmarks.fetching", "--pages", "2000"),
        (*PYTHON, "benchmarks.fetching", "--pages", "10000"),
        ("problems", "descriptors_more", "children_more", "tasks_left"),
        ("pages", "outcomes"),
    ),
)


def judged(proof: Proof, code: int, printed: str) -> tuple[str, Any]:
    """`pass` or the reason why not, and the document."""
    try:
        told = json.loads(printed)
    except ValueError:
        return f"exit {code} and no JSON document", None
    for key in (*proof.nothing, *proof.something):
        if key not in told:
            return f"`{key}` is missing", told
    wrong = [key for key in proof.nothing if _holds(told[key])] + [
        key for key in proof.something if not _holds(told[key])
    ]
    if wrong:
        return f"`{wrong[0]}` is {json.dumps(told[wrong[0]])[:200]}", told
    return ("pass" if code == 0 else f"exit {code}"), told


def _holds(value: Any) -> bool:
    """Whether there is anything: a map of empty lists is nothing."""
    return any(map(_holds, value.values())) if isinstance(value, dict) else bool(value)


def evidence_path(root: Path, proof: Proof) -> Path:
    """Where the evidence of a long run is kept; the mutants keep their own."""
    return root / (MUTANTS if proof.name == "mutants" else f"{FOLDER}/{proof.name}.json")


def worlds_digest(root: Path, proof: Proof) -> str:
    """Over names and bytes of the files that a proof depends on beside the core; nothing where there are none."""
    found = sorted({path for pattern in proof.worlds for path in root.glob(pattern)})
    told = hashlib.sha256()
    for path in found:
        told.update(path.relative_to(root).as_posix().encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return told.hexdigest() if found else ""


def _bound(root: Path, proof: Proof) -> dict[str, str]:
    return {"lock_runtime": lock_runtime(root), "worlds": worlds_digest(root, proof)}


def evidence_problems(root: Path) -> tuple[str, ...]:
    """Why the committed evidence does not show the proofs for the sealed core; empty where it does."""
    found = []
    for proof in PROOFS:
        path = evidence_path(root, proof)
        if not path.is_file():
            found.append(f"{proof.name}: no evidence")
            continue
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept.get("lock_runtime") != lock_runtime(root):
            found.append(f"{proof.name}: belongs to another lock")
        if proof.worlds and kept.get("worlds") != worlds_digest(root, proof):
            found.append(f"{proof.name}: was run with other files")
        if proof.name != "mutants" and kept.get("verdict") != "pass":
            found.append(f"{proof.name}: {kept.get('verdict')}")
    return tuple(found)


def _printed(words: tuple[str, ...]) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603  our own command
    return done.returncode, done.stdout


def _run(proof: Proof, long: bool) -> dict[str, Any]:
    started = time.monotonic()
    words = proof.long if long else proof.quick
    if proof.probe and _printed(proof.probe)[0] != 0:
        verdict, told = "absent", None
    else:
        verdict, told = judged(proof, *_printed(words))
    shown = [Path(words[0]).name, *words[1:]]
    return {"verdict": verdict, "command": shown, "seconds": round(time.monotonic() - started), "result": told}


def main() -> int:
    """0 where everything is shown, 1 where something is not, 2 where something could not be run."""
    parser = argparse.ArgumentParser(prog="python -m scripts.prove", description=__doc__)
    parser.add_argument("--long", action="store_true", help="everything; writes evidence")
    parser.add_argument("--only", choices=[proof.name for proof in PROOFS], action="append")
    options = parser.parse_args()
    results = {}
    for proof in PROOFS:
        if options.only and proof.name not in options.only:
            continue
        print(f"{proof.name} ...", file=sys.stderr, flush=True)
        bound = _bound(ROOT, proof)
        results[proof.name] = _run(proof, options.long)
        if _bound(ROOT, proof) != bound:
            results[proof.name]["verdict"] = "files were changed while it ran"
        if options.long and proof.name != "mutants" and results[proof.name]["verdict"] != "absent":
            kept = {**bound, "check": proof.name, **results[proof.name]}
            path = evidence_path(ROOT, proof)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    # One document, a line for each proof: a log stays short enough to be read to its end.
    rows = [f"{json.dumps(name)}: {json.dumps(result, ensure_ascii=False)}" for name, result in results.items()]
    print("{\n" + ",\n".join(rows) + "\n}")
    verdicts = {result["verdict"] for result in results.values()}
    return 0 if verdicts == {"pass"} else 2 if verdicts <= {"pass", "absent"} else 1


if __name__ == "__main__":
    sys.exit(main())
