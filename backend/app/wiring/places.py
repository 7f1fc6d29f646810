"""Where things lie under the data folder."""

from __future__ import annotations

from ..kernel.canonical import sha256_hex
from ..system.data_folder import (
    CAPS_FOLDER,
    COLLECTIONS_FOLDER,
    CONVERSATIONS_FILE,
    JOURNAL_FOLDER,
    LEDGER_FILE,
    STORE_FOLDER,
    WEB_CACHE_FOLDER,
)

__all__ = [
    "CAPS_FOLDER",
    "COLLECTIONS_FOLDER",
    "CONVERSATIONS_FILE",
    "JOURNAL_FOLDER",
    "LEDGER_FILE",
    "STORE_FOLDER",
    "WEB_CACHE_FOLDER",
    "rules_digest",
]


def rules_digest(rules: str) -> str:
    """How a session names the injection rules it was screened by."""
    return sha256_hex(rules.encode())
