"""The gate's own parts: a missing, empty, skipped or thinned-out check is red, and says so by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scripts.certify.__main__ import main
from scripts.certify.evidence import limits_problems
from scripts.certify.gate import judge
from scripts.certify.manifest import Check, Manifest, ManifestUnusable, frame_problems, read_manifest
from scripts.certify.required import BUILT_IN, REQUIRED
from scripts.certify.testing import collect, execute
from tests.doors.command import portcullis, unread

from app.cli.exits import Exit

ROOT = Path(__file__).parents[2]
TESTS = """
import pytest

@pytest.mark.clause("1")
def test_passes(): pass

@pytest.mark.parametrize("n", [1, 2])
def test_many(n): pass

def test_fails(): assert False

@pytest.mark.skip
def test_is_skipped(): pass

@pytest.mark.skipif(True, reason="here")
@pytest.mark.clause("2")
def test_is_skipped_here(): pass

def test_skips_itself(): pytest.skip("later")

@pytest.mark.xfail
def test_is_expected_to_fail(): assert False

@pytest.fixture
def broken(): raise ValueError

def test_cannot_start(broken): pass

@pytest.fixture
def leaves_badly():
    yield
    raise ValueError

def test_ends_badly(leaves_badly): pass
"""


def _check(**fields):
    plain = {
        "id": "some-check",
        "title": "a title of its own",
        "claim": "what it claims",
        "form": "full",
        "steps": [{"run": "tests", "paths": ["tests/test_a.py"]}],
        "floors": {"tests": 3},
    }
    return Check.model_validate({**plain, **fields})


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n    clause(id): c\n    ruling(id): r\n", encoding="utf-8"
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "tests" / "test_empty.py").write_text('"""Nothing."""\n', encoding="utf-8")
    (tmp_path / "tests" / "test_broken.py").write_text("import nothing_of_that_name\n", encoding="utf-8")
    (tmp_path / "tests" / "test_left_out.py").write_text(
        "import pytest\npytest.skip('all of it', allow_module_level=True)\n", encoding="utf-8"
    )
    return tmp_path


@pytest.mark.parametrize("parallel", [False, True])
def test_only_what_ran_and_passed_counts(project, parallel):
    ends = execute(project, ["tests"], parallel=parallel)
    found = ends.found(["tests/test_a.py"])
    assert found.counts == {"tests": 3, "skipped": 3, "xfailed": 1}
    said = " ".join(found.problems)
    assert "test_fails failed" in said
    assert "and 2 more" in said
    assert ends.found(["tests/test_a.py::test_many"]).problems == ()
    assert ends.found(["tests/test_a.py::test_many"]).counts["tests"] == 2
    assert ends.ends["tests/test_a.py::test_cannot_start"] == "error"
    assert ends.ends["tests/test_a.py::test_ends_badly"] == "error"
    assert ends.found(["tests/test_empty.py"]).problems == ("no test under tests/test_empty.py",)
    assert ends.found(["tests/test_nowhere.py"]).problems == ("no test under tests/test_nowhere.py",)


@pytest.mark.parametrize(("name", "how"), [("test_broken.py", "failed"), ("test_left_out.py", "skipped")])
def test_a_file_that_cannot_be_collected_is_a_problem(project, name, how):
    path = f"tests/{name}"
    assert f"{path} {how}" in execute(project, ["tests"], parallel=False).found([path]).problems
    assert f"{path} {how}" in collect(project, ["tests"]).found([path]).problems


def test_marks_tell_without_execution(project):
    collected = collect(project, ["tests/test_a.py"])
    found = collected.found(["tests/test_a.py"])
    assert found.counts["tests"] == 10
    marked = sorted(problem.split("::")[1] for problem in found.problems)
    assert marked == [
        "test_is_expected_to_fail is marked as xfailed",
        "test_is_skipped is marked as skipped",
        "test_is_skipped_here is marked as skipped",
    ]
    assert collected.items["tests/test_a.py::test_is_skipped_here"]["clauses"] == ["2"]


def test_options_of_the_environment_thin_nothing_out(project, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k many")
    with (project / "pytest.ini").open("a", encoding="utf-8") as file:
        file.write("addopts = -k many\n")
    assert execute(project, ["tests/test_a.py"], parallel=False).found(["tests/test_a.py"]).counts["tests"] == 3


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ({"tests": 3, "skipped": 0, "xfailed": 0}, None),
        ({"tests": 6, "skipped": 0, "xfailed": 0}, None),
        ({"tests": 2, "skipped": 0, "xfailed": 0}, "2 tests, at least 3 are required"),
        ({"tests": 7, "skipped": 0, "xfailed": 0}, "raise it"),
        ({"skipped": 0, "xfailed": 0}, "says nothing about tests"),
        ({"tests": 3, "skipped": 1, "xfailed": 0}, "1 skipped"),
        ({"tests": 3, "skipped": 0, "xfailed": 2}, "2 xfailed"),
        ({"tests": 3}, "unknown skipped"),
    ],
)
def test_floors(counts, problem):
    found = limits_problems(_check(), counts)
    assert (problem is None) == (found == [])
    assert problem is None or problem in " ".join(found)


def test_a_ceiling():
    check = _check(steps=[{"run": "function", "name": "exemptions"}], ceilings={"noqa": 2})
    assert limits_problems(check, {"tests": 3, "noqa": 2}) == []
    assert limits_problems(check, {"tests": 3, "noqa": 3}) == ["3 noqa, at most 2 are allowed"]
    assert limits_problems(check, {"tests": 3}) == ["unknown noqa, at most 2 are allowed"]


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ({"run": "command", "line": ["python", "-c", "print('3 things')"], "counts": {"tests": r"(\d+) things"}}, None),
        ({"run": "command", "line": ["python", "-c", "print('x')"], "counts": {"tests": r"(\d+) things"}}, "how many"),
        ({"run": "command", "line": ["python", "-c", "raise SystemExit(3)"], "counts": {}}, "exits with 3"),
        ({"run": "command", "line": ["no-such-tool"], "counts": {}}, "is not in this environment"),
        ({"run": "function", "name": "no_such_function"}, "no function"),
        ({"run": "tests", "paths": ["tests"]}, "were not run"),
    ],
)
def test_steps(step, problem):
    result = judge(ROOT, _check(steps=[step]), None, quick=False)
    assert result.verdict == ("red" if problem else "pass")
    assert problem is None or problem in " ".join(result.problems)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows.pop(3), "required check `specification` has no row"),
        (lambda rows: rows.append(rows[0]), "`lock` stands 2 times"),
        (lambda rows: rows.append({**rows[0], "id": "another-one"}), "`another-one` is not among the required checks"),
        (lambda rows: rows[0].update(clauses=[]), "no check shows clause 9"),
        (lambda rows: rows[0].update(clauses=["9", "7.2", "5"]), "clause 5 is not one that the gate shows"),
        (lambda rows: rows[0].update(checklist=["Luck"]), "the contract's checklist has no `Luck`"),
    ],
)
def test_the_frame_names_what_is_wrong(change, said):
    data = json.loads((ROOT / "certification" / "manifest.json").read_bytes())
    change(data["checks"])
    problems = frame_problems(ROOT, Manifest.model_validate_json(json.dumps(data)))
    assert said in " ".join(problems)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("{", "Invalid JSON"),
        ('{"contract_version": "18.0.0", "checks": []}', "checks"),
        (json.dumps({"contract_version": "18.0.0", "checks": [{"id": "golden"}]}), "`golden` title"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_red_for_every_check(text, said, tmp_path, capsys):
    if text is not None:
        (tmp_path / "certification").mkdir()
        (tmp_path / "certification" / "manifest.json").write_text(text, encoding="utf-8")
    with pytest.raises(ManifestUnusable, match=said):
        read_manifest(tmp_path)
    assert main([], tmp_path) == Exit.DOES_NOT_HOLD
    told = capsys.readouterr().out
    assert all(f"{name}: the manifest cannot be used" in told for name in REQUIRED)


def test_without_the_corpora_nothing_is_said_and_nothing_written(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PORTCULLIS_CORPORA", str(tmp_path / "nowhere"))
    before = {path: path.read_bytes() for path in (ROOT / "certification").rglob("*.json")}
    assert main(["--check", "own-words", "--write"]) == Exit.NOT_EVALUATED
    assert "not evaluated own-words" in capsys.readouterr().out
    assert {path: path.read_bytes() for path in (ROOT / "certification").rglob("*.json")} == before


def test_one_json_document(capsys):
    assert main(["--check", "policy-model", "--json"]) == Exit.GROUNDED
    told = json.loads(capsys.readouterr().out)
    checks = [(one["check"], one["verdict"]) for one in told["checks"]]
    assert checks == [("manifest", "pass"), ("policy-model", "pass")]
    assert told["verdict"] == "pass"


def test_the_command_line_starts_the_gate(tmp_path):
    listed = portcullis("certify", "--list", "--json", data_dir=tmp_path, cwd=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert [row["check"] for row in json.loads(listed.stdout)["checks"]] == [*BUILT_IN, *REQUIRED]
    unknown = portcullis("certify", "--check", "luck", data_dir=tmp_path)
    assert (unknown.returncode, unknown.stdout) == (Exit.INVALID, b"")
    assert b"`luck`" in unknown.stderr
    assert portcullis("certify", "--write", data_dir=tmp_path).returncode == Exit.INVALID
    told = portcullis("certify", "--check", "luck", "--json", data_dir=tmp_path)
    assert json.loads(told.stdout)["error"]["kind"] == "invalid_request"


def test_whoever_stops_reading_gets_no_traceback():
    done = unread("scripts.certify", "--list")
    assert (done.returncode, done.stderr) == (1, b"")
