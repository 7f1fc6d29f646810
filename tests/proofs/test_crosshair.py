"""CrossHair on the pure functions: confirmed as they stand, refuted with any of the planted faults."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from scripts.proofs.crosshair import SEARCHED, check

ROOT = Path(__file__).parents[2]
SECONDS = 60

FAULTS = {
    "the larger of cap and wish": (
        "narrowing_takes_the_smaller",
        "research/policy.py",
        "else min(cap, wish)",
        "else max(cap, wish)",
    ),
    "a moment counted as calls": (
        "calls_of_a_window_are_their_sum",
        "research/ledger.py",
        "[calls for _, calls in window]",
        "[calls for calls, _ in window]",
    ),
    "one call too many before it fits": (
        "the_earliest_fit_is_exact",
        "research/ledger.py",
        "        if excess <= 0:\n            return at_ms",
        "        if excess < 0:\n            return at_ms",
    ),
    "half a minute": ("the_earliest_fit_is_exact", "kernel/ledger.py", "WINDOW_MS = 60_000", "WINDOW_MS = 30_000"),
    "whoever has gone is told of limits": (
        "a_cut_has_the_cause_that_came_first",
        "research/adapter.py",
        "    if cancelled:\n",
        "    if cancelled and not total_bound:\n",
    ),
    "no leap day in a century that has one": (
        "a_day_follows_a_day",
        "parsing/http/fields.py",
        " + year // 400",
        " + year // 500",
    ),
    "a private block let through": (
        "private_addresses_are_never_public",
        "parsing/url/addresses.py",
        '    ("10.0.0.0/8", "private"),\n',
        "",
    ),
}


def test_every_contract_is_confirmed():
    names = tuple(dict.fromkeys(fault[0] for fault in FAULTS.values() if fault[0] not in SEARCHED))
    assert check(ROOT / "backend", SECONDS, names) == dict.fromkeys(names, "confirmed")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_refuted(fault, tmp_path):
    name, path, old, new = FAULTS[fault]
    shutil.copytree(ROOT / "backend" / "app", tmp_path / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "contracts", tmp_path / "app" / "contracts")
    text = (tmp_path / "app" / path).read_text(encoding="utf-8")
    assert old in text, "a fault that changes nothing shows nothing"
    (tmp_path / "app" / path).write_text(text.replace(old, new), encoding="utf-8")
    assert check(tmp_path, SECONDS, (name,))[name].startswith("error: ")
