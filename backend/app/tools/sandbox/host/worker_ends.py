"""What the end of a worker says about what it was doing (R16)."""

from __future__ import annotations

import signal
from typing import Final

from ....kernel.errors import ToolFailure, ToolTimeout, WorkerKilled
from ..frames import MEMORY_EXIT

__all__ = ["death_of"]

# A forbidden call, broken memory, a failed assertion, and the kernel's own end for who takes too much of the machine.
_VIOLATIONS: Final = (
    signal.SIGABRT,
    signal.SIGBUS,
    signal.SIGFPE,
    signal.SIGILL,
    signal.SIGKILL,
    signal.SIGSEGV,
    signal.SIGSYS,
    signal.SIGTRAP,
    signal.SIGXFSZ,
)


def death_of(code: int) -> ToolFailure:
    """The failure that an exit code stands for."""
    if code == MEMORY_EXIT:
        return WorkerKilled("worker ran into its memory limit")
    if code == -signal.SIGXCPU:
        return ToolTimeout("worker used up its processor time")
    if -code in _VIOLATIONS:
        return WorkerKilled(f"worker was killed by {signal.Signals(-code).name}")
    return ToolFailure(f"worker ended with code {code}")
