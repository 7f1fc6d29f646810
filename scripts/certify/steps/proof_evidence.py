"""How much the long proofs did, from their committed evidence."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from scripts.certify.results import Found

__all__ = ["proof_evidence"]


def proof_evidence(root: Path) -> Found:
    """Every long proof has evidence of a pass that adds up; whether its inputs changed since is told by `release`."""
    from tests.simulation.matrix import rarest

    from scripts.long_proofs import MUTANTS, PROOFS, evidence_path, evidence_problems
    from scripts.mutants.evidence import read_evidence

    problems = evidence_problems(root)
    if problems:
        return Found(problems=problems)
    told = {
        proof.name: json.loads(evidence_path(root, proof).read_bytes()).get("result", {})
        for proof in PROOFS
        if proof.name != MUTANTS
    }
    files = read_evidence(root).values()
    # Counted again with the matrix as it is now: a cell that is declared later was met by nobody.
    cells = Counter({(fault, s): n for fault, row in told["simulation"]["pairs"].items() for s, n in row.items()})
    counts = {
        "mutants": sum(end.mutants for end in files),
        "mutants_noticed": sum(end.killed + len(end.timed_out) for end in files),
        "mutants_shown_equal": sum(len(end.equivalents) for end in files),
        "fuzz_inputs": sum(told["fuzz"]["inputs"].values()),
        "planted_faults_found": told["planted"]["planted"] - len(told["planted"]["missed"]),
        "rules_confirmed": told["crosshair"]["confirmed"],
        "rules_proven": len(told["z3"]["proven"]),
        "sessions": told["simulation"]["sessions"],
        "sessions_of_the_rarest_cell": min(rarest(cells).values()),
        "soak_pages": told["soak"]["pages"],
    }
    return Found(counts, {"sessions": told["simulation"]["digest"]})
