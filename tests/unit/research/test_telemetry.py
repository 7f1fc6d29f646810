"""Telemetry with the real SDK: one span per session and per call, counters by stop, and never a word of text."""

from __future__ import annotations

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.fixtures.scripted import Bench

from app.research.telemetry import Telemetry

PRIVATE = "marmalade"


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
