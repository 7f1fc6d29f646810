"""Every golden case, played again."""

from __future__ import annotations

from pathlib import Path

from scripts.certify.results import Found

__all__ = ["golden"]


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
