"""One sabotage: what is done to the checkout, and which check has to notice."""

from __future__ import annotations

from dataclasses import dataclass

from .edits import Edit

__all__ = ["Sabotage"]


@dataclass(frozen=True)
class Sabotage:
    """One of them; with `reseal` the saboteur runs `make seal` afterwards and forges a certificate that fits."""

    id: str
    check: str
    names: str
    edit: Edit
    reseal: bool = True
    forges: bool = False
    """True if the evidence of the check is changed after a real run; the quick form has to notice."""
