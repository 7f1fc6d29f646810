"""The weights of the window scorer: integers as data, with the digest of their bytes."""

from __future__ import annotations

import binascii
import struct
from array import array
from typing import Final, Literal

from pydantic import Field

from ..kernel.canonical import sha256_hex
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
    """Weights for concepts and pairs of them, to leave out windows that are not likely to reach the threshold."""
    hint_words: str = Field(default="", max_length=_LARGEST)
    """Weights for words, to the same end: 8-bit integers by place, in base64; rules before 3.2.0 have none."""
    least_hint: int
    packed: str = Field(max_length=_LARGEST)
    """16-bit integers, low byte first, in base64."""
    digest: str
    """SHA-256 of the unpacked bytes."""

    def unpacked(self, size: int) -> array[int]:
        """The weights by place.

        Raises:
            ContractViolation: they are damaged, or not as many as there are places.
        """
        data = _decoded(self.packed)
        if len(data) != size * 2 or sha256_hex(data) != self.digest:
            raise ContractViolation("the weights of the window scorer do not match their digest")
        # Two bytes each on every machine. An array stays in the processor's cache, a tuple does not.
        return array("h", struct.unpack(f"<{size}h", data))

    def unpacked_hints(self, size: int) -> array[int]:
        """The weights of words for the hints, by place.

        Raises:
            ContractViolation: they are damaged, or not as many as there are places.
        """
        data = _decoded(self.hint_words) if self.hint_words else bytes(size)
        if len(data) != size:
            raise ContractViolation("the hints of the window scorer are not as many as there are places")
        return array("b", data)


def _decoded(packed: str) -> bytes:
    try:
        return binascii.a2b_base64(packed, strict_mode=True)
    except binascii.Error as exc:
        raise ContractViolation("the weights of the window scorer cannot be read") from exc
