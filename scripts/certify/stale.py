"""Which evidence no longer belongs to its inputs, and which contradicts what a run finds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scripts.inputs.declared import Checkout, Inputs, stale_because

from .check_inputs import inputs_of, row_digest
from .evidence import Evidence, committed_evidence
from .manifest import Check, Manifest
from .results import Result

__all__ = ["NO_EVIDENCE", "contradictions", "present_inputs", "shown", "stale_checks"]

NO_EVIDENCE = "no evidence"
_SHOWN = 3


def present_inputs(checkout: Checkout, manifest: Manifest) -> dict[str, Inputs]:
    """Check → its inputs as they are now."""
    return {check.id: inputs_of(checkout, check) for check in manifest.checks}


def stale_checks(root: Path, manifest: Manifest, present: Mapping[str, Inputs]) -> dict[str, tuple[str, ...]]:
    """Check → why its evidence is stale; checks whose evidence is of their present inputs are not in it."""
    found, _ = committed_evidence(root, manifest)
    why = {check.id: _because(check, found.get(check.id), present[check.id]) for check in manifest.checks}
    return {name: reasons for name, reasons in why.items() if reasons}


def _because(check: Check, evidence: Evidence | None, present: Inputs) -> tuple[str, ...]:
    if evidence is None:
        return (NO_EVIDENCE,)
    if not evidence.inputs.files:
        return stale_because(evidence.inputs, present)
    row = () if evidence.row == row_digest(check) else ("its row changed",)
    return (*row, *stale_because(evidence.inputs, present))


def shown(reasons: tuple[str, ...]) -> str:
    """The first few reasons in one line."""
    more = len(reasons) - _SHOWN
    return ", ".join(reasons[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def contradictions(evidence: Evidence, result: Result) -> list[str]:
    """Where evidence that claims the same inputs says something else than a run of the cheap parts: it is forged."""
    problems = [
        f"its evidence claims {evidence.counts.get(name, 'nothing about')} {name}, and there are {number}"
        for name, number in sorted(result.counts.items())
        if evidence.counts.get(name) != number
    ]
    problems += [
        f"its evidence claims another digest of {name} than is found"
        for name, digest in sorted(result.digests.items())
        if evidence.digests.get(name) != digest
    ]
    return problems
