"""Looks through the stored documents with the screen that sessions have, so that a flagged file is known beforehand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError

from ....kernel.canonical import sha256_hex
from ....kernel.document_index import FlaggedFile, passage_metadata
from ....kernel.results import Finding, RawItem, RawResult, SourceKind
from ....parsing.document import title_from_name
from ....screen.carriers import strip_carriers
from .index_tables import Tables

__all__ = ["EDGE", "DocumentScreen", "flagged_files"]

EDGE: Final = 200
"""As wide as the edges that a search hands to the screen with a passage; a test compares."""
_AT_ONCE: Final = 64  # passages, so that a document of any length takes bounded memory
_TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS screened (path TEXT PRIMARY KEY, seen TEXT NOT NULL, flagged TEXT NOT NULL)"
    " WITHOUT ROWID"
)
_FILES: Final = (
    "SELECT f.path, f.document, d.content_hash, d.kind, d.derivation FROM files f JOIN documents d ON d.id = f.document"
    " WHERE d.refusal IS NULL ORDER BY f.path"
)
_FLAGGED: Final = TypeAdapter(tuple[FlaggedFile, ...])

DocumentScreen = Callable[[RawResult], tuple[Finding, ...]]


@dataclass(frozen=True, slots=True)
class _ItemPlace:
    """Where the parts of one screened item stand in their document."""

    start: int
    hidden: int
    edges: tuple[int, ...]

    def of(self, part: str, start: int) -> tuple[str, int]:
        """The part and the offset as an operator reads them; what an edge holds is a place of the body."""
        if part == "body":
            return part, self.start + start
        name, _, number = part.partition(".")
        if name == "hidden" and int(number) >= self.hidden:
            return "body", self.edges[int(number) - self.hidden] + start
        return part, start


def flagged_files(tables: Tables, screen: DocumentScreen, rules: str) -> tuple[FlaggedFile, ...]:
    """Every file with a directive, by rule and part; a file that was screened by these rules is not screened again."""
    with tables.writing():
        tables.link.execute(_TABLE)
    known = {row[0]: (row[1], row[2]) for row in tables.link.execute("SELECT path, seen, flagged FROM screened")}
    flagged: list[FlaggedFile] = []
    files = tables.link.execute(_FILES).fetchall()
    for path, document, content_hash, kind, derivation in files:
        seen = f"{rules}:{content_hash}:{kind}:{derivation}"
        found = _remembered(known.get(path), seen)
        if found is None:
            found = _screened(tables, path, document, screen)
            with tables.writing():
                row = (path, seen, _FLAGGED.dump_json(found).decode())
                tables.link.execute("INSERT OR REPLACE INTO screened (path, seen, flagged) VALUES (?, ?, ?)", row)
        flagged.extend(found)
    with tables.writing():
        tables.link.execute("DELETE FROM screened WHERE path NOT IN (SELECT path FROM files)")
    return tuple(flagged)


def _remembered(row: tuple[str, str] | None, seen: str) -> tuple[FlaggedFile, ...] | None:
    if row is None or row[0] != seen:
        return None
    try:
        return _FLAGGED.validate_json(row[1])
    except ValidationError:
        return None


def _screened(tables: Tables, path: str, document: int, screen: DocumentScreen) -> tuple[FlaggedFile, ...]:
    found: dict[tuple[str, str], tuple[int, int]] = {}
    seen: set[tuple[str, str, int]] = set()
    for batch in _batches(tables, path, document):
        items = tuple(item for item, _ in batch)
        for finding in screen(RawResult(status="ok", items=items)):
            position, _, part = finding.part.removeprefix("items.").partition(".")
            part, start = batch[int(position)][1].of(part, finding.start)
            seen.add((finding.rule_id, part, start))
            first = found.get((finding.rule_id, part))
            if first is None or start < first[0]:
                found[finding.rule_id, part] = (start, start + finding.end - finding.start)
    return tuple(
        FlaggedFile(
            path=path,
            rule_id=rule_id,
            part=part,
            start=start,
            end=end,
            findings=sum(one[:2] == (rule_id, part) for one in seen),
        )
        for (rule_id, part), (start, end) in sorted(found.items())
    )


def _batches(tables: Tables, path: str, document: int) -> Iterator[list[tuple[RawItem, _ItemPlace]]]:
    """The passages of a document as a session's tool would hand them over, some at a time."""
    row = tables.link.execute("SELECT title, text, hidden FROM documents WHERE id = ?", (document,)).fetchone()
    title, text, hidden = row[0] or title_from_name(path), row[1], tuple(json.loads(row[2]))
    passages = tables.link.execute(
        "SELECT start, stop, heading, columns FROM passages WHERE document = ? ORDER BY place", (document,)
    ).fetchall()
    batch: list[tuple[RawItem, _ItemPlace]] = []
    for number, (start, stop, heading, columns) in enumerate(passages):
        own = hidden if number == 0 else ()
        windows = [(max(0, cut - EDGE), cut + EDGE) for cut in (start, stop)]
        edges = [(low, strip_carriers(text[low:high]).text) for low, high in windows]
        body = text[start:stop]
        shown = [(low, edge) for low, edge in edges if edge not in body]
        digest = sha256_hex(body.encode())
        item = RawItem(
            kind=SourceKind.PASSAGE,
            locator="doc:documents/-",
            title=title,
            body=body,
            metadata=passage_metadata(heading, columns, path),
            content_hash=digest,
            text_hash=digest,
            hidden=(*own, *(edge for _, edge in shown)),
        )
        batch.append((item, _ItemPlace(start, len(own), tuple(low for low, _ in shown))))
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch
