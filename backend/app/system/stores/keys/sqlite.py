"""The key store: API keys in a SQLite file, each by its id and the sha256 of its secret part."""

from __future__ import annotations

import hmac
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from ....kernel.canonical import sha256_hex
from ....kernel.errors import RequestInvalid, StoreUnusable
from ....kernel.ports import Clock
from ...api_keys import KEY_SCOPES, ApiKey, KeyDialect
from ...private_files import private_file, private_folder

__all__ = ["KeyStore"]

_PREFIX: Final = "pck"
_ID_BYTES: Final = 6
_SECRET_BYTES: Final = 32
_LONGEST: Final = 200
_BUSY_S: Final = 5.0
_TABLE: Final = """
CREATE TABLE IF NOT EXISTS keys (
    key_id TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    facts TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    revoked_at_ms INTEGER
)
"""


class KeyStore:
    """Makes, checks and revokes keys. The text of a key is given once and never kept."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock

    def create(
        self,
        tenant: str,
        user: str,
        tier: str,
        collections: tuple[str, ...],
        scopes: tuple[str, ...],
        *,
        dialect: KeyDialect = "standard",
        sources_block: bool = True,
        lasts_ms: int | None = None,
    ) -> tuple[ApiKey, str]:
        """A new key, and its text; `lasts_ms`: it ends by itself after so long.

        Raises:
            RequestInvalid: an unknown scope, or a name that is not valid.
            StoreUnusable: the file cannot be written.
        """
        unknown = [scope for scope in scopes if scope not in KEY_SCOPES]
        if unknown or not scopes:
            raise RequestInvalid(f"scopes must be some of {', '.join(KEY_SCOPES)}")
        key_id, secret = secrets.token_hex(_ID_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        now_ms = self._clock.now_ms()
        try:
            made = ApiKey(
                key_id=key_id,
                tenant=tenant,
                user=user,
                tier=tier,
                collections=tuple(dict.fromkeys(collections)),
                scopes=tuple(dict.fromkeys(scopes)),
                dialect=dialect,
                sources_block=sources_block,
                created_at_ms=now_ms,
                ends_at_ms=None if lasts_ms is None else now_ms + lasts_ms,
            )
        except ValueError as exc:
            raise RequestInvalid("tenant, user, tier and collections take letters, digits and . _ @ -") from exc
        # Without what is at its default, so that an older version of the product can read the key.
        facts = made.model_dump_json(exclude_defaults=True)
        row = (key_id, sha256_hex(secret.encode()), facts, made.created_at_ms)
        with self._opened() as db:
            db.execute("INSERT INTO keys (key_id, secret, facts, created_at_ms) VALUES (?, ?, ?, ?)", row)
        return made, f"{_PREFIX}_{key_id}_{secret}"

    def check(self, text: str) -> ApiKey | None:
        """The key behind a text; None for one that is unknown, wrong, revoked or past its end. Each takes the same
        time."""
        prefix, _, rest = text.partition("_")
        key_id, _, secret = rest.partition("_")
        well_formed = prefix == _PREFIX and len(text) <= _LONGEST and text.isascii()
        row = None
        if well_formed and self._path.exists():
            with self._opened() as db:
                found = db.execute("SELECT secret, facts, revoked_at_ms FROM keys WHERE key_id = ?", (key_id,))
                row = found.fetchone()
        kept = row[0] if row is not None else sha256_hex(b"")
        same = hmac.compare_digest(kept, sha256_hex(secret.encode("utf-8", "replace")))
        if row is None or not same:
            return None
        key = ApiKey.model_validate_json(row[1]).revoked(row[2])
        return key if key.valid_at(self._clock.now_ms()) else None

    def find(self, key_id: str) -> ApiKey | None:
        """A key by its id, also one that is not valid any more."""
        if not self._path.exists():
            return None
        with self._opened() as db:
            row = db.execute("SELECT facts, revoked_at_ms FROM keys WHERE key_id = ?", (key_id,)).fetchone()
        return None if row is None else ApiKey.model_validate_json(row[0]).revoked(row[1])

    def all(self) -> tuple[ApiKey, ...]:
        """Every key, the oldest first, revoked ones included."""
        if not self._path.exists():
            return ()
        with self._opened() as db:
            rows = db.execute("SELECT facts, revoked_at_ms FROM keys ORDER BY created_at_ms, key_id").fetchall()
        return tuple(ApiKey.model_validate_json(facts).revoked(at_ms) for facts, at_ms in rows)

    def revoke(self, key_id: str) -> bool:
        """Revoke a key for good; False where there is no such key, or it was revoked before."""
        if not self._path.exists():
            return False
        change = "UPDATE keys SET revoked_at_ms = ? WHERE key_id = ? AND revoked_at_ms IS NULL"
        with self._opened() as db:
            return db.execute(change, (self._clock.now_ms(), key_id)).rowcount == 1

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            private_folder(self._path.parent)
            private_file(self._path)
            db = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None)
            try:
                db.execute(_TABLE)
                yield db
            finally:
                db.close()
        except (sqlite3.Error, OSError) as exc:
            raise StoreUnusable(f"key store `{self._path}` cannot be used") from exc
