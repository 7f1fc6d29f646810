"""CERTIFICATION.md ↔ evidence ↔ manifest ↔ CI: what is committed belongs together; what is stale is named."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from scripts.certify.evidence import CERTIFICATE, EVIDENCE, Evidence, certificate_problems, render
from scripts.certify.manifest import MANIFEST, frame_problems, read_manifest, sealed_files
from scripts.certify.required import BUILT_IN, REQUIRED
from scripts.certify.stale import present_inputs, shown, stale_checks
from scripts.inputs.declared import Checkout
from scripts.inputs.tree import Tree

ROOT = Path(__file__).parents[2]
VERSION = "18.0.0"


@pytest.fixture(scope="module")
def manifest():
    return read_manifest(ROOT)


@pytest.fixture(scope="module")
def evidence():
    return [Evidence.model_validate_json(path.read_bytes()) for path in sorted((ROOT / EVIDENCE).iterdir())]


def test_the_manifest_is_whole(manifest):
    assert frame_problems(ROOT, manifest) == ()
    assert manifest.contract_version == VERSION


def test_evidence_and_certificate_agree_and_what_is_stale_is_named(manifest, capsys):
    assert certificate_problems(ROOT, manifest) == (), "run `make certify`"
    stale = stale_checks(ROOT, manifest, present_inputs(Checkout(Tree(ROOT)), manifest))
    with capsys.disabled():
        for name, reasons in stale.items():
            print(f"\nstale: {name}: {shown(reasons)}", end="")


def test_the_certificate_renders_from_its_evidence(manifest, evidence):
    assert (ROOT / CERTIFICATE).read_text(encoding="utf-8") == render(manifest, evidence)


def test_every_required_check_has_evidence_of_a_pass(evidence):
    assert {one.check: one.verdict for one in evidence} == dict.fromkeys(REQUIRED, "pass")


def test_the_list_of_required_checks_is_long_and_without_repetition():
    assert len(set(REQUIRED)) == len(REQUIRED) >= 28
    assert not set(REQUIRED) & set(BUILT_IN)


def test_evidence_holds_whole_numbers_and_digests_only():
    for path in (ROOT / EVIDENCE).iterdir():
        data = json.loads(path.read_bytes())
        assert set(data) == {"check", "verdict", "counts", "digests", "inputs", "row"}
        assert all(type(number) is int for number in data["counts"].values())
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in (*data["digests"].values(), data["row"]))
        assert path.read_text(encoding="utf-8") == json.dumps(data, indent=2, sort_keys=True) + "\n"


def test_the_lock_covers_the_gate_and_not_its_outcome():
    sealed = sealed_files(ROOT, VERSION)
    gate = {path.relative_to(ROOT).as_posix() for path in (ROOT / "scripts" / "certify").glob("*.py")}
    assert len(gate) > 10
    assert gate | {MANIFEST} <= sealed
    # The lock's digest stands in the evidence of the check `lock`, so the evidence cannot be part of the lock.
    assert not [name for name in sealed if name.startswith((EVIDENCE, CERTIFICATE))]


def test_ci_runs_the_quick_form_and_the_tests_never_certify():
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert [step for step in steps if step.startswith("make ")] == [
        "make browser || true",
        "make setup",
        "make -j2 -O check run certify-quick",
        "make -j2 -O prove coverage conformance-smoke",
        "make test",
    ]
    recipes = dict(re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert "certify --quick" in recipes["certify-quick"]
    for part in ("certify --check release", "mcp_conformance", "test-browser", "openapi_trial", "chat_clients"):
        assert part in recipes["release"]
    assert "certify" not in recipes["test"]
    assert "certify" not in recipes["check"]
