"""A gate belongs to the process that opened it: in a fork it refuses, and says so."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping

from ..kernel.capability import AnyCapability
from ..kernel.errors import StoreUnusable

__all__ = ["CapabilitiesAtHome"]


class CapabilitiesAtHome(Mapping[str, AnyCapability]):
    """What can be asked of a gate, in the process that opened it: the router looks here before it does anything else.

    A ledger, a cache and lines to workers do not survive a fork: two processes would talk over each other.
    """

    def __init__(self, capabilities: Mapping[str, AnyCapability]) -> None:
        self._capabilities = capabilities
        self._opened_by = os.getpid()

    @property
    def at_home(self) -> bool:
        """True if this is the process that opened the gate."""
        return os.getpid() == self._opened_by

    def __getitem__(self, name: str) -> AnyCapability:
        """One of them.

        Raises:
            StoreUnusable: this is a fork of the process that opened the gate.
        """
        if not self.at_home:
            message = (
                f"this gate was opened in process {self._opened_by}, and process {os.getpid()} is a fork of it: "
                "open a gate in each process, after the fork"
            )
            logging.getLogger("portcullis").error(message)
            raise StoreUnusable(message)
        return self._capabilities[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._capabilities)

    def __len__(self) -> int:
        return len(self._capabilities)
