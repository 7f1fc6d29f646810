"""The weights of the window scorer: integers as data, with the digest of their bytes."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from struct import unpack
from typing import Final, Literal

from pydantic import Field

from ..kernel.errors import ContractViolation
from ..kernel.models import FrozenModel, Identifier

__all__ = ["Severity", "WindowWeights"]

Severity = Literal["high", "medium"]
_LARGEST: Final = 3_000_000


class WindowWeights(FrozenModel):
    """One weight for each place that a feature's name is hashed to; `python -m scripts.train_windows` writes them."""

    id: Identifier
    family: Identifier
    severity: Severity
    bias: int
    threshold: int
    """The score from which a window is flagged."""
    hints: dict[str, int]
    """A weight for each concept, to leave out windows that cannot reach the threshold."""
    least_hint: int
    packed: str = Field(max_length=_LARGEST)
    """16-bit integers, low byte first, compressed, in base64."""
    digest: str
    """SHA-256 of the unpacked bytes."""

    def unpacked(self, size: int) -> tuple[int, ...]:
        """The weights by place.

        Raises:
            ContractViolation: they are damaged, or not as many as there are places.
        """
        try:
            data = zlib.decompressobj().decompress(base64.b64decode(self.packed, validate=True), size * 2 + 1)
        except (binascii.Error, zlib.error) as exc:
            raise ContractViolation("the weights of the window scorer cannot be read") from exc
        if len(data) != size * 2 or hashlib.sha256(data).hexdigest() != self.digest:
            raise ContractViolation("the weights of the window scorer do not match their digest")
        return unpack(f"<{size}h", data)
