"""The index of the user"s own documents as a port."""

from __future__ import annotations

from typing import Protocol

from ..document_index import DocumentHit, IndexReport

__all__ = ["DocumentIndex"]


class DocumentIndex(Protocol):
    """The user's own documents: kept up to date with a folder, and searched."""

    def refresh(self) -> IndexReport: ...

    def search(self, query: str, limit: int) -> tuple[DocumentHit, ...]: ...
