"""The content store as a port: bytes by their sha256, written behind and read on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

__all__ = ["ContentStore"]


class ContentStore(Protocol):
    """Bytes by their sha256, keyed by tenant first (R20).

    `put` returns at once and never fails: whether the bytes are safe is what `flush` says, by their digests. So a
    store across a network does not hold up the event loop, and an object that could not be written is the trouble of
    whoever put it and of nobody else.

    Raises:
        StoreUnusable: the store cannot be used, or what it holds under a digest is something else.
    """

    def put(self, tenant: str, data: bytes) -> str:
        """Begin to keep the bytes; their digest."""
        ...

    async def flush(self, tenant: str, digests: Sequence[str]) -> None:
        """Return when these objects are safe; raise if one of them could not be written."""
        ...

    def get(self, tenant: str, digest: str) -> bytes | None:
        """The bytes under a digest; None where there are none."""
        ...

    def tenants(self) -> tuple[str, ...]:
        """Everybody who has objects here, sorted."""
        ...

    def digests(self, tenant: str) -> Iterator[str]:
        """Every object of a tenant by its name, and what a killed writer left behind."""
        ...

    def count(self, tenant: str) -> int:
        """How many objects a tenant has."""
        ...

    def remove(self, tenant: str, digest: str) -> bool:
        """Delete an object; False where it was not there."""
        ...

    def remove_unused(self, tenant: str, digest: str, before_ms: int) -> bool:
        """Delete an object if nobody has put it since a moment; False where it stays. One of the last hour stays."""
        ...
