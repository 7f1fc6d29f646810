"""Large results: kept for half an hour under their digest, for the tenant that asked, and sent as a link."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import mcp_types as types

from ..kernel.canonical import sha256_hex
from ..kernel.ports import Clock
from .tool_results import Told

__all__ = ["ARTIFACT_URI", "LINKED_SCHEMA", "LINK_BYTES", "Artifacts", "linked_result"]

LINK_BYTES: Final = 65_536
"""From this size on a result is sent as a link."""
ARTIFACT_URI: Final = "research://artifact/"
LINKED_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "title": "LinkedResult",
    "description": "What is sent in place of a large result: where to read the whole of it.",
    "properties": {
        "resource": {"type": "string"},
        "bytes": {"type": "integer"},
        "mimeType": {"type": "string"},
        "summary": {"type": "string"},
        "expiresAt": {"type": "string"},
        "linked": {"const": True},
    },
    "required": ["resource", "bytes", "mimeType", "summary", "expiresAt", "linked"],
    "additionalProperties": False,
}
_KEPT_MS: Final = 30 * 60_000
_MOST_BYTES: Final = 64_000_000
_MIME: Final = "application/json"


@dataclass(frozen=True, slots=True)
class _Artifact:
    data: bytes
    until_ms: int


class Artifacts:
    """Bodies by tenant and digest; old ones go, and when there is no room the oldest."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], _Artifact] = OrderedDict()
        self._bytes = 0

    def put(self, tenant: str, data: bytes) -> tuple[str, int]:
        """Keep a body; gives its digest and the moment until which it is kept."""
        digest, now_ms = sha256_hex(data), self._clock.now_ms()
        self._drop((tenant, digest))
        self._kept[tenant, digest] = _Artifact(data, now_ms + _KEPT_MS)
        self._bytes += len(data)
        for key in list(self._kept):
            if self._kept[key].until_ms > now_ms and self._bytes <= _MOST_BYTES:
                break
            if key != (tenant, digest):
                self._drop(key)
        return digest, now_ms + _KEPT_MS

    def get(self, tenant: str, digest: str) -> bytes | None:
        """The body, or None: unknown, of another tenant, or too old."""
        found = self._kept.get((tenant, digest))
        return found.data if found is not None and found.until_ms > self._clock.now_ms() else None

    def _drop(self, key: tuple[str, str]) -> None:
        old = self._kept.pop(key, None)
        self._bytes -= 0 if old is None else len(old.data)


def linked_result(told: Told, name: str, digest: str, until_ms: int) -> types.CallToolResult:
    """A small summary and a link to the whole."""
    size = len(told.data)
    uri = f"{ARTIFACT_URI}{digest}"
    summary = f"{name}: a result of {size:,} bytes; read {uri} for the whole of it"
    body = {
        "resource": uri,
        "bytes": size,
        "mimeType": _MIME,
        "summary": summary,
        "expiresAt": datetime.fromtimestamp(until_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "linked": True,
    }
    link = types.ResourceLink(name=f"{name} result", uri=uri, mime_type=_MIME, size=size, description=summary)
    text = types.TextContent(text="\n".join(f"{key}: {value}" for key, value in body.items()))
    return types.CallToolResult(content=[text, link], structured_content=body, meta=told.meta)
