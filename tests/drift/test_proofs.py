"""Evidence of the long proofs ↔ LOCK ↔ the files that were mutated: stale evidence is red."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from scripts.mutants.evidence import EVIDENCE, problems, read_evidence
from scripts.mutants.targets import SLOW, TESTS, target_files
from scripts.prove import PROOFS, evidence_problems, judged, worlds_digest

ROOT = Path(__file__).parents[2]
LOCK = Path("contracts") / "18.0.0" / "LOCK"


def test_mutants_of_every_target_are_noticed_and_the_evidence_is_of_these_files():
    assert problems(ROOT, target_files(ROOT)) == (), "run `make mutants`"


def test_every_long_proof_has_evidence_of_a_pass_for_this_lock():
    assert evidence_problems(ROOT) == (), "run `make prove-long`"


WORLDS = {
    "z3": ("scripts/proofs/symbolic.py",),
    "crosshair": ("tests/proofs/pure.py", "backend/app/parsing/addresses.py"),
    "simulation": (
        *(f"tests/simulation/{name}" for name in ("scenario/generate.py", "oracle/judge.py", "matrix.json")),
        "backend/app/system/stores/ledger_sqlite.py",
        "tests/fixtures/virtual_time.py",
    ),
    "planted": ("tests/simulation/planted.py", "tests/simulation/oracle/judge.py", "tests/reference/ledger_bench.py"),
}


@pytest.mark.parametrize("proof", [proof for proof in PROOFS if proof.worlds], ids=lambda proof: proof.name)
def test_evidence_of_other_worlds_is_stale(proof, tmp_path):
    """The core alone does not say what was simulated, nor what was proven of it."""
    assert [pattern for pattern in proof.worlds if not list(ROOT.glob(pattern))] == []
    for folder in ("tests", "scripts", "backend"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    before = worlds_digest(tmp_path, proof)
    assert before == worlds_digest(ROOT, proof)
    for name in WORLDS[proof.name]:
        path = tmp_path / name
        whole = path.read_bytes()
        path.write_bytes(whole + b"\n")
        assert worlds_digest(tmp_path, proof) != before, name
        path.write_bytes(whole)
    assert worlds_digest(tmp_path, proof) == before
    (tmp_path / proof.worlds[0].replace("*", "another")).write_bytes(b"")
    assert worlds_digest(tmp_path, proof) != before


def test_the_tests_that_may_notice_exist():
    assert [name for name in TESTS if not (ROOT / name).exists()] == []
    assert [name for name in SLOW if not (ROOT / name.partition("::")[0]).is_file()] == []


@pytest.fixture
def copy(tmp_path):
    """The evidence with the files that it is about."""
    for name in (EVIDENCE, LOCK.as_posix(), *target_files(ROOT)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_a_changed_file_another_lock_and_a_lost_survivor_are_noticed(copy):
    targets = target_files(ROOT)
    before = problems(copy, targets)
    name = next(name for name in targets if name.endswith("research/resolver.py"))
    (copy / name).write_text((copy / name).read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert f"{name}: stale" in set(problems(copy, targets)) - set(before)

    kept = json.loads((copy / EVIDENCE).read_text(encoding="utf-8"))
    kept["lock_runtime"] = "0" * 64
    kept["files"][name]["killed"] -= 1
    (copy / EVIDENCE).write_text(json.dumps(kept), encoding="utf-8")
    found = problems(copy, targets)
    assert "belongs to another lock" in found
    assert f"{name}: does not add up" in found
    kept["files"].pop(name)
    (copy / EVIDENCE).write_text(json.dumps(kept), encoding="utf-8")
    assert f"{name}: no evidence" in problems(copy, targets)


@pytest.mark.parametrize(
    ("key", "change", "told"),
    [
        ("equivalents", lambda names: [*names, "another"], "calls others equivalent than are listed"),
        ("equivalents", lambda names: names[1:], "calls others equivalent than are listed"),
        ("survived", lambda names: ["another", *names], "names mutants that are not there"),
        ("mutants", lambda count: count - 1, " mutants told, "),
    ],
)
def test_evidence_about_mutants_that_are_not_there_is_noticed(copy, key, change, told):
    """An equivalent is not counted, so one without a proof would be a survivor that nobody sees."""
    targets = target_files(ROOT)
    name = next(name for name in targets if name.endswith("research/resolver.py"))
    kept = json.loads((copy / EVIDENCE).read_text(encoding="utf-8"))
    kept["files"][name][key] = change(kept["files"][name][key])
    (copy / EVIDENCE).write_text(json.dumps(kept), encoding="utf-8")
    assert [problem for problem in problems(copy, targets) if problem.startswith(name) and told in problem]


def test_equivalents_are_few():
    _, files = read_evidence(ROOT)
    mutants = sum(end.mutants for end in files.values())
    assert mutants >= 4_300
    assert 1000 * sum(len(end.equivalents) for end in files.values()) <= 30 * mutants


@pytest.mark.parametrize(
    ("code", "printed", "verdict"),
    [
        (0, '{"problems": {"stops": []}, "proven": ["stops"]}', "pass"),
        (0, '{"problems": {"stops": ["x"]}, "proven": ["ledger"]}', '`problems` is {"stops": ["x"]}'),
        (0, '{"problems": {}, "proven": []}', "`proven` is []"),
        (0, '{"problems": {}}', "`proven` is missing"),
        (1, '{"problems": {}, "proven": ["stops"]}', "exit 1"),
        (0, "Traceback", "exit 0 and no JSON document"),
    ],
)
def test_a_result_is_read_with_suspicion(code, printed, verdict):
    assert judged(PROOFS[0], code, printed)[0] == verdict
