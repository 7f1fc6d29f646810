"""The names of the walls round a worker, and of what a kernel's choice of them amounts to."""

from __future__ import annotations

from enum import StrEnum

from ....kernel.models import FrozenModel

__all__ = ["SandboxLevel", "SandboxState", "Wall"]


class Wall(StrEnum):
    """A mechanism of the kernel that a worker raises round itself; the limits of its resources are always there."""

    LANDLOCK = "landlock"
    SECCOMP = "seccomp"


class SandboxLevel(StrEnum):
    """How far a worker is confined, strongest first."""

    FULL = "full"
    RLIMITS_SECCOMP = "rlimits+seccomp"
    RLIMITS_LANDLOCK = "rlimits+landlock"
    RLIMITS = "rlimits"


class SandboxState(FrozenModel):
    """What this machine offers, or what a worker has raised; an interface that is missing has the number 0."""

    landlock_abi: int = 0
    seccomp: bool = False

    @property
    def level(self) -> SandboxLevel:
        """The one name for both."""
        if self.landlock_abi and self.seccomp:
            return SandboxLevel.FULL
        if self.seccomp:
            return SandboxLevel.RLIMITS_SECCOMP
        return SandboxLevel.RLIMITS_LANDLOCK if self.landlock_abi else SandboxLevel.RLIMITS
