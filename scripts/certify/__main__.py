"""`python -m scripts.certify`: run the certification gate; `make certify` and `portcullis certify` start it."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .evidence import certificate_problems, write_certificate, write_one, write_rendered
from .gate import certificate, frame, missing_needs, run_checks
from .manifest import DOCUMENT, Manifest, ManifestUnusable, lock_digest, read_manifest, with_table
from .required import BUILT_IN, REQUIRED
from .results import Exit, Result

ROOT = Path(__file__).resolve().parents[2]
_MARKS = {"pass": "pass", "red": "RED", "not evaluated": "not evaluated"}


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="portcullis certify", description="Run the certification gate.")
    parser.add_argument("--check", action="append", metavar="ID", help="run one check only (may be repeated)")
    parser.add_argument("--list", action="store_true", help="list the checks and run none")
    parser.add_argument("--quick", action="store_true", help="the short form for CI: writes nothing")
    parser.add_argument("--write", action="store_true", help="with --check: refresh its evidence as well")
    parser.add_argument("--render", action="store_true", help="write the documents from manifest and evidence again")
    parser.add_argument("--json", action="store_true", help="exactly one JSON document on stdout")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Exit code 0 when everything passed, 8 when a check is red, 9 when something could not be evaluated."""
    given = _options(words)
    # Whatever is installed: the product on trial is the one beside this gate.
    sys.path.insert(0, str(ROOT / "backend"))
    try:
        code = _judged(given, root)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Nobody reads any more, and nothing is to be told.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.NOT_TOLD
    except KeyboardInterrupt:
        return _refused(given, Exit.INTERRUPTED, "interrupted", "interrupted; nothing was written")


def _judged(given: argparse.Namespace, root: Path) -> int:
    if given.write and (given.quick or not given.check):
        message = "--write needs --check and goes with the full form only"
        return _refused(given, Exit.INVALID, "invalid_request", message)
    try:
        manifest = read_manifest(root)
    except ManifestUnusable as exc:
        lost = [Result(name, "red", problems=("the manifest cannot be used",)) for name in given.check or REQUIRED]
        return _tell(given, [Result("manifest", "red", problems=(str(exc),)), *lost], "")
    lock = lock_digest(root, manifest.contract_version)
    if given.list:
        return _list(given, manifest)
    if given.render:
        return _render(given, root, manifest)
    known = {*BUILT_IN, *(check.id for check in manifest.checks)}
    unknown = [name for name in given.check or () if name not in known]
    first = frame(root, manifest)
    if unknown and first.verdict == "pass":
        message = f"no check is called `{unknown[0]}`; see `portcullis certify --list`"
        return _refused(given, Exit.INVALID, "invalid_request", message)
    results = [first, *([] if unknown else _run(given, root, manifest))]
    code = _tell(given, results, lock)
    if code == Exit.PASSED and not given.quick:
        if lock_digest(root, manifest.contract_version) != lock:
            return _refused(given, Exit.RED, "contract_violation", "sealed again while the checks ran; nothing written")
        return _write(given, root, manifest, results)
    return code


def _refused(given: argparse.Namespace, code: Exit, kind: str, message: str) -> Exit:
    if given.json:
        print(json.dumps({"error": {"kind": kind, "message": message}}))
    print(f"portcullis: {message}", file=sys.stderr)
    return code


def _run(given: argparse.Namespace, root: Path, manifest: Manifest) -> list[Result]:
    asked = given.check or ()
    chosen = [check for check in manifest.checks if check.id in asked or not asked]
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.0f} s  {line}", file=sys.stderr, flush=True)

    results = []
    if given.quick or "certificate" in asked:
        results.append(certificate(root, manifest))
    if given.quick:
        # The evidence speaks for what is not executed, and for what this machine could not.
        chosen = [check for check in chosen if check.form == "quick" or check.paths]
        chosen = [check for check in chosen if not missing_needs(check, root)]
    return [*results, *(run_checks(root, chosen, quick=given.quick, say=say) if chosen else [])]


def _tell(given: argparse.Namespace, results: list[Result], lock: str) -> Exit:
    verdicts = {result.verdict for result in results}
    code = Exit.RED if "red" in verdicts else Exit.NOT_EVALUATED if "not evaluated" in verdicts else Exit.PASSED
    told = [
        {
            "check": result.check,
            "verdict": result.verdict,
            "counts": dict(sorted(result.counts.items())),
            "digests": dict(sorted(result.digests.items())),
            "problems": list(result.problems),
        }
        for result in results
    ]
    if given.json:
        verdict = {Exit.PASSED: "pass", Exit.RED: "red"}.get(code, "not evaluated")
        print(
            json.dumps({"verdict": verdict, "form": "quick" if given.quick else "full", "lock": lock, "checks": told})
        )
        return code
    for result in results:
        counts = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in sorted(result.counts.items()))
        print(f"{_MARKS[result.verdict]:14}{result.check:22}{counts}")
        for problem in result.problems:
            print(f"{'':14}{result.check}: {problem}")
    passed = sum(result.verdict == "pass" for result in results)
    print(f"{passed} of {len(results)} checks pass; lock {lock[:12] or 'unreadable'}")
    return code


def _write(given: argparse.Namespace, root: Path, manifest: Manifest, results: list[Result]) -> Exit:
    mine = [result for result in results if manifest.check(result.check)]
    if not given.check:
        write_certificate(root, manifest, mine)
        print("wrote CERTIFICATION.md and its evidence", file=sys.stderr)
    elif given.write:
        others = set(given.check)
        stale = [
            problem
            for problem in certificate_problems(root, manifest)
            if not any(problem.startswith((f"`{name}`", "CERTIFICATION.md")) for name in others)
        ]
        if stale:
            print(f"nothing written: {stale[0]}; run `make certify`", file=sys.stderr)
            return Exit.RED
        for result in mine:
            write_one(root, manifest, result)
        print(f"refreshed the evidence of {', '.join(result.check for result in mine)}", file=sys.stderr)
    return Exit.PASSED


def _render(given: argparse.Namespace, root: Path, manifest: Manifest) -> int:
    """The table of the document from the manifest, the certificate from its evidence."""
    document = root / DOCUMENT
    document.write_text(with_table(document.read_text(encoding="utf-8"), manifest), encoding="utf-8")
    problems = tuple(
        problem for problem in certificate_problems(root, manifest) if not problem.startswith("CERTIFICATION.md")
    )
    if problems:
        print(f"CERTIFICATION.md is left as it is: {problems[0]}; run `make certify`", file=sys.stderr)
    else:
        write_rendered(root, manifest)
    if given.json:
        print(json.dumps({"document": DOCUMENT, "certificate": not problems}))
    return Exit.PASSED


def _list(given: argparse.Namespace, manifest: Manifest) -> int:
    rows = [{"check": name, "form": "quick", "title": title} for name, title in BUILT_IN.items()]
    rows += [{"check": check.id, "form": check.form, "title": check.title} for check in manifest.checks]
    if given.json:
        print(json.dumps({"checks": rows}))
    else:
        for row in rows:
            print(f"{row['check']:22}{row['form']:7}{row['title']}")
    return Exit.PASSED


if __name__ == "__main__":
    sys.exit(main())
