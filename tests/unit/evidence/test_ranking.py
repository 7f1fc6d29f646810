"""Measures of a ranking against figures worked out by hand."""

from __future__ import annotations

import math

import pytest

from app.evidence.ranking_quality import mean, ndcg_at, percentile_ms, recall_at


def test_ndcg_by_hand():
    second_of_one = 1 / math.log2(3)
    assert ndcg_at(10, ["x", "a"], {"a": 1}) == pytest.approx(second_of_one)
    assert ndcg_at(10, ["a", "b"], {"a": 1, "b": 1}) == pytest.approx(1.0)
    assert ndcg_at(1, ["x", "a"], {"a": 1}) == 0.0


def test_ndcg_takes_grades_as_gains():
    got = 1 / math.log2(2) + 2 / math.log2(3)
    best = 2 / math.log2(2) + 1 / math.log2(3)
    assert ndcg_at(10, ["low", "high"], {"high": 2, "low": 1, "none": 0, "bad": -1}) == pytest.approx(got / best)


def test_nothing_relevant_is_nothing_gained():
    assert ndcg_at(10, ["a"], {"a": 0}) == 0.0
    assert recall_at(10, ["a"], {}) == 0.0


def test_recall_counts_relevant_documents_within_the_depth():
    assert recall_at(2, ["a", "x", "b"], {"a": 1, "b": 1, "c": 0}) == 0.5


def test_mean_and_percentiles():
    assert mean([]) == 0.0
    assert mean([0.1] * 10) == 0.1
    assert percentile_ms([], 50) == 0.0
    assert percentile_ms([4_000_000, 1_000_000, 3_000_000, 2_000_000], 50) == 2.0
    assert percentile_ms([1_234_567], 95) == 1.235
    assert percentile_ms(list(range(1_000_000, 101_000_000, 1_000_000)), 95) == 95.0
