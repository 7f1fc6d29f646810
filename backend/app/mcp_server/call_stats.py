"""What happened at this door since it was opened: calls, time and errors per tool, and the latest errors."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = ["CallStats"]

_MOST_ERRORS: Final = 50


@dataclass(slots=True)
class _Count:
    calls: int = 0
    errors: int = 0
    total_ms: int = 0
    slowest_ms: int = 0


@dataclass(slots=True)
class CallStats:
    """Numbers only; what was asked or answered is not kept."""

    _counts: dict[tuple[str, str], _Count] = field(default_factory=dict)
    _errors: deque[dict[str, Any]] = field(default_factory=lambda: deque(maxlen=_MOST_ERRORS))

    def count(self, tenant: str, tool: str, duration_ms: int, error_kind: str, at_ms: int) -> None:
        """Count one call."""
        row = self._counts.setdefault((tenant, tool), _Count())
        row.calls += 1
        row.total_ms += duration_ms
        row.slowest_ms = max(row.slowest_ms, duration_ms)
        if error_kind:
            row.errors += 1
            self._errors.appendleft({"tenant": tenant, "tool": tool, "kind": error_kind, "atMs": at_ms})

    def tools(self, tenant: str) -> list[dict[str, Any]]:
        """Per tool that a tenant called, by name."""
        return [
            {
                "tool": name,
                "calls": row.calls,
                "errors": row.errors,
                "meanMs": row.total_ms // row.calls,
                "slowestMs": row.slowest_ms,
            }
            for (owner, name), row in sorted(self._counts.items())
            if owner == tenant
        ]

    def errors(self, tenant: str) -> list[dict[str, Any]]:
        """The latest errors of a tenant, the newest first."""
        return [
            {name: value for name, value in row.items() if name != "tenant"}
            for row in self._errors
            if row["tenant"] == tenant
        ]
