"""Every bypass that does something at run time is caught by the tripwire, and works where nobody watches."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from tests.architecture.corpus import read_corpus
from tests.architecture.source import ROOT

CORPUS = {bypass.id: bypass for bypass in read_corpus()}
REFUSED = sorted(name for name, bypass in CORPUS.items() if bypass.run_time == "refused")
UNSEEN = sorted(name for name, bypass in CORPUS.items() if bypass.run_time.startswith("unseen, "))
IDLE = sorted(name for name, bypass in CORPUS.items() if bypass.run_time.startswith("none, "))


def _run(mode, names):
    command = [sys.executable, "-m", "tests.architecture.run_bypasses", mode, *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.ruling("R16")
def test_the_tripwire_refuses_each_before_it_has_an_effect():
    report = _run("armed", REFUSED)
    assert {name: end["end"] for name, end in report.items() if not end["end"].startswith("refused")} == {}
    assert {name for name, end in report.items() if end["effect"] or end["workers"]} == set()
    assert sorted(report) == REFUSED


def test_each_works_where_nobody_watches():
    """Otherwise it would be refused for its own mistakes."""
    report = _run("free", REFUSED + UNSEEN)
    assert {name: end["end"] for name, end in report.items() if end["end"] != "reached"} == {}
    outward = ("line", "socket")
    silent = {name for name, end in report.items() if CORPUS[name].reaches in outward and not end["effect"]}
    assert silent == set()


def test_what_the_tripwire_cannot_see_is_said():
    report = _run("armed", UNSEEN)
    assert {name: end["end"] for name, end in report.items() if end["end"] != "reached"} == {}, "better than its header"
    assert len(REFUSED) + len(UNSEEN) + len(IDLE) == len(CORPUS)
    assert len(REFUSED) >= 114


def test_the_threat_model_names_every_kind_that_is_unseen():
    """Both ways: what the tripwire cannot see is in the list with its reason, and the list names nothing else."""
    text = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
    kinds = text.split("What remains open, by kind.", 1)[1].split("\n## ", 1)[0].split("\n- **")[1:]
    named: dict[str, set[str]] = {}
    for kind in kinds:
        for mechanism, ids in re.findall(r"\*([a-z][a-z -]+)\*:((?:[\s,]+B\d+)+)", " ".join(kind.split())):
            assert mechanism not in named, "one kind, one reason"
            named[mechanism] = set(re.findall(r"B\d+", ids))
            assert len(re.findall(r"\w+", kind.partition("[")[0])) >= 12, f"`{mechanism}` has no reason"
    unseen: dict[str, set[str]] = {}
    for name in UNSEEN:
        unseen.setdefault(CORPUS[name].mechanism, set()).add(name)
        assert len(CORPUS[name].run_time.removeprefix("unseen, ").split()) >= 5, name
    assert len(kinds) >= 12
    assert named == unseen
