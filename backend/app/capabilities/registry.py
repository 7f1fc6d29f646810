"""The registry: every capability there is, by name; only their plans run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ..kernel.capability import Capability
from .ask_documents import ASK_DOCUMENTS
from .scrape_page import SCRAPE_PAGE
from .search_documents import SEARCH_DOCUMENTS

__all__ = ["CAPABILITIES"]

CAPABILITIES: Final[Mapping[str, Capability]] = MappingProxyType(
    {one.name: one for one in (ASK_DOCUMENTS, SEARCH_DOCUMENTS, SCRAPE_PAGE)}
)
