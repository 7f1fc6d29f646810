"""The tripwire's port: what the gate says about where it is, so that a watcher knows when to act (R16)."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar

__all__ = ["NO_TRIPWIRE", "NoTripwire", "Tripwire"]

T = TypeVar("T")


class Tripwire(Protocol):
    """Watches a session; a forbidden operation inside it raises `OperationForbidden`."""

    def armed(self) -> AbstractContextManager[None]:
        """Inside, our own rooms run; an operation that a room hid is raised again at the end."""
        ...

    def tool_call(self) -> AbstractContextManager[None]:
        """Inside, a tool runs, which the sandbox watches and not the tripwire."""
        ...

    def outside(self, port: T) -> T:
        """The same port, with its methods run as the host's code: stores and observers have files and sockets."""
        ...


class NoTripwire:
    """For hosts that did not ask for one."""

    def armed(self) -> AbstractContextManager[None]:
        """Watches nothing."""
        return nullcontext()

    def tool_call(self) -> AbstractContextManager[None]:
        """Changes nothing."""
        return nullcontext()

    def outside(self, port: T) -> T:
        """The port as it is."""
        return port


NO_TRIPWIRE = NoTripwire()
