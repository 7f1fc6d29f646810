"""Brings the tables in step with a folder, and puts a fresh generation of the ranking in force."""

from __future__ import annotations

import shutil
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from ....kernel.canonical import sha256_hex
from ....kernel.document_index import ExcludedFiles, IndexReport, SkippedFile
from ....kernel.errors import StoreUnusable
from ....parsing.document import DocumentParser, ParsedDocument, Refusal, title_from_name
from ....parsing.text.words.languages import ENGLISH, LANGUAGES
from ....parsing.text.words.tokens import words_of
from .exclusion import exclusions_of, left_out
from .folder import FolderLimits, FoundFile, Scan, read_found, scan_folder
from .index_tables import FileRow, Tables, joined_words
from .private_copy import remove_left_copies
from .ranking import Entry, build_ranking
from .search import Searching, generation_folder

__all__ = ["ReadingProgress", "ReadsAhead", "refresh_tables"]

_BATCH_BYTES: Final = 8_000_000
_SETTLED_AFTER_NS: Final = 2_000_000_000  # the coarsest time stamp of a file system in use


ReadingProgress = Callable[[int, int], None]
"""Is told how many files were looked at, and how many there are."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A parser that takes documents ahead of its answers, because it works beside us; the answers come in order."""

    def each(self, documents: Iterable[tuple[bytes, str]], /) -> Iterator[ParsedDocument | Refusal]: ...


@dataclass(frozen=True, slots=True)
class _Current:
    """A file of the folder and the stored document of its bytes."""

    file: FoundFile
    document: int
    content_hash: str
    refusal: str | None
    settled: bool


def refresh_tables(
    tables: Tables,
    searching: Searching,
    root: Path,
    state_dir: Path,
    limits: FolderLimits,
    parse: DocumentParser,
    now_ns: int,
    progress: ReadingProgress,
) -> IndexReport:
    """Reads what is new, then flips to the next generation in one transaction: readers see all of it or nothing."""
    scan, excluded = left_out(scan_folder(root, limits, state_dir.resolve()), exclusions_of(state_dir))
    known = tables.file_rows()
    current, unread = _read_changed(tables, root, scan, known, parse, now_ns, progress)
    skipped = sorted(
        [*scan.skipped, *unread, *(SkippedFile(path=c.file.path, reason=c.refusal) for c in current if c.refusal)],
        key=lambda skip: (skip.path, skip.reason),
    )
    same_set = {c.file.path: c.document for c in current} == {row.path: row.document for row in known.values()}
    healthy = same_set and _healthy(searching)
    gone, moved = _differences(tables, known, current)
    report = _report(known, current, tuple(skipped), excluded)
    if healthy and not gone and not moved and tables.fact("report") == _standing(tables, report):
        _remove_old(tables, state_dir)  # a kill may have come between the last generation and its sweep
        return _counted(tables, report)  # nothing to write, so a full disk is no hindrance
    with tables.writing():
        _write_files(tables, gone, moved)
        if not healthy:
            _drop_unused(tables)
            _next_generation(tables, state_dir)
        tables.set_fact("report", _standing(tables, report))
        report = _counted(tables, report)
    if not healthy:
        _sweep(tables, state_dir)
    return report


def _read_changed(
    tables: Tables,
    root: Path,
    scan: Scan,
    known: dict[str, FileRow],
    parse: DocumentParser,
    now_ns: int,
    progress: ReadingProgress,
) -> tuple[list[_Current], list[SkippedFile]]:
    """Every file with its document; bytes seen before are not parsed again, and each batch is kept if we are killed."""
    current: list[_Current] = []
    unread: list[SkippedFile] = []
    waiting = list(reversed(scan.files))
    while waiting:
        with tables.writing():
            _read_batch(_Batch(tables, root, known, now_ns, waiting, unread, len(scan.files), progress), parse, current)
    return current, unread


@dataclass(slots=True)
class _Batch:
    """The next files in line, looked at one by one; who parses them may be some documents ahead of who stores them."""

    tables: Tables
    root: Path
    known: dict[str, FileRow]
    now_ns: int
    waiting: list[FoundFile]
    unread: list[SkippedFile]
    total: int
    progress: ReadingProgress
    looked_at: list[tuple[FoundFile, str, bool]] = field(default_factory=list)
    to_store: deque[tuple[str, str]] = field(default_factory=deque)
    seen: set[tuple[str, str]] = field(default_factory=set)

    def unseen(self) -> Iterator[tuple[bytes, str]]:
        """Bytes and path of each document that is not stored yet; its kind and hash go to `to_store`."""
        size = 0
        while self.waiting and size < _BATCH_BYTES:
            file = self.waiting.pop()
            self.progress(self.total - len(self.waiting), self.total)
            row = self.known.get(file.path)
            if row is not None and row.settled and row.fingerprint == file.fingerprint:
                self.looked_at.append((file, row.content_hash, True))
                continue
            data = read_found(self.root, file)
            if isinstance(data, str):
                self.unread.append(SkippedFile(path=file.path, reason=data))
                continue
            size += len(data) + 1000
            content_hash = sha256_hex(data)
            self.looked_at.append((file, content_hash, file.touched_ns < self.now_ns - _SETTLED_AFTER_NS))
            if (file.kind, content_hash) in self.seen or self.tables.document_id(content_hash, file.kind) is not None:
                continue
            self.seen.add((file.kind, content_hash))
            self.to_store.append((file.kind, content_hash))
            yield data, file.path


