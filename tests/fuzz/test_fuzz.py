"""A seeded sample of the fuzzing, every finding that was kept, and the fuzzer itself on targets that break."""

from __future__ import annotations

import pytest

from tests.fuzz.searching import FINDINGS, keep, names, replay, search, target
from tests.fuzz.targets import POOLED, Target, with_pool

SEED = 20_261


@pytest.fixture(scope="module")
def pool():
    opened = with_pool()
    yield opened
    opened.close()


@pytest.mark.parametrize("name", names())
def test_a_seeded_sample_breaks_nothing(name, pool):
    looked, found = search(target(name, pool), SEED, 15 if name in POOLED else 80)
    assert looked >= 15
    assert found is None


KEPT = sorted(FINDINGS.glob("*.json"))


def test_there_are_findings_to_replay():
    assert {path.stem.partition("-")[0] for path in KEPT} >= {"documents", "pages", "services", "url"}


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_what_was_found_once_stays_mended(path, pool):
    replay(path, lambda name: target(name, pool))


def test_the_fuzzer_finds_shrinks_and_keeps_what_breaks(tmp_path, pool):
    def fragile(data):
        assert b"]]>" not in data

    _, found = search(Target((b"<p>", b"]]>", b"x"), fragile), 1, 300)
    assert found == b"]]>"
    path = keep("fragile", found, tmp_path)
    with pytest.raises(AssertionError):
        replay(path, lambda name: Target((), fragile))


def test_the_same_seed_looks_at_the_same_inputs():
    def seen(number):
        inputs = []
        search(Target((b"a", b"b"), inputs.append), number, 30)
        return inputs

    assert seen(5) == seen(5)
    assert seen(5) != seen(6)
