"""Telemetry: the one room that speaks OpenTelemetry; codes and numbers only, never user or source text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from opentelemetry.metrics import Meter
from opentelemetry.trace import Span, SpanKind, Tracer

from ..kernel.calls import ToolCall
from ..kernel.outcome import ResearchOutcome, Verdict
from ..kernel.results import CallOutcome

__all__ = ["Telemetry"]

OPERATION_NAME: Final = "gen_ai.operation.name"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"

SANDBOX_LEVEL: Final = "portcullis.sandbox_level"
# Seconds, doubling, as the semantic conventions for model calls have them; a session may take up to two minutes.
_SECONDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84)


class Telemetry:
    """One span per session and per tool call, counters by stop and by call status, and how long both took."""

    def __init__(self, tracer: Tracer, meter: Meter, sandbox: str = "") -> None:
        """`sandbox` is the level to which the readers of foreign bytes are confined on this machine."""
        self._tracer = tracer
        self._sandbox = sandbox
        self._sessions = meter.create_counter("portcullis.sessions", description="sessions by stop reason and cause")
        self._calls = meter.create_counter("portcullis.tool_calls", description="tool calls by tool and status")
        self._units = meter.create_counter("portcullis.units", description="units spent")
        self._session_seconds = meter.create_histogram(
            "portcullis.session.duration",
            "s",
            "how long sessions took, by capability, stop reason and cause",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )
        self._call_seconds = meter.create_histogram(
            "portcullis.tool_call.duration",
            "s",
            "how long tool calls took, by tool and status",
            explicit_bucket_boundaries_advisory=_SECONDS,
        )

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
        ended = {"stop_reason": stop, **_cause_of(outcome.verdict)}
        self._sessions.add(1, ended)
        self._units.add(outcome.spent_units)
        self._session_seconds.record(outcome.elapsed_ms / 1000, {"capability": outcome.capability, **ended})

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
        ended = {"tool": outcome.tool, "status": outcome.status.value}
        self._calls.add(1, ended)
        self._call_seconds.record(outcome.elapsed_ms / 1000, ended)


def _cause_of(verdict: Verdict) -> dict[str, str]:
    """What brought the stop about: of the signals that name it, the first; nothing where none does.

    A caller who went away is `cancelled`, a session or call that was too slow `total_timeout` or `per_call_timeout`.
    """
    causes = [signal.cause.value for signal in verdict.signals if signal.reason is verdict.stop]
    return {"cause": causes[0]} if causes else {}
