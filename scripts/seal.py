"""Seal the frozen files: write `LOCK` again and the reason into the changelog; `--check` only compares."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from app.system.contract_files import CONTRACT_VERSION
from app.system.lock_files import (
    LOCK_NAME,
    Lock,
    differences,
    hashes_of,
    lock_part,
    read_lock,
    runtime_files,
)

ROOT = Path(__file__).parents[1]
SECTION = "### Sealed"
# Beside the core and the contract: the gate with everything that its checks execute, the golden cases, the lint rules.
FULL = (
    ".ci/run",
    "Makefile",
    "backend/app/system/lock_files.py",
    "benchmarks/fetching.py",
    "benchmarks/kills.py",
    "certification/manifest.json",
    "contracts/18.0.0/*.*",
    "contracts/18.0.0/schema/*.json",
    "docs/PHASE18_RESEARCH_CONTRACT.md",
    "importlinter.ini",
    "pyproject.toml",
    "scripts/certify/**/*.py",
    "scripts/checkout.py",
    "scripts/determinism.py",
    "scripts/guard/*.py",
    "scripts/inputs/*.py",
    "scripts/long_proofs.py",
    "scripts/mutants/*",
    "scripts/options.py",
    "scripts/proofs/*.py",
    "scripts/prove.py",
    "scripts/readme.py",
    "scripts/schemas.py",
    "scripts/seal.py",
    "scripts/simulation_digest.py",
    "scripts/staleness.py",
    "tests/__init__.py",
    "tests/architecture/**/*",
    "tests/certification/**/*.py",
    "tests/conformance/**/*",
    "tests/conftest.py",
    "tests/doors/**/*.py",
    "tests/drift/**/*",
    "tests/fixtures/*.py",
    "tests/golden/*.py",
    "tests/golden/cases/**/*",
    "tests/names.py",
    "tests/reference/**/*.py",
    "tests/proofs/**/*.py",
    "tests/fuzz/**/*",
    "tests/simulation/**/*",
    "tests/tools/**/*.py",
    "tests/unit/kernel/*.py",
    "tests/property/test_folding.py",
    "tests/unit/research/*.py",
    "tests/unit/screen/*.py",
    "tests/unit/system/*.py",
)


def lock_path(root: Path) -> Path:
    """Where the lock of a checkout is."""
    return root / "contracts" / CONTRACT_VERSION / LOCK_NAME


def fresh_lock(root: Path) -> Lock:
    """The lock as the files would have it now."""
    runtime = hashes_of(runtime_files(root / "backend" / "app", root / "contracts" / CONTRACT_VERSION))
    return Lock(
        contract_version=CONTRACT_VERSION,
        runtime=lock_part(runtime),
        full=lock_part({**runtime, **hashes_of(_gate_files(root))}),
    )


def differing(root: Path) -> tuple[str, ...]:
    """What differs from the committed lock, by name; the lock itself when it cannot be read or contradicts itself."""
    fresh, sealed = fresh_lock(root), read_lock(lock_path(root))
    if sealed is None:
        return (lock_path(root).relative_to(root).as_posix(),)
    changed = differences(sealed.full.files, fresh.full.files)
    return changed or (() if sealed == fresh else (lock_path(root).relative_to(root).as_posix(),))


def seal(root: Path, reason: str) -> str:
    """Write lock and changelog; the answer is the new digest over everything."""
    lock = fresh_lock(root)
    changelog = root / "CHANGELOG.md"
    text = with_reason(changelog.read_text(encoding="utf-8"), f"- {lock.full.digest[:12]}: {reason}")
    rendered = json.dumps(lock.model_dump(mode="json"), indent=2, sort_keys=True) + "\n"
    lock_path(root).write_text(rendered, encoding="utf-8")
    changelog.write_text(text, encoding="utf-8")
    return lock.full.digest


def with_reason(changelog: str, line: str) -> str:
    """The changelog with one more line under the newest release."""
    lines = changelog.splitlines()
    releases = [number for number, text in enumerate(lines) if text.startswith("## ")]
    if not releases:
        raise SystemExit("CHANGELOG.md names no release")
    end = releases[1] if len(releases) > 1 else len(lines)
    newest, rest = lines[releases[0] : end], lines[end:]
    while not newest[-1].strip():
        newest.pop()
    if SECTION in newest:
        below = newest.index(SECTION) + 1
        after = next((n for n, text in enumerate(newest[below:], below) if text.startswith("### ")), len(newest))
        while not newest[after - 1].strip() and after - 1 > below:
            after -= 1
        newest.insert(after, line)
    else:
        newest += ["", SECTION, "", line]
    return "\n".join([*lines[: releases[0]], *newest, *([""] if rest else []), *rest]) + "\n"


def _gate_files(root: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for pattern in FULL:
        names = {path.relative_to(root): path for path in sorted(root.glob(pattern)) if path.is_file()}
        kept = {name.as_posix(): path for name, path in names.items() if "__pycache__" not in name.parts}
        # A pattern that finds nothing would quietly freeze nothing.
        if not kept:
            raise SystemExit(f"nothing to seal under {pattern}")
        found.update(kept)
    return found


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Exit code 1 when `--check` finds a difference, 2 when there is something to seal and no reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--reason", default="", help="why the frozen files changed")
    given = parser.parse_args(arguments)
    changed = differing(root)
    if not changed:
        print(f"nothing changed: the lock matches, {fresh_lock(root).full.digest[:12]}")
        return 0
    for name in changed:
        print(f"differs from the lock: {name}")
    if given.check:
        print('if that is meant: make seal REASON="why"', file=sys.stderr)
        return 1
    reason = " ".join(given.reason.split())
    if not reason:
        print('frozen files change only with a reason: make seal REASON="why"', file=sys.stderr)
        return 2
    print(f"sealed {seal(root, reason)[:12]}: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
