"""The built-in check of a release: nothing is stale, nothing forged, and the frozen files are those of `LOCK`."""

from __future__ import annotations

from pathlib import Path

from .evidence import certificate_problems
from .manifest import Manifest
from .results import Result
from .stale import shown

__all__ = ["release"]


def release(root: Path, manifest: Manifest) -> Result:
    """Red when a check or a long proof belongs to other inputs than the present ones, by name and with the reason."""
    from scripts.long_proofs import PROOFS, evidence_problems
    from scripts.seal import differing
    from scripts.staleness import stale_now

    stale = stale_now(root, manifest)
    problems = [f"differs from the lock: {name}" for name in differing(root)]
    problems += certificate_problems(root, manifest)
    problems += evidence_problems(root)
    for kind, found in stale.items():
        problems += [f"{kind.removesuffix('s')} `{name}` is stale: {shown(reasons)}" for name, reasons in found.items()]
    counts = {"checks": len(manifest.checks), "proofs": len(PROOFS)}
    return Result("release", "red" if problems else "pass", counts, {}, tuple(problems))
