"""The checks that a certificate needs, apart from the manifest: a row that goes missing there is missed here."""

from __future__ import annotations

__all__ = ["BUILT_IN", "REQUIRED"]

REQUIRED = (
    "lock",
    "clauses",
    "rulings",
    "specification",
    "documents",
    "schemas",
    "golden",
    "orders",
    "determinism",
    "stop-calculus",
    "policy-model",
    "session-model",
    "ledger",
    "journal",
    "replay",
    "kills",
    "simulation",
    "proofs",
    "fuzz",
    "proof-evidence",
    "rooms",
    "bypasses",
    "bypasses-at-run-time",
    "imports",
    "guard",
    "shape",
    "types",
    "lint",
    "exemptions",
    "coverage",
    "doors",
    "sandbox",
    "wheel",
    "own-words",
    "gate",
    "sabotage",
)
# Judged on every run and without evidence of their own: the frame that the rest hangs in, and the committed outcome.
BUILT_IN = {
    "manifest": "the manifest is whole: required ids, floors, sealed tests, the contract's checklist, CI",
    "certificate": "the committed evidence is within its floors and renders the committed certificate",
    "release": "no check and no long proof is stale, and the frozen files are those of the lock (`make release`)",
}
