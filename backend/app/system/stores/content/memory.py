"""A content store in memory: for tests and for hosts that want nothing on disk."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Final

from ....kernel.canonical import sha256_hex

__all__ = ["MemoryStore"]

_SETTLED_MS: Final = 3_600_000


class MemoryStore:
    """Bytes by tenant and digest, each with the time at which it was last put."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, str], tuple[bytes, int]] = {}

    def put(self, tenant: str, data: bytes) -> str:
        """Keep the bytes; the same bytes are kept once."""
        digest = sha256_hex(data)
        self._objects[tenant, digest] = (data, time.time_ns() // 1_000_000)
        return digest

    async def flush(self, tenant: str, digests: Sequence[str]) -> None:
        """What was put is there."""

    def get(self, tenant: str, digest: str) -> bytes | None:
        """The bytes under a digest."""
        found = self._objects.get((tenant, digest))
        return None if found is None else found[0]

    def tenants(self) -> tuple[str, ...]:
        """Everybody who has objects here."""
        return tuple(sorted({tenant for tenant, _ in self._objects}))

    def digests(self, tenant: str) -> Iterator[str]:
        """Every object of a tenant by its digest."""
        return iter(sorted(digest for owner, digest in self._objects if owner == tenant))

    def count(self, tenant: str) -> int:
        """How many objects a tenant has."""
        return sum(owner == tenant for owner, _ in self._objects)

    def remove(self, tenant: str, digest: str) -> bool:
        """Delete an object; False where it was not there."""
        return self._objects.pop((tenant, digest), None) is not None

    def remove_unused(self, tenant: str, digest: str, before_ms: int) -> bool:
        """Delete an object if nobody has put it since a moment; False where it stays. One of the last hour stays."""
        found = self._objects.get((tenant, digest))
        before_ms = min(before_ms, time.time_ns() // 1_000_000 - _SETTLED_MS)
        return found is not None and found[1] < before_ms and self.remove(tenant, digest)
