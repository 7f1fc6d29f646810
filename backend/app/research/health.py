"""Health: whether a gate can answer, from what it was built with and what it stands on; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable

from ..kernel.health import Health, HealthCheck
from ..kernel.ports import Machine
from ..kernel.stops import Cause

__all__ = ["NoMachine", "health_of"]


class NoMachine:
    """For a gate without stores, workers or a lock of its own."""

    sandbox = ""
    workers = 0

    def checks(self) -> tuple[HealthCheck, ...]:
        """Looks at nothing."""
        return ()


def health_of(
    machine: Machine,
    environment: str,
    disabled_by: Iterable[Cause],
    *,
    custom_caps: bool,
    tools: Iterable[str],
    capabilities: Iterable[str],
    sessions: int,
) -> Health:
    """Everything at one moment; healthy where nothing has failed."""
    disabled = ", ".join([cause.value for cause in disabled_by])
    research = HealthCheck(name="research", state="failed" if disabled else "ok", detail=disabled)
    checks = (research, *machine.checks())
    return Health(
        healthy=all(check.state != "failed" for check in checks),
        environment=environment,
        sandbox=machine.sandbox,
        custom_caps=custom_caps,
        tools=tuple(sorted(tools)),
        capabilities=tuple(sorted(capabilities)),
        sessions=sessions,
        workers=machine.workers,
        checks=checks,
    )
