"""Which function a step of the manifest names, and the module that holds it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from .results import Found

__all__ = ["MODULES", "function"]

_STEPS = f"{__package__}.steps"
MODULES: Mapping[str, str] = {
    "bypasses": f"{_STEPS}.bypasses",
    "clauses": f"{_STEPS}.marks",
    "coverage": f"{_STEPS}.coverage",
    "determinism": f"{_STEPS}.determinism",
    "exemptions": f"{_STEPS}.exemptions",
    "golden": f"{_STEPS}.golden",
    "lock": f"{_STEPS}.lock",
    "policy_mutants": f"{_STEPS}.policy_oracle",
    "proof_evidence": f"{_STEPS}.proof_evidence",
    "rulings": f"{_STEPS}.marks",
    "sabotage": f"{__package__}.sabotage",
    "stop_mutants": f"{_STEPS}.stop_oracle",
}


def function(name: str) -> Callable[[Path], Found] | None:
    """Loaded when it is needed: a step that cannot be loaded is the fault of one check and not of the gate."""
    match name:
        case "bypasses":
            from .steps.bypasses import bypasses as found
        case "clauses":
            from .steps.marks import clauses as found
        case "coverage":
            from .steps.coverage import coverage as found
        case "determinism":
            from .steps.determinism import determinism as found
        case "exemptions":
            from .steps.exemptions import exemptions as found
        case "golden":
            from .steps.golden import golden as found
        case "lock":
            from .steps.lock import lock as found
        case "policy_mutants":
            from .steps.policy_oracle import policy_mutants as found
        case "proof_evidence":
            from .steps.proof_evidence import proof_evidence as found
        case "rulings":
            from .steps.marks import rulings as found
        case "sabotage":
            from .sabotage import run_all as found
        case "stop_mutants":
            from .steps.stop_oracle import stop_mutants as found
        case _:
            return None
    return found
