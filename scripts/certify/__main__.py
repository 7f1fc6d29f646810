"""`python -m scripts.certify`: run the checks whose evidence is stale; also `make certify`, `portcullis certify`."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from scripts.inputs.declared import Checkout, Inputs, stale_because
from scripts.inputs.tree import Tree

from .evidence import certificate_problems, committed_evidence, write_evidence, write_rendered
from .gate import certificate, frame, missing_needs, run_checks
from .manifest import DOCUMENT, Check, Manifest, ManifestUnusable, lock_digest, read_manifest, with_table
from .required import BUILT_IN, REQUIRED
from .results import Exit, Result
from .stale import contradictions, present_inputs, shown, stale_checks

ROOT = Path(__file__).resolve().parents[2]
_MARKS = {"pass": "pass", "red": "RED", "not evaluated": "not evaluated"}


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="portcullis certify", description="Run the checks whose evidence is stale.")
    parser.add_argument("--all", action="store_true", help="run every check, stale or not")
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
    if given.all and (given.quick or given.check):
        return _refused(given, Exit.INVALID, "invalid_request", "--all goes without --quick and --check")
    try:
        manifest = read_manifest(root)
    except ManifestUnusable as exc:
        lost = [Result(name, "red", problems=("the manifest cannot be used",)) for name in given.check or REQUIRED]
        return _tell(given, [Result("manifest", "red", problems=(str(exc),)), *lost], "", {})
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
    present = present_inputs(Checkout(Tree(root)), manifest)
    stale = stale_checks(root, manifest, present)
    results = [first, *([] if unknown else _run(given, root, manifest, stale))]
    if given.quick:
        results = [_held_against(root, manifest, result, stale) for result in results]
    elif given.write or not given.check:
        results = _written(root, manifest, results, present)
        stale = stale_checks(root, manifest, present)
    return _tell(given, results, lock_digest(root, manifest.contract_version), stale)


def _refused(given: argparse.Namespace, code: Exit, kind: str, message: str) -> Exit:
    if given.json:
        print(json.dumps({"error": {"kind": kind, "message": message}}))
    print(f"portcullis: {message}", file=sys.stderr)
    return code


def _run(
    given: argparse.Namespace, root: Path, manifest: Manifest, stale: Mapping[str, tuple[str, ...]]
) -> list[Result]:
    asked = given.check or ()
    started = time.monotonic()

    def say(line: str) -> None:
        print(f"{time.monotonic() - started:6.0f} s  {line}", file=sys.stderr, flush=True)

    results = []
    if given.quick or "certificate" in asked:
        results.append(certificate(root, manifest))
    if "release" in asked:
        from .release import release

        results.append(release(root, manifest))
    chosen = _chosen(given, root, manifest, stale)
    for check in chosen if not (given.quick or asked) else ():
        say(f"{check.id}: {shown(stale[check.id]) if check.id in stale else 'every check was asked for'}")
    return [*results, *(run_checks(root, chosen, quick=given.quick, say=say) if chosen else [])]


def _chosen(
    given: argparse.Namespace, root: Path, manifest: Manifest, stale: Mapping[str, tuple[str, ...]]
) -> list[Check]:
    asked = given.check or ()
    if not given.quick:
        wanted = asked or [check.id for check in manifest.checks if given.all or check.id in stale]
        return [check for check in manifest.checks if check.id in wanted]
    # The evidence speaks for what is not executed, and for what this machine could not.
    return [
        check
        for check in manifest.checks
        if (check.id in asked or not asked)
        and (check.form == "quick" or check.paths)
        and not missing_needs(check, root)
    ]


def _held_against(root: Path, manifest: Manifest, result: Result, stale: Mapping[str, tuple[str, ...]]) -> Result:
    """Evidence that claims the present inputs must say what is found now; stale evidence claims nothing about now."""
    evidence = committed_evidence(root, manifest)[0].get(result.check)
    if evidence is None or result.check in stale or result.verdict != "pass":
        return result
    forged = contradictions(evidence, result)
    return replace(result, verdict="red", problems=tuple(forged)) if forged else result


def _written(root: Path, manifest: Manifest, results: list[Result], present: Mapping[str, Inputs]) -> list[Result]:
    """Evidence of every check that passed; of the others it stays as it was."""
    after = present_inputs(Checkout(Tree(root)), manifest)
    told = []
    written = []
    for result in results:
        if result.verdict == "pass" and result.check in present:
            if present[result.check] != after[result.check]:
                moved = shown(stale_because(present[result.check], after[result.check]))
                result = replace(result, verdict="red", problems=(f"nothing written: while it ran, {moved}",))
            else:
                write_evidence(root, manifest, result, present[result.check])
                written.append(result.check)
        told.append(result)
    write_rendered(root, manifest)
    print(f"wrote evidence of {len(written)} checks and CERTIFICATION.md", file=sys.stderr)
    return told


def _tell(given: argparse.Namespace, results: list[Result], lock: str, stale: Mapping[str, tuple[str, ...]]) -> Exit:
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
        form = "quick" if given.quick else "full"
        print(json.dumps({"verdict": verdict, "form": form, "lock": lock, "checks": told, "stale": stale}))
        return code
    for result in results:
        counts = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in sorted(result.counts.items()))
        print(f"{_MARKS[result.verdict]:14}{result.check:22}{counts}")
        for problem in result.problems:
            print(f"{'':14}{result.check}: {problem}")
    for name, reasons in stale.items() if not given.check else ():
        print(f"{'stale':14}{name:22}{shown(reasons)}")
    passed = sum(result.verdict == "pass" for result in results)
    print(f"{passed} of {len(results)} checks pass, {len(stale)} are stale; lock {lock[:12] or 'unreadable'}")
    return code


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
