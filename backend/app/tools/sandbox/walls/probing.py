"""What the kernel under this process offers a sandbox; asking puts nothing in force."""

from __future__ import annotations

import sys

from .landlock import landlock_abi
from .levels import SandboxState
from .seccomp import seccomp_offered

__all__ = ["sandbox_offered"]


def sandbox_offered() -> SandboxState:
    """The walls that a worker would raise here."""
    if sys.platform != "linux":
        return SandboxState()
    return SandboxState(landlock_abi=landlock_abi(), seccomp=seccomp_offered())
