"""Every bypass of the corpus is refused by the static guard, by the rule that its header names."""

from __future__ import annotations

from collections import Counter

import pytest
from scripts.guard import check_source, check_tree, read_house
from tests.architecture.corpus import FOLDER, read_corpus
from tests.architecture.source import ROOT

CORPUS = read_corpus()
HOUSE = read_house(ROOT)
BYPASSES_MIN = 183
MECHANISMS_MIN = 33


@pytest.mark.clause("3.1")
@pytest.mark.parametrize("bypass", CORPUS, ids=lambda bypass: bypass.id)
def test_the_guard_refuses(bypass):
    findings = check_source(bypass.place, bypass.source, HOUSE)
    rules = {finding.rule for finding in findings}
    assert bypass.static in rules, f"{bypass.id} at {bypass.place}: {sorted(map(str, findings))}"


@pytest.mark.clause("3.1")
def test_the_corpus_is_large_and_various(capsys):
    mechanisms = Counter(bypass.mechanism for bypass in CORPUS)
    with capsys.disabled():
        print(f"\n{len(CORPUS)} bypasses of {len(mechanisms)} mechanisms, all refused:")
        for mechanism, count in sorted(mechanisms.items()):
            print(f"  {mechanism}: {count}")
    assert len(CORPUS) == len(list(FOLDER.iterdir())) >= BYPASSES_MIN
    assert len(mechanisms) >= MECHANISMS_MIN
    assert len({bypass.id for bypass in CORPUS}) == len({bypass.source for bypass in CORPUS}) == len(CORPUS)


def test_a_place_alone_is_no_reason():
    """The code is what gets refused: an empty module at the same place passes, unless the place is the trick."""
    for bypass in CORPUS:
        nothing = '"""Nothing."""\n' if bypass.place.endswith(".py") else ""
        empty = check_source(bypass.place, nothing, HOUSE)
        assert {finding.rule for finding in empty} <= {"namespace-folder", "foreign-file"}, bypass.id


def test_the_guard_sees_the_whole_house():
    report = check_tree(ROOT)
    assert [str(finding) for finding in report.findings] == []
    assert report.files >= len(list((ROOT / "backend" / "app").rglob("*.py")))


def test_an_exception_that_nobody_needs_is_reported(tmp_path):
    (tmp_path / "backend" / "app").mkdir(parents=True)
    (tmp_path / "backend" / "app" / "__init__.py").write_text('"""Empty."""\n', encoding="utf-8")
    rules = {finding.rule for finding in check_tree(tmp_path).findings}
    assert rules == {"stale-exception"}


def test_what_cannot_be_read_is_refused():
    assert [finding.rule for finding in check_source("backend/app/x.py", "def", HOUSE)] == ["unreadable"]
