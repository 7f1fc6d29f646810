"""`python -m scripts.staleness`: which checks and proofs are stale now, or would be if the named files changed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.certify.manifest import Manifest, ManifestUnusable, read_manifest
from scripts.certify.stale import present_inputs, shown, stale_checks
from scripts.inputs.declared import Checkout, Inputs, stale_because
from scripts.inputs.tree import Change, Tree
from scripts.long_proofs import MUTANTS, PROOFS, proof_inputs, stale_proofs
from scripts.mutants.evidence import Bound, bound_to
from scripts.mutants.targets import target_files

__all__ = ["Told", "main", "stale_after", "stale_now"]

ROOT = Path(__file__).parents[1]
Told = dict[str, dict[str, tuple[str, ...]]]
"""`checks` and `proofs`, each by name with the reasons."""


def stale_now(root: Path, manifest: Manifest) -> Told:
    """What the committed evidence does not show any more."""
    checkout = Checkout(Tree(root))
    return {
        "checks": stale_checks(root, manifest, present_inputs(checkout, manifest)),
        "proofs": stale_proofs(root, checkout),
    }


def stale_after(root: Path, manifest: Manifest, changes: Mapping[str, Change]) -> Told:
    """What would be stale after these changes if everything were fresh before; a name that is not there is new."""
    before, after = Checkout(Tree(root)), Checkout(Tree(root, changes))
    targets = target_files(root)
    return {
        "checks": _differing(present_inputs(before, manifest), present_inputs(after, manifest)),
        "proofs": {
            **_differing(_proofs(before), _proofs(after)),
            **_mutants(bound_to(before, targets), bound_to(after, targets)),
        },
    }


def _proofs(checkout: Checkout) -> dict[str, Inputs]:
    return {proof.name: proof_inputs(checkout, proof) for proof in PROOFS if proof.name != MUTANTS}


def _differing(before: Mapping[str, Inputs], after: Mapping[str, Inputs]) -> dict[str, tuple[str, ...]]:
    why = {name: stale_because(before[name], after[name]) for name in before}
    return {name: reasons for name, reasons in why.items() if reasons}


def _mutants(before: Mapping[str, Bound], after: Mapping[str, Bound]) -> dict[str, tuple[str, ...]]:
    reasons = tuple(f"mutants of {name}" for name in before if before[name] != after[name])
    return {MUTANTS: reasons} if reasons else {}


def main(words: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """0 where nothing is stale, 1 where something is, 2 where the question cannot be answered."""
    parser = argparse.ArgumentParser(prog="python -m scripts.staleness", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE", help="suppose that this file changed, or is new")
    parser.add_argument("--comment", action="store_true", help="suppose that only comments changed")
    parser.add_argument("--json", action="store_true", help="exactly one JSON document on stdout")
    given = parser.parse_args(words)
    if given.comment and not given.files:
        parser.error("--comment needs a file")
    try:
        manifest = read_manifest(root)
    except ManifestUnusable as exc:
        print(exc, file=sys.stderr)
        return 2
    change = Change.COMMENT if given.comment else Change.CODE
    names = [_name(root, file) for file in given.files]
    told = stale_after(root, manifest, dict.fromkeys(names, change)) if names else stale_now(root, manifest)
    if given.json:
        print(json.dumps(told, indent=2))
    else:
        _print(told, len(manifest.checks))
    return int(any(told.values()))


def _name(root: Path, file: str) -> str:
    """From the root, whether the caller named it from there or from where he stands."""
    path = Path(file)
    inside = path.resolve().is_relative_to(root.resolve()) and (path.is_absolute() or path.exists())
    return path.resolve().relative_to(root.resolve()).as_posix() if inside else path.as_posix()


def _print(told: Told, checks: int) -> None:
    for kind, found in told.items():
        for name, reasons in found.items():
            print(f"{kind.removesuffix('s'):7}{name:22}{shown(reasons)}")
    print(
        f"{len(told['checks'])} of {checks} checks and {len(told['proofs'])} of {len(PROOFS)} proofs are stale",
        file=sys.stderr,
    )


if __name__ == "__main__":
    sys.exit(main())
