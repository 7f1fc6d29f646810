"""A content store in memory, for tests."""

from __future__ import annotations

from ....kernel.canonical import sha256_hex

__all__ = ["MemoryStore"]


class MemoryStore:
    """Bytes by tenant and digest."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, str], bytes] = {}

    def put(self, tenant: str, data: bytes) -> str:
        """Keep the bytes; the same bytes are kept once."""
        digest = sha256_hex(data)
        self._objects[tenant, digest] = data
        return digest

    def get(self, tenant: str, digest: str) -> bytes | None:
        """The bytes under a digest."""
        return self._objects.get((tenant, digest))
