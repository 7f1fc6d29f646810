"""Where things lie under the data folder."""

from __future__ import annotations

from typing import Final

from ..kernel.canonical import sha256_hex

__all__ = [
    "CAPS_FOLDER",
    "COLLECTIONS_FOLDER",
    "JOURNAL_FOLDER",
    "LEDGER_FILE",
    "STORE_FOLDER",
    "WEB_CACHE_FOLDER",
    "rules_digest",
]

CAPS_FOLDER: Final = "caps"
COLLECTIONS_FOLDER: Final = "collections"
JOURNAL_FOLDER: Final = "journal"
STORE_FOLDER: Final = "store"
WEB_CACHE_FOLDER: Final = "cache"
LEDGER_FILE: Final = "ledger.sqlite3"


def rules_digest(rules: str) -> str:
    """How a session names the injection rules it was screened by."""
    return sha256_hex(rules.encode())