def _read_batch(batch: _Batch, parse: DocumentParser, current: list[_Current]) -> None:
    documents = batch.unseen()
    answers = parse.each(documents) if isinstance(parse, ReadsAhead) else (parse(*document) for document in documents)
    for answer in answers:
        batch.tables.add_document(*batch.to_store.popleft(), answer)
    for file, content_hash, settled in batch.looked_at:
        row = batch.known.get(file.path)
        if row is not None and row.settled and row.fingerprint == file.fingerprint:
            current.append(_Current(file, row.document, row.content_hash, row.refusal, True))
        else:
            current.append(_stored(batch.tables, file, content_hash, settled))


def _stored(tables: Tables, file: FoundFile, content_hash: str, settled: bool) -> _Current:
    document = tables.document_id(content_hash, file.kind)
    if document is None:
        raise StoreUnusable("a document that was read is not in the index")
    refusal = tables.link.execute("SELECT refusal FROM documents WHERE id = ?", (document,)).fetchone()[0]
    return _Current(file, document, content_hash, refusal, settled)


def _healthy(searching: Searching) -> bool:
    try:
        searching.check()
    except StoreUnusable:
        return False
    return True


def _differences(
    tables: Tables, known: dict[str, FileRow], current: list[_Current]
) -> tuple[list[str], list[_Current]]:
    """Stored paths that are gone, and files whose row has to be written."""
    kept = {c.file.path for c in current}
    # Rows of another derivation are not among the known ones, so the stored paths themselves are asked.
    stored = [row[0] for row in tables.link.execute("SELECT path FROM files ORDER BY path")]
    moved = []
    for c in current:
        row = known.get(c.file.path)
        if row is None or (row.fingerprint, row.settled, row.document) != (c.file.fingerprint, c.settled, c.document):
            moved.append(c)
    return [path for path in stored if path not in kept], moved


def _write_files(tables: Tables, gone: list[str], moved: list[_Current]) -> None:
    tables.link.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in gone))
    tables.link.executemany(
        "INSERT INTO files (path, fingerprint, settled, document) VALUES (?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET"
        " fingerprint = excluded.fingerprint, settled = excluded.settled, document = excluded.document",
        ((c.file.path, c.file.fingerprint, int(c.settled), c.document) for c in moved),
    )


def _drop_unused(tables: Tables) -> None:
    tables.link.execute("DELETE FROM passages WHERE document NOT IN (SELECT document FROM files)")
    tables.link.execute("DELETE FROM documents WHERE id NOT IN (SELECT document FROM files)")


def _next_generation(tables: Tables, state_dir: Path) -> None:
    """A whole new ranking: statistics that remember deleted documents would make the order depend on history."""
    generation = str(int(tables.fact("generation") or "0") + 1)
    manifest = build_ranking(generation_folder(state_dir, generation), _entries(tables))
    tables.set_fact("generation", generation)
    tables.set_fact("manifest", manifest)
    tables.set_fact("languages", " ".join(_languages(tables)))


def _languages(tables: Tables) -> list[str]:
    """The languages of the documents in force: a question is taken for each of them."""
    rows = tables.link.execute("SELECT DISTINCT language FROM documents WHERE refusal IS NULL")
    spoken = {str(row[0]) for row in rows}
    return [language for language in LANGUAGES if language in spoken] or [ENGLISH]


def _entries(tables: Tables) -> Iterator[Entry]:
    rows = tables.link.execute(
        "SELECT f.id, f.path, d.title, d.title_shown, p.words, d.language FROM files f"
        " CROSS JOIN documents d ON d.id = f.document CROSS JOIN passages p ON p.document = d.id"
        " WHERE d.refusal IS NULL ORDER BY f.path, p.place"
    )
    file_id = -1
    parts: list[str] = []
    for row in rows:
        if row[0] != file_id:
            if parts:
                yield Entry(file_id, "".join(parts))
            file_id = row[0]
            title = joined_words(words_of(row[2] or title_from_name(row[1]), row[5]))
            # The title counts twice; once stands in the text already where the text shows it.
            parts = [title] if row[3] else [title, title]
        parts.append(row[4])
    if parts:
        yield Entry(file_id, "".join(parts))


def _report(
    known: dict[str, FileRow],
    current: list[_Current],
    skipped: tuple[SkippedFile, ...],
    excluded: tuple[ExcludedFiles, ...],
) -> IndexReport:
    before = {row.path: row.content_hash for row in known.values() if row.refusal is None}
    after = {c.file.path: c.content_hash for c in current if c.refusal is None}
    both = before.keys() & after.keys()
    changed = sum(before[path] != after[path] for path in both)
    return IndexReport(
        documents=len(after),
        passages=0,
        added=len(after.keys() - before.keys()),
        changed=changed,
        removed=len(before.keys() - after.keys()),
        unchanged=len(both) - changed,
        skipped=skipped,
        excluded=excluded,
    )


def _counted(tables: Tables, report: IndexReport) -> IndexReport:
    """The report with the passages that are in force now."""
    passages = tables.link.execute(
        "SELECT count(*) FROM files f JOIN passages p ON p.document = f.document"
    ).fetchone()[0]
    return report.model_copy(update={"passages": passages})


def _standing(tables: Tables, report: IndexReport) -> str:
    """What a process that cannot refresh will be told: the same folder, nothing done."""
    still = {"added": 0, "changed": 0, "removed": 0, "unchanged": report.documents}
    return _counted(tables, report).model_copy(update=still).model_dump_json()


def _sweep(tables: Tables, state_dir: Path) -> None:
    """Removes old generations, and what the tables' log holds of them."""
    _remove_old(tables, state_dir)
    tables.link.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _remove_old(tables: Tables, state_dir: Path) -> None:
    """Removes generations that no reader opens any more; the one before stays for those that are just opening it."""
    remove_left_copies(state_dir)
    generation = int(tables.fact("generation") or "0")
    kept = {generation_folder(state_dir, str(number)).name for number in (generation, generation - 1)}
    for path in sorted(state_dir.glob("ranking-*")):
        if path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)
