"""The nouns of the document index: passages with exact offsets, and what an indexing run did."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .models import Digest, FrozenModel, Identifier, Text

__all__ = [
    "Collection",
    "DocumentHit",
    "ExcludedFiles",
    "FlaggedFile",
    "IndexReport",
    "SkippedFile",
    "passage_metadata",
]


class Collection(FrozenModel):
    """A folder of documents under a name, where its index is kept, and who may read it."""

    name: Identifier
    folder: Text
    state_dir: Text
    tenant: Identifier | None = None
    """The one tenant that may read it; None where every tenant of the gate may."""


class DocumentHit(FrozenModel):
    """A passage: `text` is exactly the stored text's slice from `start` to `end`."""

    path: Text
    title: Text
    heading: Text
    columns: Text = ""
    """The headings of the columns of the table in which it begins below them."""
    text: Text
    start: Annotated[int, Field(ge=0)]
    end: Annotated[int, Field(ge=0)]
    content_hash: Digest
    text_hash: Digest
    hidden: tuple[Text, ...] = ()
    edges: tuple[Text, ...] = ()
    """The text round each end of the passage: a cut may part words that belong together."""
    carriers_removed: int = 0
    score_milli: int
    coverage_milli: Annotated[int, Field(ge=0, le=1000)]
    """Share of the question's weighted words that stand in the passage, its title and headings."""
    respelled: tuple[tuple[Text, Text], ...] = ()
    """Words of the question that no document holds, each with the nearest word that was looked for instead."""


def passage_metadata(heading: str, columns: str, path: str) -> tuple[tuple[str, str], ...]:
    """What a passage's item says of its place; columns only where it begins below the headings of a table."""
    return (*((("columns", columns),) if columns else ()), ("heading", heading), ("path", path))


class SkippedFile(FrozenModel):
    """A file that did not enter the index, and the named reason."""

    path: Text
    reason: str


class ExcludedFiles(FrozenModel):
    """A pattern that the operator leaves out of the index, and how many files it names now."""

    pattern: Text
    files: int


class FlaggedFile(FrozenModel):
    """A file in which the screen finds a directive: which rule, how often, and where first; never the words."""

    path: Text
    rule_id: Identifier
    part: str
    """`body` counts in the stored text of the document; other parts count in themselves."""
    start: int
    end: int
    findings: int


class IndexReport(FrozenModel):
    """What one refresh did."""

    documents: int
    passages: int
    added: int
    changed: int
    removed: int
    unchanged: int
    skipped: tuple[SkippedFile, ...]
    excluded: tuple[ExcludedFiles, ...] = ()
    flagged: tuple[FlaggedFile, ...] = ()
    """Only where the files were screened, as `portcullis index` does."""
