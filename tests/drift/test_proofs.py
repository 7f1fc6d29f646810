"""Evidence of the long proofs ↔ their inputs: what does not add up is red, what is stale is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from scripts.certify.made_up_proofs import reprove
from scripts.inputs.declared import Checkout
from scripts.inputs.tree import Change, Tree
from scripts.long_proofs import MUTANTS, PROOFS, evidence_path, evidence_problems, judged, proof_inputs, stale_proofs
from scripts.mutants.evidence import EVIDENCE, problems, read_evidence, stale_files
from scripts.mutants.targets import SLOW, TESTS, target_files

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def now():
    return Checkout(Tree(ROOT))


def test_the_committed_evidence_says_what_it_should_and_what_is_stale_is_named(now, capsys):
    assert evidence_problems(ROOT) == (), "run `make prove-long`"
    with capsys.disabled():
        for name, reasons in stale_proofs(ROOT, now).items():
            print(f"\nstale: proof {name}: {reasons[0]}", end="")


# Files on which the result of a proof depends, and one on which it does not.
DEPENDS = {
    "z3": (("scripts/proofs/symbolic.py", "backend/app/research/resolver.py"), "backend/app/screen/fold.py"),
    "crosshair": (("tests/proofs/pure.py", "backend/app/parsing/url/addresses.py"), "backend/app/screen/fold.py"),
    "simulation": (
        (
            *(f"tests/simulation/{name}" for name in ("scenario/generate.py", "oracle/judge.py", "matrix.json")),
            "backend/app/system/stores/ledger/sqlite.py",
            "backend/app/screen/rules/injection-2.json",
            "tests/fixtures/virtual_time.py",
        ),
        "backend/app/tools/toolbox.py",
    ),
    "planted": (
        ("tests/simulation/planted.py", "tests/simulation/oracle/judge.py", "tests/reference/ledger_bench.py"),
        "backend/app/tools/toolbox.py",
    ),
    "fuzz": (("tests/fuzz/targets.py", "backend/app/screen/fold.py"), "backend/app/cli/ask.py"),
    "soak": (("benchmarks/fetching.py", "backend/app/tools/fetch/wire.py"), "backend/app/research/router.py"),
}


@pytest.mark.parametrize("proof", [proof for proof in PROOFS if proof.name != MUTANTS], ids=lambda proof: proof.name)
def test_evidence_of_other_inputs_is_stale(proof, now):
    assert now.unknown(proof.inputs) == ()
    before = proof_inputs(now, proof)
    changed, other = DEPENDS[proof.name]
    for name in changed:
        assert name in now.tree
        assert proof_inputs(Checkout(Tree(ROOT, {name: Change.CODE})), proof) != before, name
        comment = proof_inputs(Checkout(Tree(ROOT, {name: Change.COMMENT})), proof)
        assert (comment == before) == name.endswith(".py"), name
    assert other in now.tree
    assert proof_inputs(Checkout(Tree(ROOT, {other: Change.CODE})), proof) == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"verdict": "exit 1"}, "z3: exit 1"),
        ({"result": {"problems": {"stops": ["x"]}, "proven": ["stops"]}}, "z3: says pass, but `problems` is"),
        ({"result": {"problems": {}, "proven": []}}, "z3: says pass, but `proven` is []"),
        ({"result": None}, "z3: says pass, but"),
    ],
)
def test_a_proof_that_did_not_pass_is_not_presented_as_one(copy, change, said):
    path = evidence_path(copy, PROOFS[0])
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **change}), encoding="utf-8")
    assert [problem for problem in evidence_problems(copy) if problem.startswith(said)]


def test_the_tests_that_may_notice_exist():
    assert [name for name in TESTS if not (ROOT / name).exists()] == []
    assert [name for name in SLOW if not (ROOT / name.partition("::")[0]).is_file()] == []


@pytest.fixture
def copy(tmp_path, now):
    """The evidence with the files that it is about, as if every file had been hunted just now."""
    for name in ("certification", "scripts/mutants", "tests", "backend/app"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    reprove(tmp_path)
    return tmp_path


def _hunted(root):
    return stale_files(root, Checkout(Tree(root)), target_files(root))


def test_a_changed_file_a_changed_test_and_a_lost_survivor_are_noticed(copy):
    targets = target_files(ROOT)
    assert (problems(copy, targets), _hunted(copy)) == ((), ())
    name = next(name for name in targets if name.endswith("research/resolver.py"))
    whole = (copy / name).read_text(encoding="utf-8")
    (copy / name).write_text(whole + "\n# said\n", encoding="utf-8")
    assert _hunted(copy) == ()
    (copy / name).write_text(whole + "\nX = 1\n", encoding="utf-8")
    assert _hunted(copy) == (f"{name} changed",)
    (copy / name).write_text(whole, encoding="utf-8")
    with (copy / "tests" / "reference" / "test_stop_calculus.py").open("a", encoding="utf-8") as file:
        file.write("\nX = 1\n")
    assert f"{name}: its tests changed" in _hunted(copy)
    assert "backend/app/parsing/url/urls.py: its tests changed" not in _hunted(copy)

    kept = json.loads((copy / EVIDENCE).read_text(encoding="utf-8"))
    kept["files"][name]["killed"] -= 1
    (copy / EVIDENCE).write_text(json.dumps(kept), encoding="utf-8")
    assert f"{name}: does not add up" in problems(copy, targets)
    kept["files"].pop(name)
    (copy / EVIDENCE).write_text(json.dumps(kept), encoding="utf-8")
    assert f"{name} has no evidence" in _hunted(copy)


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
    files = read_evidence(ROOT)
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
