"""Reads a DOCX: paragraphs, headings and tables in order; comments, deletions and unseen runs as hidden parts."""

from __future__ import annotations

import re
from typing import Final

from ..refusal import ParseRefused, Refusal
from ..text.document_parts import DocumentParts
from ..text.outline import Outline
from ..text.xml_events import read_xml
from .archives import OfficeArchive

__all__ = ["core_title", "read_docx"]

_W: Final = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main ",
    "http://purl.oclc.org/ooxml/wordprocessingml/main ",
)
_HEADING: Final = re.compile(r"(?i)heading\s*([1-9])|(title)$")
_SMALLEST_HALF_POINTS: Final = 4
_WHITE: Final = frozenset({"ffffff", "fefefe", "fdfdfd"})
_DOCUMENT: Final = "word/document.xml"
# Beside the page: said to some readers, or on every page again.
_BESIDE: Final = re.compile(r"word/(?:comments\w*|header\d*|footer\d*)\.xml")
_NOTES: Final = ("word/footnotes.xml", "word/endnotes.xml")


def read_docx(data: bytes) -> DocumentParts:
    """The document.

    Raises:
        ParseRefused: it is none, damaged, encrypted or a bomb.
    """
    archive = OfficeArchive(data)
    body = archive.part(_DOCUMENT)
    if body is None:
        raise ParseRefused(Refusal.UNREADABLE)
    outline = Outline()
    levels = _heading_levels(archive)
    read_xml(body, _Story(outline, levels))
    for name in _NOTES:
        notes = archive.part(name)
        if notes is not None:
            read_xml(notes, _Story(outline, {}))
    for name in archive.names:
        if _BESIDE.fullmatch(name):
            aside = _Story(Outline(), {})
            read_xml(archive.part(name) or b"", aside)
            outline.hidden.add(aside.outline.sketch().text)
            for part in aside.outline.hidden.frozen():
                outline.hidden.add(part)
    return outline.sketch(core_title(archive))


def core_title(archive: OfficeArchive) -> str:
    """The title that an office document carries in its properties."""
    core = archive.part("docProps/core.xml")
    if core is None:
        return ""
    properties = _Title()
    read_xml(core, properties)
    return properties.title


class _Title:
    """Takes the text of `title`."""

    def __init__(self) -> None:
        self.title = ""
        self._inside = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._inside = name.endswith(" title")

    def end(self, name: str) -> None:
        self._inside = False

    def text(self, text: str) -> None:
        if self._inside:
            self.title += text


class _Styles:
    """Heading levels by the id of a style; ids are translated in other languages, names are not."""

    def __init__(self) -> None:
        self.levels: dict[str, int] = {}
        self._id = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match _local(name):
            case "style":
                self._id = _attribute(attributes, "styleId")
            case "name" if self._id:
                level = _level(_attribute(attributes, "val"))
                if level:
                    self.levels[self._id] = level

    def end(self, name: str) -> None:
        if _local(name) == "style":
            self._id = ""

    def text(self, text: str) -> None:
        return


class _Story:
    """One stream of paragraphs."""

    def __init__(self, outline: Outline, levels: dict[str, int]) -> None:
        self.outline = outline
        self._levels = levels
        self._paragraph: list[str] = []
        self._level = 0
        self._unseen = False
        self._said = ""  # the element whose text is said: `t` or `delText`
        self._run = False
        self._cells: list[list[str]] = []
        self._tables = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        value = _attribute(attributes, "val").lower()
        match _local(name):
            case "p":
                self._paragraph, self._level = [], 0
            case "pStyle":
                style = _attribute(attributes, "val")
                self._level = self._levels.get(style) or _level(style)
            case "r":
                self._run, self._unseen = True, False
            case "vanish" | "webHidden" | "specVanish" if self._run and value not in ("0", "false"):
                self._unseen = True
            case "color" if self._run and value in _WHITE:
                self._unseen = True
            case "sz" if self._run and value.isdigit() and int(value[:9]) < _SMALLEST_HALF_POINTS:
                self._unseen = True
            case "t" | "delText" | "instrText" as said:
                self._said = said
            case "tab" if self._run:
                self._paragraph.append(" ")
            case "br" | "cr" if self._run:
                self._paragraph.append("\n")
            case "tbl":
                self._tables += 1
            case "tr" if self._tables == 1:
                self._cells = []
            case "tc" if self._tables == 1:
                self._cells.append([])

    def end(self, name: str) -> None:
        match _local(name):
            case "t" | "delText" | "instrText":
                self._said = ""
            case "r":
                self._run = self._unseen = False
            case "p":
                self._close_paragraph()
            case "tr" if self._tables == 1:
                self.outline.block(" | ".join(" ".join(cell) for cell in self._cells))
                self._cells = []
            case "tbl":
                self._tables -= 1

    def text(self, text: str) -> None:
        if self._said == "t" and not self._unseen:
            self._paragraph.append(text)
        elif self._said:
            self.outline.hidden.add(text)

    def _close_paragraph(self) -> None:
        text = "".join(self._paragraph)
        self._paragraph = []
        if self._tables and self._cells:
            # A cell, or a table inside a cell: one line of its row.
            self._cells[-1].append(" ".join(text.split()))
        else:
            self.outline.block(text, self._level)


def _heading_levels(archive: OfficeArchive) -> dict[str, int]:
    styles = archive.part("word/styles.xml")
    if styles is None:
        return {}
    reader = _Styles()
    read_xml(styles, reader)
    return reader.levels


def _level(style: str) -> int:
    found = _HEADING.match(style)
    if found is None:
        return 0
    return int(found.group(1)) if found.group(1) else 1


def _local(name: str) -> str:
    """The local name of a word-processing element; others mean nothing here."""
    return next((name.removeprefix(space) for space in _W if name.startswith(space)), "")


def _attribute(attributes: dict[str, str], name: str) -> str:
    return next((attributes[space + name] for space in _W if space + name in attributes), "")
