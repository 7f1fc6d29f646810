"""The tables of a document index in SQLite: files, derived texts, passages, and the generation in force."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ....kernel.errors import StoreUnusable
from ....parsing.document import PARSER_VERSION, ParsedDocument, Refusal
from ....parsing.text.passages import passages_of
from ....parsing.text.words.tokens import WORDS_VERSION, language_in, words_of
from .index_faults import IndexDamaged

__all__ = ["DATABASE", "FileRow", "Tables", "check_kind", "joined_words", "open_tables"]

DATABASE: Final = "documents.sqlite3"
_SCHEMA_VERSION: Final = 3
_APPLICATION: Final = 0x50434C44  # "PCLD", so that another program's database is never taken for ours
_DERIVATION: Final = PARSER_VERSION * 1000 + WORDS_VERSION
_BUSY_MS: Final = 10_000
_TELLING_CHARS: Final = 20_000  # the language of a text shows in its beginning
_TABLES: Final = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY, content_hash TEXT NOT NULL, kind TEXT NOT NULL, derivation INTEGER NOT NULL, refusal TEXT,
  language TEXT NOT NULL, title TEXT NOT NULL, title_shown INTEGER NOT NULL,
  text TEXT NOT NULL, text_hash TEXT NOT NULL, hidden TEXT NOT NULL,
  carriers_removed INTEGER NOT NULL, UNIQUE (content_hash, kind, derivation));
CREATE TABLE passages (
  document INTEGER NOT NULL, place INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
  heading TEXT NOT NULL, columns TEXT NOT NULL, heading_words TEXT NOT NULL, words TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (document, place)) WITHOUT ROWID;
CREATE TABLE files (
  id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, fingerprint TEXT NOT NULL, settled INTEGER NOT NULL,
  document INTEGER NOT NULL);
CREATE INDEX files_by_document ON files (document);
"""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as the last refresh left it."""

    path: str
    fingerprint: str
    settled: bool
    document: int
    content_hash: str
    refusal: str | None


def joined_words(words: list[str]) -> str:
    """Words between their own spaces, so that counting `" word "` counts neighbours too."""
    return f" {'  '.join(words)} " if words else ""


def open_tables(path: Path, *, read_only: bool) -> Tables:
    """Opens the database, and makes it where it may be written.

    Raises:
        StoreUnusable: it was written by a newer version, or by another program.
        sqlite3.Error: it is damaged, locked or absent.
    """
    if read_only:
        link = _opened_to_read(path)
    else:
        link = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_MS / 1000, check_same_thread=False)
    try:
        link.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
        made = check_kind(link, path)
        if not read_only:
            link.execute("PRAGMA journal_mode=WAL")
            link.execute("PRAGMA synchronous=NORMAL")
            if not made:
                _make(link)
    except BaseException:
        link.close()
        raise
    return Tables(link, path, _identity(path))


def check_kind(link: sqlite3.Connection, path: Path) -> bool:
    """Whether the tables were made; raises where they are another program's or another version's."""
    version = int(link.execute("PRAGMA user_version").fetchone()[0])
    application = int(link.execute("PRAGMA application_id").fetchone()[0])
    made = bool(link.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    if made and application != _APPLICATION:
        raise StoreUnusable(f"`{path.name}` belongs to another program")
    if version > _SCHEMA_VERSION:
        raise StoreUnusable(f"the document index was written by a newer version (schema {version})")
    if made and version < _SCHEMA_VERSION:
        raise IndexDamaged("the document index was written by an older version")
    return made


def _opened_to_read(path: Path) -> sqlite3.Connection:
    """Where the folder may not be written, SQLite shares no memory; without a journal the file is whole by itself."""
    if not path.exists():
        raise IndexDamaged("the document index is gone")
    address = f"{path.resolve().as_uri()}?mode=ro"
    link = sqlite3.connect(address, uri=True, isolation_level=None, timeout=_BUSY_MS / 1000, check_same_thread=False)
    try:
        link.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        link.close()
        if not path.exists() or path.with_name(path.name + "-wal").exists():
            raise
        link = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None, check_same_thread=False)
    return link


def _make(link: sqlite3.Connection) -> None:
    link.execute("BEGIN IMMEDIATE")
    try:
        for statement in _TABLES.split(";\n"):
            if statement.strip():
                link.execute(statement)
        link.execute(f"PRAGMA application_id={_APPLICATION}")
        link.execute(f"PRAGMA user_version={_SCHEMA_VERSION}")
        link.execute("COMMIT")
    except BaseException:
        if link.in_transaction:
            link.execute("ROLLBACK")
        raise


class Tables:
    """One connection to the tables."""

    def __init__(self, link: sqlite3.Connection, path: Path, identity: tuple[int, int]) -> None:
        self.link = link
        self._path = path
        self._identity = identity

    @property
    def replaced(self) -> bool:
        """Whether another process has put a new database in the place of this one."""
        return _identity(self._path) != self._identity

    def close(self) -> None:
        """Lets go of the database."""
        self.link.close()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One unchanging view of all tables."""
        self.link.execute("BEGIN")
        try:
            yield
        finally:
            if self.link.in_transaction:
                self.link.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All of it or nothing."""
        self.link.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.link.execute("COMMIT")
        except BaseException:
            if self.link.in_transaction:
                self.link.execute("ROLLBACK")
            raise

    def check(self) -> None:
        """Raises where the database does not hold together."""
        said = self.link.execute("PRAGMA quick_check(1)").fetchone()
        if said is None or said[0] != "ok":
            raise IndexDamaged("the document index is damaged")

    def fact(self, name: str) -> str | None:
        """A named fact about the index as a whole."""
        row = self.link.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_fact(self, name: str, value: str) -> None:
        """Writes a named fact."""
        self.link.execute("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", (name, value))

    def file_rows(self) -> dict[str, FileRow]:
        """Every known file by its path; those derived by another version are left out, so that they are read again."""
        rows = self.link.execute(
            "SELECT f.path, f.fingerprint, f.settled, f.document, d.content_hash, d.refusal FROM files f"
            " JOIN documents d ON d.id = f.document WHERE d.derivation = ? ORDER BY f.path",
            (_DERIVATION,),
        )
        return {row[0]: FileRow(row[0], row[1], bool(row[2]), row[3], row[4], row[5]) for row in rows}

    def document_id(self, content_hash: str, kind: str) -> int | None:
        """The derived document of these bytes, where there is one."""
        row = self.link.execute(
            "SELECT id FROM documents WHERE content_hash = ? AND kind = ? AND derivation = ?",
            (content_hash, kind, _DERIVATION),
        ).fetchone()
        return None if row is None else int(row[0])

    def add_document(self, kind: str, content_hash: str, parsed: ParsedDocument | Refusal) -> int:
        """Stores a derived document with its passages, or the refusal of its bytes."""
        row: tuple[str | int | None, ...]
        if isinstance(parsed, Refusal):
            row = (parsed.value, "", "", 0, "", "", "[]", 0)
        else:
            shown = any(heading.title == parsed.title for heading in parsed.headings)
            hidden = json.dumps(parsed.hidden, ensure_ascii=False)
            spoken = language_in(f"{parsed.title}\n{parsed.text[:_TELLING_CHARS]}")
            text = (parsed.text, parsed.text_hash, hidden, parsed.carriers_removed)
            row = (None, spoken, parsed.title, int(shown), *text)
        made = self.link.execute(
            "INSERT INTO documents (content_hash, kind, derivation, refusal, language, title, title_shown, text,"
            " text_hash, hidden, carriers_removed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (content_hash, kind, _DERIVATION, *row),
        ).lastrowid
        if made is None:
            raise IndexDamaged("the document index takes no more rows")
        if isinstance(parsed, ParsedDocument):
            self.link.executemany(
                "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _passage_rows(made, parsed, spoken)
            )
        return made


def _identity(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except FileNotFoundError:
        return 0, 0
    return status.st_dev, status.st_ino


def _passage_rows(
    document: int, parsed: ParsedDocument, language: str
) -> Iterator[tuple[int, int, int, int, str, str, str, str, int]]:
    for place, passage in enumerate(passages_of(parsed.text, parsed.headings)):
        text = parsed.text[passage.start : passage.end]
        yield (
            document,
            place,
            passage.start,
            passage.end,
            passage.heading,
            passage.columns,
            joined_words(words_of(f"{passage.heading}\n{passage.columns}", language)),
            joined_words(words_of(text, language)),
            zlib.crc32(text.encode("utf-8")),
        )
