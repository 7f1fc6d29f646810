"""Sabotages of what is committed: evidence, certificate and long proofs; stale, thinned out or forged."""

from __future__ import annotations

from collections.abc import Sequence

from .edits import append, both, delete, document, evidence, proof, replace, row, sealed
from .sabotage_row import Sabotage

__all__ = ["EVIDENCE_SABOTAGES"]

_POLICY = "tests/reference/test_policy.py"
_RESOLVER = "backend/app/research/resolver.py"
_ROOM = "backend/app/research/policy.py"

EVIDENCE_SABOTAGES: Sequence[Sabotage] = (
    # The committed outcome.
    Sabotage(
        "a-stale-certificate",
        "release",
        f"check `policy-model` is stale: {_ROOM} changed",
        both(append(_ROOM, "\nLATER = 1\n"), sealed),
        reseal=False,
    ),
    Sabotage(
        "a-comment-nobody-checked",
        "release",
        f"check `types` is stale: {_ROOM} changed",
        both(append(_ROOM, "\n# later\n"), sealed),
        reseal=False,
    ),
    Sabotage(
        "a-lower-floor-without-a-run",
        "release",
        "check `simulation` is stale: its row changed",
        both(row("simulation", floors={"sessions": 1900, "tests": 128}), document, sealed),
        reseal=False,
    ),
    Sabotage(
        "a-release-of-unsealed-files",
        "release",
        "differs from the lock: app/research/policy.py",
        append(_ROOM, "\n"),
        reseal=False,
    ),
    Sabotage(
        "inputs-that-contradict-their-digest",
        "certificate",
        "`golden`: the digest of its inputs is not that of the listed files",
        replace(
            "certification/evidence/golden.json",
            '"backend/app/research/resolver.py": "',
            '"backend/app/research/resolver.py": "0',
        ),
        reseal=False,
    ),
    Sabotage(
        "an-input-that-is-not-there",
        "manifest",
        "`golden`: its input `tests/golden/boxes` is not there",
        row("golden", inputs={"reads": ["tests/golden/boxes"]}),
    ),
    Sabotage(
        "counts-that-nobody-found",
        "policy-model",
        "its evidence claims 300 comparisons, and there are 256",
        evidence("policy-model", "counts", comparisons=300),
        reseal=False,
        forges=True,
    ),
    Sabotage(
        "tests-that-nobody-ran",
        "stop-calculus",
        "its evidence claims another digest of tests than is found",
        evidence("stop-calculus", "digests", tests="0" * 64),
        reseal=False,
        forges=True,
    ),
    Sabotage(
        "a-certificate-by-hand",
        "certificate",
        "CERTIFICATION.md is not what the evidence renders",
        replace("CERTIFICATION.md", "checks executed", "checks executed with care"),
        reseal=False,
    ),
    Sabotage(
        "skips-in-the-evidence",
        "certificate",
        "`doors`: 3 skipped",
        evidence("doors", "counts", skipped=3),
        reseal=False,
    ),
    Sabotage(
        "a-thinner-evidence",
        "certificate",
        "`bypasses`: 3 bypasses, at least",
        evidence("bypasses", "counts", bypasses=3),
        reseal=False,
    ),
    Sabotage("a-red-verdict", "certificate", "`ledger`: verdict", evidence("ledger", verdict="red"), reseal=False),
    Sabotage(
        "a-time-in-the-evidence", "certificate", "`golden`: seconds", evidence("golden", seconds=12), reseal=False
    ),
    Sabotage(
        "evidence-removed",
        "certificate",
        "`types` has no evidence",
        delete("certification/evidence/types.json"),
        reseal=False,
    ),
    # The long proofs.
    Sabotage(
        "a-core-changed-after-its-proofs",
        "release",
        f"proof `z3` is stale: {_RESOLVER} changed",
        append(_RESOLVER, "\nLATER = 1\n"),
    ),
    Sabotage(
        "worlds-drawn-otherwise-after-their-proof",
        "release",
        "proof `simulation` is stale: tests/simulation/scenario/generate.py changed",
        append("tests/simulation/scenario/generate.py", "\nLATER = 1\n"),
    ),
    Sabotage(
        "a-weaker-test-after-the-mutants",
        "release",
        "backend/app/kernel/caps.py: its tests changed",
        replace(_POLICY, "import pytest\n", "import pytest\n\nWEAKER = True\n"),
    ),
    Sabotage(
        "a-pass-that-is-none",
        "proof-evidence",
        "z3: says pass, but `proven` is []",
        proof("z3", proven=[]),
    ),
    Sabotage(
        "planted-faults-that-nobody-ran",
        "proof-evidence",
        "planted: no evidence",
        delete("certification/proofs/planted.json"),
    ),
    Sabotage(
        "a-simulation-that-broke",
        "proof-evidence",
        "simulation: ",
        replace("certification/proofs/simulation.json", '"verdict": "pass"', '"verdict": "`broken` is 1"'),
    ),
    Sabotage(
        "survivors-taken-out-of-the-count",
        "proof-evidence",
        "does not add up",
        replace(
            "certification/proofs/mutants.json", '"timed_out": [],\n      "eq', '"timed_out": ["another"],\n      "eq'
        ),
    ),
    Sabotage(
        "an-equivalent-whose-proof-was-taken-away",
        "proof-evidence",
        "calls others equivalent than are listed",
        replace("scripts/mutants/equivalents.json", "'main' -> 'main~'", "'main' -> 'mane'"),
    ),
)
