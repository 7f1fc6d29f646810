"""Evidence and certificate: what is committed, how it is rendered, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from scripts.inputs.declared import Inputs

from .check_inputs import row_digest
from .manifest import Check, Manifest, Row
from .results import Result

__all__ = [
    "CERTIFICATE",
    "EVIDENCE",
    "Evidence",
    "certificate_problems",
    "committed_evidence",
    "limits_problems",
    "render",
    "write_evidence",
    "write_rendered",
]

EVIDENCE = "certification/evidence"
CERTIFICATE = "CERTIFICATION.md"
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=r"^[a-z_]+$")]
# A floor this far below what was found has stopped guarding anything.
SLACK = 2


class Evidence(Row):
    """What one check found: whole numbers and digests, and nothing that another machine would find otherwise."""

    check: str
    verdict: Literal["pass"]
    counts: dict[Name, Annotated[int, Field(ge=0)]]
    digests: dict[Name, Digest]
    inputs: Inputs
    """What it was run with; evidence whose inputs were not recorded has none, and is stale."""
    row: Digest
    """Over the row of the manifest that was executed."""


def limits_problems(check: Check, counts: dict[str, int]) -> list[str]:
    """Fewer than a floor, more than a ceiling, or a floor that lags behind."""
    problems = []
    for name, floor in sorted(check.floors.items()):
        found = counts.get(name)
        if found is None:
            problems.append(f"says nothing about {name}")
        elif found < floor:
            problems.append(f"{found} {name}, at least {floor} are required")
        elif found > floor * SLACK:
            problems.append(f"{found} {name} found and only {floor} required: the floor guards nothing, raise it")
    for name, ceiling in sorted(check.ceilings.items()):
        if counts.get(name, ceiling + 1) > ceiling:
            problems.append(f"{counts.get(name, 'unknown')} {name}, at most {ceiling} are allowed")
    if check.paths:
        problems += [
            f"{counts.get(name, 'unknown')} {name}" for name in ("skipped", "xfailed") if counts.get(name) != 0
        ]
    return problems


def committed_evidence(root: Path, manifest: Manifest) -> tuple[dict[str, Evidence], list[str]]:
    """The evidence of each check, and what is wrong with evidence that cannot be read."""
    found, problems = {}, []
    for check in manifest.checks:
        try:
            found[check.id] = Evidence.model_validate_json((root / EVIDENCE / f"{check.id}.json").read_bytes())
        except OSError:
            problems.append(f"`{check.id}` has no evidence")
        except ValidationError as exc:
            first = exc.errors(include_url=False)[0]
            problems.append(f"`{check.id}`: {' '.join(map(str, first['loc']))}: {first['msg']}")
    return found, problems


def certificate_problems(root: Path, manifest: Manifest) -> tuple[str, ...]:
    """What is wrong with the committed outcome, each with the check it concerns; to be stale is not wrong."""
    found, problems = committed_evidence(root, manifest)
    for check in manifest.checks:
        one = found.get(check.id)
        if one is None:
            continue
        if one.check != check.id:
            problems.append(f"`{check.id}`: its evidence is that of `{one.check}`")
        if not one.inputs.consistent:
            problems.append(f"`{check.id}`: the digest of its inputs is not that of the listed files")
        # Evidence of another row is stale, and was judged by the floors of that row.
        if one.row == row_digest(check):
            problems += [f"`{check.id}`: {problem}" for problem in limits_problems(check, one.counts)]
    known = {f"{check.id}.json" for check in manifest.checks}
    folder = root / EVIDENCE
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    problems += [f"`{name}` is evidence of no check" for name in sorted(names - known)]
    if not problems:
        try:
            committed = (root / CERTIFICATE).read_text(encoding="utf-8")
        except OSError:
            committed = ""
        if committed != render(manifest, found.values()):
            problems.append(f"{CERTIFICATE} is not what the evidence renders")
    return tuple(problems)


def write_evidence(root: Path, manifest: Manifest, result: Result, inputs: Inputs) -> None:
    """Of one check that passed, with the inputs that it was run with."""
    check = manifest.check(result.check)
    if check is None:
        raise KeyError(result.check)
    one = Evidence(
        check=result.check,
        verdict="pass",
        counts=dict(result.counts),
        digests=dict(result.digests),
        inputs=inputs,
        row=row_digest(check),
    )
    text = json.dumps(one.model_dump(mode="json"), indent=2, sort_keys=True) + "\n"
    (root / EVIDENCE).mkdir(parents=True, exist_ok=True)
    (root / EVIDENCE / f"{result.check}.json").write_text(text, encoding="utf-8")


def write_rendered(root: Path, manifest: Manifest) -> None:
    """Write the certificate that the evidence on disk renders, without evidence that belongs to no check."""
    known = {f"{check.id}.json" for check in manifest.checks}
    (root / EVIDENCE).mkdir(parents=True, exist_ok=True)
    for path in (root / EVIDENCE).iterdir():
        if path.name not in known:
            path.unlink()
    found, _ = committed_evidence(root, manifest)
    (root / CERTIFICATE).write_text(render(manifest, found.values()), encoding="utf-8")


def render(manifest: Manifest, evidence: Iterable[Evidence]) -> str:
    """The certificate, from evidence and the manifest's titles alone."""
    by_id = {one.check: one for one in evidence}
    checks = [check for check in manifest.checks if check.id in by_id]
    sealed = by_id["lock"].digests.get("full", "") if "lock" in by_id else ""
    lines = [
        "# Certificate",
        "",
        f"Research contract {manifest.contract_version}. {len(checks)} checks executed, {len(checks)} passed.",
        "",
        f"Sealed files: `{sealed or 'unknown'}` (`full` in `contracts/{manifest.contract_version}/LOCK`).",
        "",
        "Written by `make certify` from `certification/evidence/`; how to read and repeat it: "
        "[docs/certification.md](docs/certification.md). Each check belongs to the inputs that it was run with; what "
        "changed since is told by `python -m scripts.staleness`, and `make release` refuses stale evidence.",
        "",
        "| check | what was shown | how often | result | inputs | digests |",
        "|---|---|---|---|---|---|",
    ]
    for check in checks:
        one = by_id[check.id]
        counts = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in sorted(one.counts.items()))
        digests = ", ".join(f"{name.replace('_', ' ')} `{value[:16]}`" for name, value in sorted(one.digests.items()))
        inputs = f"{len(one.inputs.files)}: `{one.inputs.digest[:12]}`" if one.inputs.files else "not recorded"
        lines.append(f"| `{check.id}` | {check.title} | {counts} | {one.verdict} | {inputs} | {digests or '-'} |")
    lines += ["", "## The contract's checklist (§8)", "", "| item | shown by |", "|---|---|"]
    items = dict.fromkeys(item for check in checks for item in check.checklist)
    for item in items:
        shown = ", ".join(f"`{check.id}`" for check in checks if item in check.checklist)
        lines.append(f"| {item} | {shown} |")
    return "\n".join(lines) + "\n"
