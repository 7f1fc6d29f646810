"""Evidence of the long proofs as a saboteur would write it: it claims the present inputs, and nothing was run."""

from __future__ import annotations

import json
from pathlib import Path

from scripts.inputs.declared import Checkout
from scripts.inputs.tree import Tree
from scripts.long_proofs import MUTANTS, PROOFS, evidence_path, proof_inputs
from scripts.mutants.evidence import FileEnd, bound_to, document, read_equivalents
from scripts.mutants.sites import Source
from scripts.mutants.targets import target_files

__all__ = ["reprove"]


def reprove(place: Path) -> None:
    """In a copy of the checkout: the results that stand there, bound to the inputs as they are now."""
    checkout = Checkout(Tree(place))
    for proof in PROOFS:
        path = evidence_path(place, proof)
        if proof.name == MUTANTS:
            path.write_text(json.dumps(document(_noticed(place, checkout)), indent=2, ensure_ascii=False) + "\n")
        elif path.is_file():
            kept = json.loads(path.read_bytes())
            kept |= {"inputs": proof_inputs(checkout, proof).model_dump(mode="json"), "command": proof.command}
            path.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _noticed(place: Path, checkout: Checkout) -> dict[str, FileEnd]:
    """Every mutant noticed."""
    ends = {}
    for name, bound in bound_to(checkout, target_files(place)).items():
        mutants = len({site.name for site in Source(name, (place / name).read_text(encoding="utf-8")).sites()})
        equal = tuple(sorted(read_equivalents().get(name, {})))
        ends[name] = FileEnd(bound, mutants, mutants - len(equal), (), equal, ())
    return ends
