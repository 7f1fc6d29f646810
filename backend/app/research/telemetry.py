"""Telemetry: the one room that speaks OpenTelemetry; codes and numbers only, never user or source text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from opentelemetry.metrics import Meter
from opentelemetry.trace import Span, SpanKind, Tracer

from ..kernel.calls import ToolCall
from ..kernel.outcome import ResearchOutcome
from ..kernel.results import CallOutcome

__all__ = ["Telemetry"]

OPERATION_NAME: Final = "gen_ai.operation.name"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"

SANDBOX_LEVEL: Final = "portcullis.sandbox_level"


class Telemetry:
    """One span per session and per tool call, and counters by stop reason and by call status."""

    def __init__(self, tracer: Tracer, meter: Meter, sandbox: str = "") -> None:
        """`sandbox` is the level to which the readers of foreign bytes are confined on this machine."""
        self._tracer = tracer
        self._sandbox = sandbox
        self._sessions = meter.create_counter("portcullis.sessions", description="sessions by stop reason")
        self._calls = meter.create_counter("portcullis.tool_calls", description="tool calls by tool and status")
        self._units = meter.create_counter("portcullis.units", description="units spent")

    @contextmanager
    def session(self, session_id: str, capability: str) -> Iterator[Span]:
        """The span of a session; spans of its calls become its children."""
        attributes = {OPERATION_NAME: "research", "portcullis.session_id": session_id, SANDBOX_LEVEL: self._sandbox}
        with self._tracer.start_as_current_span(
            f"research {capability}", attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            yield span

    def session_ended(self, span: Span, outcome: ResearchOutcome) -> None:
        """Name the stop, all causes and the spend."""
        stop = outcome.verdict.stop.value
        span.set_attributes(
            {
                "portcullis.stop_reason": stop,
                "portcullis.action": outcome.verdict.action.value,
                "portcullis.causes": [signal.cause.value for signal in outcome.verdict.signals],
                "portcullis.calls": len(outcome.outcomes),
                "portcullis.units": outcome.spent_units,
                "portcullis.sources": len(outcome.bundle.sources),
                "portcullis.elapsed_ms": outcome.elapsed_ms,
            }
        )
        self._sessions.add(1, {"stop_reason": stop})
        self._units.add(outcome.spent_units)

    def call_started(self, call: ToolCall) -> Span:
        """The span of one tool call."""
        attributes = {OPERATION_NAME: "execute_tool", TOOL_NAME: call.tool, TOOL_CALL_ID: call.call_id}
        return self._tracer.start_span(f"execute_tool {call.tool}", kind=SpanKind.INTERNAL, attributes=attributes)

    def call_ended(self, span: Span, outcome: CallOutcome) -> None:
        """Close the span of a call with its status and numbers."""
        span.set_attributes(
            {
                "portcullis.status": outcome.status.value,
                "portcullis.units": outcome.spent_units,
                "portcullis.candidates": outcome.candidates,
                "portcullis.accepted": outcome.accepted,
            }
        )
        span.end()
        self._calls.add(1, {"tool": outcome.tool, "status": outcome.status.value})
