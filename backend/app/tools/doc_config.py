"""What the host tells the workers of `doc_lookup`: which collections there are."""

from __future__ import annotations

from ..kernel.document_index import Collection
from ..kernel.models import FrozenModel

__all__ = ["DocLookupConfig"]


class DocLookupConfig(FrozenModel):
    """The collections that this process may look into; none where the gate was opened without documents."""

    collections: tuple[Collection, ...]
