"""A pytest plugin that writes what was collected and how it ended, as one JSON document; loaded by the gate alone."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from _pytest.skipping import evaluate_skip_marks, evaluate_xfail_marks

REPORT = "PORTCULLIS_CERTIFY_REPORT"
SAID_EVERY = 100


class Probe:
    """Lives in the process that the gate started; the workers of a parallel run report to it."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._told: dict[str, Any] = {"ends": {}, "errors": {}, "items": {}}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self._told["items"][item.nodeid] = {
                "clauses": sorted({mark.args[0] for mark in item.iter_markers("clause")}),
                "rulings": sorted({mark.args[0] for mark in item.iter_markers("ruling")}),
                "left_out": _left_out(item),
            }

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed or report.skipped:
            self._told["errors"][report.nodeid] = report.outcome

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        ends = self._told["ends"]
        if hasattr(report, "wasxfail"):
            end = "xfailed"
        elif report.outcome != "passed":
            end = report.outcome if report.when == "call" or report.skipped else "error"
        elif report.when == "call":
            end = "passed"
        else:
            return
        # The worst of set-up, call and tear-down counts.
        if ends.get(report.nodeid, "passed") == "passed":
            ends[report.nodeid] = end
        if report.when == "call" and len(ends) % SAID_EVERY == 0:
            print(f"  {len(ends)} tests executed", file=sys.__stderr__, flush=True)

    def pytest_sessionfinish(self) -> None:
        self._place.write_text(json.dumps(self._told), encoding="utf-8")


def _left_out(item: pytest.Item) -> str:
    """Why the item would not count, as far as its marks tell."""
    skipped = evaluate_skip_marks(item)
    return "skipped" if skipped else "xfailed" if evaluate_xfail_marks(item) else ""


def pytest_configure(config: pytest.Config) -> None:
    """Only the first process writes."""
    if not hasattr(config, "workerinput") and REPORT in os.environ:
        config.pluginmanager.register(Probe(Path(os.environ[REPORT])), "portcullis-certify")
