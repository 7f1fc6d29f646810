"""Run every proof: seeded samples in minutes, or with `--long` whole ones whose evidence is stale, and write it."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from scripts.inputs.declared import Checkout, Inputs
from scripts.inputs.tree import Tree
from scripts.long_proofs import MUTANTS, PROOFS, Proof, evidence_path, judged, proof_inputs, stale_proofs

__all__ = ["main"]

ROOT = Path(__file__).parents[1]


def _printed(words: tuple[str, ...]) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603  our own command
    return done.returncode, done.stdout


def _run(proof: Proof, words: tuple[str, ...]) -> dict[str, Any]:
    started = time.monotonic()
    if proof.probe and _printed(proof.probe)[0] != 0:
        verdict, told = "absent", None
    else:
        verdict, told = judged(proof, *_printed(words))
    shown = [Path(words[0]).name, *words[1:]]
    return {"verdict": verdict, "command": shown, "seconds": round(time.monotonic() - started), "result": told}


def _inputs(proof: Proof) -> Inputs:
    return proof_inputs(Checkout(Tree(ROOT)), proof)


def _run_long(proof: Proof, everything: bool) -> dict[str, Any]:
    """Whole, with evidence bound to the inputs; the mutants hunt what is stale and keep their own evidence."""
    if proof.name == MUTANTS:
        return _run(proof, (*proof.long, "--all") if everything else proof.long)
    inputs = _inputs(proof)
    result = _run(proof, proof.long)
    if _inputs(proof) != inputs:
        result["verdict"] = "files were changed while it ran"
    if result["verdict"] != "absent":
        kept = {"check": proof.name, "inputs": inputs.model_dump(mode="json"), **result}
        path = evidence_path(ROOT, proof)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return result


def main() -> int:
    """0 where everything is shown, 1 where something is not, 2 where something could not be run."""
    parser = argparse.ArgumentParser(prog="python -m scripts.prove", description=__doc__)
    parser.add_argument("--long", action="store_true", help="whole proofs, those that are stale; writes evidence")
    parser.add_argument("--all", action="store_true", help="with --long: every proof, stale or not")
    parser.add_argument("--only", choices=[proof.name for proof in PROOFS], action="append")
    options = parser.parse_args()
    if options.all and not options.long:
        parser.error("--all goes with --long")
    stale = stale_proofs(ROOT, Checkout(Tree(ROOT))) if options.long else {}
    results = {}
    for proof in PROOFS:
        if options.only and proof.name not in options.only:
            continue
        if options.long and not (options.all or options.only or proof.name in stale):
            print(f"{proof.name}: no input changed", file=sys.stderr, flush=True)
            continue
        why = stale.get(proof.name)
        print(f"{proof.name} ...{f' {why[0]}' if why else ''}", file=sys.stderr, flush=True)
        results[proof.name] = _run_long(proof, options.all) if options.long else _run(proof, proof.quick)
    # One document, a line for each proof: a log stays short enough to be read to its end.
    rows = [f"{json.dumps(name)}: {json.dumps(result, ensure_ascii=False)}" for name, result in results.items()]
    print("{\n" + ",\n".join(rows) + "\n}")
    verdicts = {result["verdict"] for result in results.values()}
    return 0 if verdicts <= {"pass"} else 2 if verdicts <= {"pass", "absent"} else 1


if __name__ == "__main__":
    sys.exit(main())
