"""Telemetry with the real SDK: one span per session and per call, counters by stop, and never a word of text."""

from __future__ import annotations

import asyncio

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.fixtures.scripted import Bench

from app.research.telemetry import Telemetry

PRIVATE = "marmalade"
SLOW = {"plan": [{"calls": [{"id": "a", "takes_ms": 60_000}]}]}


def _measured(case, run=None):
    """The points of every instrument after one session, by name."""
    reader = InMemoryMetricReader()
    bench = Bench(case)
    telemetry = Telemetry(TracerProvider().get_tracer("t"), MeterProvider([reader]).get_meter("t"))
    bench.router._telemetry = bench.router._adapter._telemetry = telemetry
    (run or Bench.run)(bench)
    (resource,) = reader.get_metrics_data().resource_metrics
    (scope,) = resource.scope_metrics
    return {metric.name: metric for metric in scope.metrics}


def _only(metric):
    (point,) = metric.data.data_points
    return point


def _cancelled(bench):
    bench.case["cancel_after_ms"] = 500
    with pytest.raises(asyncio.CancelledError):
        bench.run()


@pytest.mark.ruling("R12")
@pytest.mark.parametrize(
    ("case", "run", "cause"),
    [
        (SLOW, _cancelled, "cancelled"),
        (SLOW, None, "per_call_timeout"),
        ({**SLOW, "request": {"narrow": {"total_research_timeout_ms": 900}}}, None, "total_timeout"),
        ({"plan": [{"calls": [{"id": "a", "raises": "ValueError"}]}]}, None, "tool_error"),
        ({"plan": [{"calls": [{"id": "a"}]}]}, None, None),
    ],
)
def test_the_stop_counter_tells_a_caller_who_went_away_from_a_slow_session(case, run, cause):
    measured = _measured(dict(case), run)
    wanted = {} if cause is None else {"cause": cause}
    counted = _only(measured["portcullis.sessions"]).attributes
    assert {key: value for key, value in counted.items() if key != "stop_reason"} == wanted
    taken = _only(measured["portcullis.session.duration"])
    assert dict(taken.attributes) == {"capability": "scripted", **counted}


def test_durations_are_histograms_in_seconds():
    measured = _measured({"plan": [{"calls": [{"id": "a", "takes_ms": 1_500}]}]})
    for name in ("portcullis.session.duration", "portcullis.tool_call.duration"):
        assert measured[name].unit == "s"
        point = _only(measured[name])
        assert (point.count, point.sum) == (1, 1.5)
        assert point.explicit_bounds[0] == 0.01
        assert point.explicit_bounds[-1] > 120  # the longest session of any tier
    assert dict(_only(measured["portcullis.tool_call.duration"]).attributes) == {"tool": "alpha", "status": "empty"}


@pytest.mark.ruling("R14")
@pytest.mark.clause("3.6")
def test_spans_and_counters_tell_numbers_only():
    exporter, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracing = TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(exporter))
    metering = MeterProvider([reader])
    bench = Bench(
        {
            "request": {"question": f"where is the {PRIVATE}?"},
            "plan": [
                {
                    "calls": [
                        {"id": "a", "items": [{"body": f"The {PRIVATE} stands on the upper shelf.", "title": PRIVATE}]},
                        {"id": "b", "tool": "beta", "raises": "ValueError"},
                    ]
                }
            ],
        }
    )
    telemetry = Telemetry(tracing.get_tracer("t"), metering.get_meter("t"), "full")
    bench.router._telemetry = bench.router._adapter._telemetry = telemetry
    outcome = bench.run()
    spans = {span.name: span for span in exporter.get_finished_spans()}
    assert sorted(spans) == ["execute_tool alpha", "execute_tool beta", "research scripted"]
    session = spans["research scripted"]
    assert session.attributes["portcullis.stop_reason"] == outcome.verdict.stop == "INTERNAL_INCONSISTENCY"
    assert session.attributes["portcullis.sandbox_level"] == "full"
    assert all(spans[f"execute_tool {name}"].parent.span_id == session.context.span_id for name in ("alpha", "beta"))
    told = "".join(span.to_json() for span in spans.values()) + reader.get_metrics_data().to_json()
    assert PRIVATE not in told
    assert "secret text" not in told
    assert '"stop_reason": "INTERNAL_INCONSISTENCY"' in told.replace('":"', '": "')
