"""The table of long proofs, with the inputs of each; what is wrong with their committed evidence, and what is stale."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from scripts.inputs.declared import Checkout, Declared, Inputs, stale_because
from scripts.mutants import evidence as mutants
from scripts.mutants.targets import target_files

__all__ = ["PROOFS", "Proof", "evidence_path", "evidence_problems", "judged", "proof_inputs", "stale_proofs"]

FOLDER = "certification/proofs"
MUTANTS = "mutants"
PYTHON = (sys.executable, "-m")
PORTCULLIS = (str(Path(sys.executable).with_name("portcullis")),)
_CONTRACT = "contracts/18.0.0"


@dataclass(frozen=True)
class Proof:
    """One proof: how to run it shortly and at length, and how to read the JSON document that it prints."""

    name: str
    quick: tuple[str, ...]
    long: tuple[str, ...]
    must_be_empty: tuple[str, ...]
    """Keys that must be there and be empty or zero."""
    must_not_be_empty: tuple[str, ...]
    """Keys that must be there and be neither."""
    inputs: Declared
    """What the result depends on; evidence of other inputs is stale."""
    probe: tuple[str, ...] = ()
    """Exits with 0 where the proof can be run at all; where it cannot, nothing is shown."""

    @property
    def command(self) -> list[str]:
        """The long form as the evidence names it, without the place of the interpreter."""
        return [Path(self.long[0]).name, *self.long[1:]]


# What a simulated session is held against beside the code that plays and judges it.
_WORLD = (f"{_CONTRACT}/CONTRACT.md", "tests/simulation/matrix.json")
PROOFS = (
    Proof(
        "z3",
        (*PYTHON, "scripts.proofs"),
        (*PYTHON, "scripts.proofs", "--window", "4"),
        ("problems",),
        ("proven",),
        Declared(
            executes=("scripts.proofs",),
            parses=(
                *(f"backend/app/kernel/{name}.py" for name in ("contract", "ledger", "stops")),
                *(f"backend/app/research/{name}.py" for name in ("ledger", "resolver")),
            ),
            reads=tuple(f"{_CONTRACT}/{name}" for name in ("CONTRACT.md", "actions.json", "stop_reasons.json")),
        ),
    ),
    Proof(
        "crosshair",
        (*PYTHON, "scripts.proofs.crosshair", "--seconds", "20"),
        (*PYTHON, "scripts.proofs.crosshair", "--seconds", "120"),
        ("problems",),
        ("confirmed",),
        Declared(executes=("scripts.proofs.crosshair", "tests.proofs.pure"), packages=("crosshair",)),
    ),
    Proof(
        "fuzz",
        (*PYTHON, "tests.fuzz", "--seconds", "30", "--seed", "18"),
        (*PYTHON, "tests.fuzz", "--seconds", "1200", "--seed", "18000"),
        ("findings",),
        ("inputs", "rounds"),
        Declared(executes=("tests.fuzz",)),
    ),
    Proof(
        "simulation",
        (*PORTCULLIS, "simulate", "--seed", "11", "--sessions", "3000", "--json"),
        (*PORTCULLIS, "simulate", "--seed", "18", "--sessions", "100000", "--json"),
        ("broken",),
        ("sessions", "digest"),
        Declared(executes=("tests.simulation",), reads=_WORLD),
        probe=(*PORTCULLIS, "simulate", "--help"),
    ),
    Proof(
        "planted",
        (*PYTHON, "tests.simulation.planting", "--only", "cap_is_exclusive", "clarified_is_forgotten"),
        (*PYTHON, "tests.simulation.planting"),
        ("missed",),
        ("planted", "faults"),
        Declared(
            executes=(
                "tests.simulation",
                "tests.simulation.planting",
                "tests/reference/test_*.py",
                "tests/conftest.py",
            ),
            reads=(*_WORLD, "pyproject.toml"),
        ),
    ),
    Proof(
        "soak",
        (*PYTHON, "benchmarks.fetching", "--pages", "2000"),
        (*PYTHON, "benchmarks.fetching", "--pages", "10000"),
        ("problems", "descriptors_more", "children_more", "tasks_left"),
        ("pages", "outcomes"),
        Declared(executes=("benchmarks.fetching",)),
    ),
    # Last: it fills two cores, and short work beside the others has usually ended by then.
    Proof(
        MUTANTS,
        (*PYTHON, "scripts.mutants", "--sample", "3", "--seed", "18"),
        (*PYTHON, "scripts.mutants"),
        ("problems",),
        ("mutants",),
        Declared(),  # each mutated file has its own: see scripts/mutants/evidence.py
    ),
)


def judged(proof: Proof, code: int, printed: str) -> tuple[str, Any]:
    """`pass` or the reason why not, and the document."""
    try:
        told = json.loads(printed)
    except ValueError:
        return f"exit {code} and no JSON document", None
    if not isinstance(told, dict):
        return f"exit {code} and no JSON object", None
    for key in (*proof.must_be_empty, *proof.must_not_be_empty):
        if key not in told:
            return f"`{key}` is missing", told
    wrong = [key for key in proof.must_be_empty if _holds(told[key])] + [
        key for key in proof.must_not_be_empty if not _holds(told[key])
    ]
    if wrong:
        return f"`{wrong[0]}` is {json.dumps(told[wrong[0]])[:200]}", told
    return ("pass" if code == 0 else f"exit {code}"), told


def _holds(value: Any) -> bool:
    """Whether there is anything: a map of empty lists is nothing."""
    return any(map(_holds, value.values())) if isinstance(value, dict) else bool(value)


def evidence_path(root: Path, proof: Proof) -> Path:
    """Where the evidence of a long run is kept; the mutants keep their own."""
    return root / (mutants.EVIDENCE if proof.name == MUTANTS else f"{FOLDER}/{proof.name}.json")


def proof_inputs(checkout: Checkout, proof: Proof) -> Inputs:
    """As they are now."""
    return checkout.inputs(proof.inputs)


def evidence_problems(root: Path) -> tuple[str, ...]:
    """Why the committed evidence does not show what it says; that its inputs changed since is no fault of it."""
    found = [f"mutants: {problem}" for problem in mutants.problems(root, target_files(root))]
    for proof in PROOFS:
        path = evidence_path(root, proof)
        if not path.is_file():
            found.append(f"{proof.name}: no evidence")
            continue
        if proof.name == MUTANTS:
            continue
        kept = json.loads(path.read_text(encoding="utf-8"))
        verdict = kept.get("verdict")
        again, _ = judged(proof, 0, json.dumps(kept.get("result")))
        if verdict != "pass":
            found.append(f"{proof.name}: {verdict}")
        elif again != "pass":
            found.append(f"{proof.name}: says pass, but {again}")
        elif (inputs := _recorded(kept)) is not None and not inputs.consistent:
            found.append(f"{proof.name}: the digest of its inputs is not that of the listed files")
    return tuple(found)


def _recorded(kept: dict[str, Any]) -> Inputs | None:
    try:
        return Inputs.model_validate(kept.get("inputs"))
    except ValidationError:
        return None


def stale_proofs(root: Path, checkout: Checkout) -> dict[str, tuple[str, ...]]:
    """Proof → why its evidence is stale; proofs whose evidence is of their present inputs are not in it."""
    why: dict[str, tuple[str, ...]] = {}
    for proof in PROOFS:
        path = evidence_path(root, proof)
        if not path.is_file():
            why[proof.name] = ("no evidence",)
        elif proof.name == MUTANTS:
            why[proof.name] = mutants.stale_files(root, checkout, target_files(root))
        else:
            kept = json.loads(path.read_text(encoding="utf-8"))
            recorded = _recorded(kept)
            if recorded is None:
                why[proof.name] = ("its inputs were not recorded",)
                continue
            command = () if kept.get("command") == proof.command else ("its command changed",)
            why[proof.name] = (*command, *stale_because(recorded, proof_inputs(checkout, proof)))
    return {name: reasons for name, reasons in why.items() if reasons}
