"""The corpus of bypasses beside the static guard."""

from __future__ import annotations

from pathlib import Path

from scripts.certify.results import Found

__all__ = ["bypasses"]


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
