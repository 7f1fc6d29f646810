"""The meters of a server: what the gate counts and measures, as text for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from opentelemetry.metrics import Counter, Histogram, Meter, MeterProvider, NoOpMeter

__all__ = ["MODEL_COUNTERS", "Labels", "MeterState", "ServerMeters", "merged_states", "metrics_text"]

Labels = tuple[tuple[str, str], ...]
MODEL_COUNTERS: Final = ("portcullis_model_answers_total", "portcullis_model_lines_total")
_SECONDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84)
_HELP: Final = {
    "portcullis_sessions_total": "sessions by stop reason and cause",
    "portcullis_tool_calls_total": "tool calls by tool and status",
    "portcullis_units_total": "units spent",
    "portcullis_requests_total": "HTTP requests by route and status",
    "portcullis_model_answers_total": "grounded answers worded by the operator's model, or left as sentences, and why",
    "portcullis_model_lines_total": "lines that the model wrote, kept or dropped, and why",
    "portcullis_session_duration_seconds": "how long sessions took, by capability, stop reason and cause",
    "portcullis_tool_call_duration_seconds": "how long tool calls took, by tool and status",
}


@dataclass(slots=True)
class MeterState:
    """Counts by name and labels; of a histogram the counts per bucket, the last one without a bound, and the sum."""

    counts: dict[str, dict[Labels, float]] = field(default_factory=dict)
    buckets: dict[str, dict[Labels, list[float]]] = field(default_factory=dict)

    def add(self, name: str, labels: Labels, amount: float) -> None:
        """Count."""
        row = self.counts.setdefault(name, {})
        row[labels] = row.get(labels, 0) + amount

    def record(self, name: str, labels: Labels, seconds: float) -> None:
        """Measure."""
        row = self.buckets.setdefault(name, {}).setdefault(labels, [0.0] * (len(_SECONDS) + 2))
        row[sum(seconds > bound for bound in _SECONDS)] += 1
        row[-1] += seconds

    def document(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {
            "counts": [[name, labels, value] for name, row in self.counts.items() for labels, value in row.items()],
            "buckets": [[name, labels, value] for name, row in self.buckets.items() for labels, value in row.items()],
        }

    @classmethod
    def of_document(cls, told: Mapping[str, Any]) -> MeterState:
        """A state from its document; raises ValueError, KeyError or TypeError where it is not one."""
        state = cls()
        for name, labels, value in told["counts"]:
            state.add(str(name), _labels(labels), float(value))
        for name, labels, values in told["buckets"]:
            if len(values) != len(_SECONDS) + 2:
                raise ValueError("other buckets")
            state.buckets.setdefault(str(name), {})[_labels(labels)] = [float(value) for value in values]
        return state


def merged_states(states: Sequence[MeterState]) -> MeterState:
    """The states of several processes as one."""
    whole = MeterState()
    for state in states:
        for name, counts in state.counts.items():
            for labels, value in counts.items():
                whole.add(name, labels, value)
        for name, rows in state.buckets.items():
            for labels, values in rows.items():
                row = whole.buckets.setdefault(name, {}).setdefault(labels, [0.0] * len(values))
                row[:] = [one + other for one, other in zip(row, values, strict=True)]
    return whole


def metrics_text(state: MeterState, gauges: Sequence[tuple[str, str, Labels, float]]) -> str:
    """Everything in Prometheus' text format; a gauge is its name, its help, its labels and its value."""
    return "\n".join((*_counter_lines(state), *_histogram_lines(state), *_gauge_lines(gauges))) + "\n"


class ServerMeters(MeterProvider):
    """The provider that the gate's telemetry writes to."""

    def __init__(self) -> None:
        self._state = MeterState()
        self._lock = Lock()  # sessions may end on any thread

    def get_meter(self, name: str, *_: Any, **__: Any) -> Meter:
        """One meter for every scope."""
        return _ServerMeter(name, self)

    def add(self, name: str, attributes: Mapping[str, Any] | None, amount: float) -> None:
        """Count."""
        with self._lock:
            self._state.add(name, _labels((attributes or {}).items()), amount)

    def record(self, name: str, attributes: Mapping[str, Any] | None, seconds: float) -> None:
        """Measure."""
        with self._lock:
            self._state.record(name, _labels((attributes or {}).items()), seconds)

    def state(self) -> MeterState:
        """A copy of what was counted so far."""
        with self._lock:
            return merged_states((self._state,))


class _ServerCounter(Counter):
    def __init__(self, name: str, meters: ServerMeters) -> None:
        self._named = f"{_plain(name)}_total"
        self._meters = meters

    def add(self, amount: float, attributes: Any = None, context: Any = None) -> None:
        self._meters.add(self._named, attributes, amount)


class _ServerHistogram(Histogram):
    def __init__(self, name: str, meters: ServerMeters) -> None:
        self._named = f"{_plain(name)}_seconds"
        self._meters = meters

    def record(self, amount: float, attributes: Any = None, context: Any = None) -> None:
        self._meters.record(self._named, attributes, amount)


class _ServerMeter(NoOpMeter):
    """Makes the two kinds that the gate uses; what others measure with it, such as a framework, is not kept."""

    def __init__(self, name: str, meters: ServerMeters) -> None:
        super().__init__(name)
        self._meters = meters

    def create_counter(self, name: str, unit: str = "", description: str = "") -> Counter:
        return _ServerCounter(name, self._meters) if _is_ours(name) else super().create_counter(name, unit)

    def create_histogram(self, name: str, unit: str = "", description: str = "", **_: Any) -> Histogram:
        return _ServerHistogram(name, self._meters) if _is_ours(name) else super().create_histogram(name, unit)


def _is_ours(name: str) -> bool:
    return name.startswith("portcullis.")


def _plain(name: str) -> str:
    return name.replace(".", "_")


def _labels(pairs: Any) -> Labels:
    return tuple(sorted((str(name), str(value)) for name, value in pairs))


def _counter_lines(state: MeterState) -> Iterator[str]:
    for name in sorted(state.counts):
        yield f"# HELP {name} {_HELP.get(name, name)}"
        yield f"# TYPE {name} counter"
        for labels, value in sorted(state.counts[name].items()):
            yield f"{name}{_shown(labels)} {_number(value)}"


def _histogram_lines(state: MeterState) -> Iterator[str]:
    for name in sorted(state.buckets):
        yield f"# HELP {name} {_HELP.get(name, name)}"
        yield f"# TYPE {name} histogram"
        for labels, row in sorted(state.buckets[name].items()):
            below = 0.0
            for bound, count in zip((*map(str, _SECONDS), "+Inf"), row, strict=False):
                below += count
                yield f"{name}_bucket{_shown((*labels, ('le', bound)))} {_number(below)}"
            yield f"{name}_sum{_shown(labels)} {_number(row[-1])}"
            yield f"{name}_count{_shown(labels)} {_number(below)}"


def _gauge_lines(gauges: Sequence[tuple[str, str, Labels, float]]) -> Iterator[str]:
    told: set[str] = set()
    for name, text, labels, value in gauges:
        if name not in told:
            told.add(name)
            yield f"# HELP {name} {text}"
            yield f"# TYPE {name} gauge"
        yield f"{name}{_shown(labels)} {_number(value)}"


def _shown(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(round(value, 6))
