"""The steps that are neither tests nor commands: each takes the checkout and tells numbers, digests and faults."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from .oracles import policy_mutants, stop_mutants
from .results import Found, NotEvaluated
from .testing import Collected, child_environment, collect

__all__ = ["FUNCTIONS"]

CONTRACT = "contracts/18.0.0"
# What loosens a rule for one line or block, and how it looks when it says why: codes, then words.
EXEMPTIONS = {
    "noqa": (re.compile(r"#\s*noqa\b"), re.compile(r"# noqa: [A-Z]+\d+(?:, ?[A-Z]+\d+)*\s+(?:[-#] )?\w+ \w+")),
    "type_ignore": (re.compile(r"#\s*type:\s*ignore"), re.compile(r"# type: ignore\[[a-z-]+\]\s+# \w+ \w+")),
    "no_cover": (re.compile(r"#\s*pragma:\s*no"), re.compile(r"(?!)")),
    "lint_off": (re.compile(r"#\s*(?:ruff:|mypy:|fmt:\s*off|flake8:|nosec|isort:\s*skip)"), re.compile(r"(?!)")),
}
EXEMPTED = ("backend", "scripts", "tests", "benchmarks")
# Settings that keep the other checks sharp.
STRICT = {
    "mypy.strict": True,
    "mypy.warn_unreachable": True,
    "mypy.packages": ["app"],
    "pytest.ini_options.addopts": "-ra --strict-markers --strict-config -p no:cacheprovider",
    "pytest.ini_options.xfail_strict": True,
    "pytest.ini_options.filterwarnings": ["error"],
    "coverage.run.branch": True,
    "coverage.run.source": ["backend/app/kernel", "backend/app/research"],
    "coverage.run.omit": None,
    "coverage.report.omit": None,
    "coverage.report.fail_under": 100,
    "coverage.report.exclude_also": ["if TYPE_CHECKING:", "assert_never\\(", "^\\s*\\.\\.\\.$"],
}


def lock(root: Path) -> Found:
    """Every sealed file has the bytes that `LOCK` says."""
    from scripts.seal import differing, fresh_lock

    fresh = fresh_lock(root)
    return Found(
        {"runtime_files": len(fresh.runtime.files), "files": len(fresh.full.files)},
        {"runtime": fresh.runtime.digest, "full": fresh.full.digest},
        tuple(f"differs from the lock: {name}" for name in differing(root)),
    )


@cache
def _all_tests(root: Path) -> Collected:
    return collect(root, ["tests"])


def clauses(root: Path) -> Found:
    """Clauses ↔ collected tests, both ways; a test that would be skipped shows nothing."""
    data = json.loads((root / CONTRACT / "clauses.json").read_bytes())["clauses"]
    tested = [clause["id"] for clause in data if clause["verified_by"] == "test"]
    return _marked(_all_tests(root), "clauses", tested, {clause["id"] for clause in data})


def rulings(root: Path) -> Found:
    """Rulings ↔ collected tests, both ways, apart from those that the conformance test lists as not built yet."""
    from tests.conformance.marks import NOT_BUILT

    text = (root / CONTRACT / "RULINGS.md").read_text(encoding="utf-8")
    known = re.findall(r"^## (R\d+) ", text, re.MULTILINE)
    found = _marked(_all_tests(root), "rulings", [name for name in known if name not in NOT_BUILT], set(known))
    return Found({**found.counts, "not_built": len(NOT_BUILT)}, found.digests, found.problems)


def _marked(collected: Collected, kind: str, wanted: list[str], known: set[str]) -> Found:
    shown: dict[str, int] = {}
    marked = 0
    for item in collected.items.values():
        names = item[kind]
        if isinstance(names, list) and names and not item["left_out"]:
            marked += 1
            for name in names:
                shown[name] = shown.get(name, 0) + 1
    problems = [f"{name} has no test" for name in wanted if name not in shown]
    problems += [f"a mark names {name}, which does not exist" for name in sorted(set(shown) - known)]
    problems += [f"{name or 'pytest'} {how}" for name, how in sorted(collected.errors.items())]
    return Found({kind: sum(name in shown for name in wanted), "tests_marked": marked}, {}, tuple(problems))


def golden(root: Path) -> Found:
    """Every golden case is played again; the digest is over the digests of all their outcomes and journals."""
    from tests.golden.cases import FOLDER, SESSION, case_files, play, read_case

    from app.kernel.canonical import digest_of, sha256_hex

    outcomes, journals, problems, stops = {}, {}, [], set()
    for path in case_files():
        name = path.relative_to(FOLDER).with_suffix("").as_posix()
        case = read_case(path)
        bench, got = play(case)
        if got != case["want"]:
            differing = sorted(key for key in {**got, **case["want"]} if got.get(key) != case["want"].get(key))
            problems.append(f"{name} ends otherwise: {', '.join(differing)}")
        outcomes[name] = got["digest"]
        journals[name] = sha256_hex(b"\n".join(bench.journal.lines(SESSION)))
        stops.add(got["stop"])
    digests = {"outcomes": digest_of(outcomes), "journals": digest_of(journals)}
    return Found({"cases": len(outcomes), "stops": len(stops)}, digests, tuple(problems))


def determinism(root: Path) -> Found:
    """`make determinism`, and its one digest."""
    line = [sys.executable, "-m", "scripts.determinism"]
    done = subprocess.run(line, cwd=root, env=child_environment(root), capture_output=True)  # noqa: S603  our own command
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode == 2:
        raise NotEvaluated(said.splitlines()[-1] if said else "not evaluated")
    if done.returncode != 0:
        return Found(problems=(f"{said.splitlines()[-1] if said else 'broke off'}",))
    told = json.loads(done.stdout)
    counts = {name: told[name] for name in ("configurations", "configurations_to_the_byte", "cases", "processes")}
    for name in ("pythons", "hash_seeds", "orders"):
        counts[name] = len(told[name])
    return Found(counts, {"journals": told["digest"], "without_times": told["digest_without_times"]})


def bypasses(root: Path) -> Found:
    """The corpus of bypasses, judged by the guard apart from the tests."""
    from tests.architecture.corpus import read_corpus

    from scripts.guard import check_source, read_house

    house = read_house(root)
    corpus = read_corpus()
    passed = [
        bypass.id
        for bypass in corpus
        if bypass.static not in {finding.rule for finding in check_source(bypass.place, bypass.source, house)}
    ]
    counts = {
        "bypasses": len(corpus),
        "mechanisms": len({bypass.mechanism for bypass in corpus}),
        "refused_at_run_time": sum(bypass.run_time == "refused" for bypass in corpus),
    }
    return Found(counts, {}, tuple(f"{name} is not refused by its rule" for name in passed))


def proof_evidence(root: Path) -> Found:
    """How much the long proofs did, and that their evidence is of the sealed core."""
    from tests.simulation.matrix import rarest

    from scripts.mutants.evidence import problems as mutants_problems
    from scripts.mutants.evidence import read_evidence
    from scripts.mutants.targets import target_files
    from scripts.prove import PROOFS, evidence_path, evidence_problems

    problems = (*mutants_problems(root, target_files(root)), *evidence_problems(root))
    if problems:
        return Found(problems=problems)
    told = {
        proof.name: json.loads(evidence_path(root, proof).read_bytes()).get("result", {})
        for proof in PROOFS
        if proof.name != "mutants"
    }
    files = read_evidence(root)[1].values()
    # Counted again with the matrix as it is now: a cell that is declared later was met by nobody.
    cells = Counter({(fault, s): n for fault, row in told["simulation"]["pairs"].items() for s, n in row.items()})
    counts = {
        "mutants": sum(end.mutants for end in files),
        "mutants_noticed": sum(end.killed + len(end.timed_out) for end in files),
        "mutants_shown_equal": sum(len(end.equivalents) for end in files),
        "fuzz_inputs": sum(told["fuzz"]["inputs"].values()),
        "planted_faults_found": told["planted"]["planted"] - len(told["planted"]["missed"]),
        "rules_confirmed": told["crosshair"]["confirmed"],
        "rules_proven": len(told["z3"]["proven"]),
        "sessions": told["simulation"]["sessions"],
        "sessions_of_the_rarest_cell": min(rarest(cells).values()),
        "soak_pages": told["soak"]["pages"],
    }
    return Found(counts, {"sessions": told["simulation"]["digest"]})


def coverage(root: Path) -> Found:
    """Branch coverage of kernel and research: nothing may be missing, and the floor says how much there is."""
    with tempfile.TemporaryDirectory(prefix="portcullis-coverage-") as scratch:
        environment = {**child_environment(root), "COVERAGE_FILE": str(Path(scratch) / "data")}

        def run(*words: str) -> subprocess.CompletedProcess[bytes]:
            line = [sys.executable, "-m", "coverage", *words]
            return subprocess.run(line, cwd=root, env=environment, capture_output=True)  # noqa: S603  our own tests

        tests = ("tests/unit/kernel", "tests/unit/research", "tests/golden", "tests/reference")
        done = run("run", "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:xdist", *tests)
        if done.returncode != 0:
            return Found(problems=(f"the tests fail: {_last(done.stdout)}",))
        run("combine", "-q")
        report = Path(scratch) / "report.json"
        told = run("json", "-q", "-o", str(report))
        if not report.is_file():
            return Found(problems=(f"no report: {_last(told.stdout or told.stderr)}",))
        data = json.loads(report.read_bytes())
    totals = data["totals"]
    counts = {
        "files": len(data["files"]),
        "statements": totals["num_statements"],
        "branches": totals["num_branches"],
        "missing": totals["missing_lines"] + totals["missing_branches"],
    }
    problems = [
        f"{name} misses lines {entry['missing_lines']} and branches {entry['missing_branches']}"
        for name, entry in sorted(data["files"].items())
        if entry["missing_lines"] or entry["missing_branches"]
    ]
    return Found(counts, {}, tuple(problems))


def exemptions(root: Path) -> Found:
    """Every line that loosens a rule says which rule and why; how many there are is capped by the manifest."""
    counts: dict[str, int] = {"files": 0, **dict.fromkeys(EXEMPTIONS, 0)}
    problems = []
    for path in sorted(path for name in EXEMPTED for path in (root / name).rglob("*.py")):
        if path == Path(__file__).resolve():
            continue  # spells what it looks for
        counts["files"] += 1
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for kind, (loose, reasoned) in EXEMPTIONS.items():
                if loose.search(line):
                    counts[kind] += 1
                    if not reasoned.search(line):
                        problems.append(f"{path.relative_to(root).as_posix()}:{number} loosens a rule without a reason")
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    lint = settings["ruff"]["lint"]
    listed = [*lint["ignore"], *lint.get("extend-ignore", ()), *settings["ruff"].get("extend-exclude", ())]
    listed += [code for codes in lint["per-file-ignores"].values() for code in codes]
    counts["settings"] = len(listed) + len(settings["mypy"].get("overrides", ()))
    problems += [
        f"pyproject.toml: {name} is not {wanted}" for name, wanted in STRICT.items() if _at(settings, name) != wanted
    ]
    return Found(counts, {}, tuple(problems))


def _at(settings: Any, name: str) -> Any:
    for word in name.split("."):
        settings = settings.get(word) if isinstance(settings, dict) else None
    return settings


def sabotage(root: Path) -> Found:
    """Every sabotage of the table, on the real gate in a copy of this checkout."""
    from .sabotage import run_all

    return run_all(root)


def _last(said: bytes) -> str:
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"


FUNCTIONS: Mapping[str, Callable[[Path], Found]] = {
    "bypasses": bypasses,
    "clauses": clauses,
    "coverage": coverage,
    "determinism": determinism,
    "exemptions": exemptions,
    "golden": golden,
    "lock": lock,
    "policy_mutants": policy_mutants,
    "proof_evidence": proof_evidence,
    "rulings": rulings,
    "sabotage": sabotage,
    "stop_mutants": stop_mutants,
}
