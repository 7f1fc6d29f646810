"""Outages of six providers in turns, a short form of `make chaos-search`: one named outcome each, exact budgets."""

from __future__ import annotations

import pytest
from tests.fixtures.search_chaos import run


@pytest.mark.parametrize(("steady", "seed"), [("hackernews", 1), (None, 2)])
async def test_searches_during_outages(steady, seed):
    report = await run(100, seed, steady)
    assert report.mistakes() == []
    assert report.searches == sum(report.outcomes.values()) == 100
    assert set(report.outcomes) <= {"results", "rate_limited", "upstream_unavailable"}
    if steady is not None:
        assert set(report.outcomes) == {"results"}
    assert report.probes > 0
    assert any(name.endswith("circuit_open") for name in report.left_alone)
