"""What the host tells the workers of `doc_lookup`: which collections there are."""

from __future__ import annotations

from ..kernel.document_index import Collection
from ..kernel.models import FrozenModel

__all__ = ["DocLookupConfig"]


class DocLookupConfig(FrozenModel):
    """The collections that this process may look into; none where the gate was opened without documents."""

    collections: tuple[Collection, ...]

    def place_of(self, tenant: str, name: str | None) -> Collection | None:
        """A tenant's own collection comes first; another tenant's is not there at all."""
        mine = {place.tenant: place for place in self.collections if place.name == (name or "")}
        return mine.get(tenant) or mine.get(None)
