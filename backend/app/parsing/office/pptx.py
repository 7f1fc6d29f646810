"""Reads a PPTX: the slides in their order, titles as headings; speaker notes and hidden slides as hidden parts."""

from __future__ import annotations

import re
from posixpath import normpath
from typing import Final

from ..refusal import ParseRefused, Refusal
from ..text.document_parts import DocumentParts
from ..text.outline import Outline
from ..text.xml_events import read_xml
from .archives import OfficeArchive
from .docx import core_title

__all__ = ["read_pptx"]

_PRESENTATION: Final = "ppt/presentation.xml"
_RELATIONS: Final = "ppt/_rels/presentation.xml.rels"
_ASIDE: Final = re.compile(r"ppt/(?:notesSlides/notesSlide\d+|comments/\w+)\.xml")
_TITLES: Final = ("title", "ctrTitle")
_MOST_SLIDES: Final = 2_000


def read_pptx(data: bytes) -> DocumentParts:
    """The presentation.

    Raises:
        ParseRefused: it is none, damaged, encrypted or a bomb.
    """
    archive = OfficeArchive(data)
    if archive.part(_PRESENTATION) is None:
        raise ParseRefused(Refusal.UNREADABLE)
    outline = Outline()
    for name in _slides(archive)[:_MOST_SLIDES]:
        slide = _Slide()
        read_xml(archive.part(name) or b"", slide)
        for text, level in slide.blocks:
            if slide.hidden:
                outline.hidden.add(text)
            else:
                outline.block(text, level)
    for name in archive.names:
        if _ASIDE.fullmatch(name):
            aside = _Slide()
            read_xml(archive.part(name) or b"", aside)
            for text, _ in aside.blocks:
                outline.hidden.add(text)
    return outline.sketch(core_title(archive))


class _Order:
    """The relation ids of the slides, in order."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if _local(name) == "sldId":
            self.ids.extend(value for key, value in attributes.items() if key.endswith(" id"))

    def end(self, name: str) -> None:
        return

    def text(self, text: str) -> None:
        return


class _Relations:
    """What each relation id leads to."""

    def __init__(self) -> None:
        self.targets: dict[str, str] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if _local(name) == "Relationship" and attributes.get("TargetMode") != "External":
            target = attributes.get("Target", "")
            place = target.lstrip("/") if target.startswith("/") else f"ppt/{target}"
            self.targets[attributes.get("Id", "")] = normpath(place)

    def end(self, name: str) -> None:
        return

    def text(self, text: str) -> None:
        return


class _Slide:
    """The paragraphs of a slide; those of its title are headings."""

    def __init__(self) -> None:
        self.blocks: list[tuple[str, int]] = []
        self.hidden = False
        self._level = 0
        self._paragraph: list[str] = []
        self._said = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match _local(name):
            case "sld":
                self.hidden = attributes.get("show", "1") in ("0", "false")
            case "sp":
                self._level = 0
            case "ph":
                self._level = 2 if attributes.get("type") in _TITLES else 0
            case "p":
                self._paragraph = []
            case "t" | "text":
                self._said = True
            case "br":
                self._paragraph.append("\n")

    def end(self, name: str) -> None:
        match _local(name):
            case "t":
                self._said = False
            case "p" | "text":
                self._said = False
                self.blocks.append(("".join(self._paragraph), self._level))
                self._paragraph = []

    def text(self, text: str) -> None:
        if self._said:
            self._paragraph.append(text)


def _slides(archive: OfficeArchive) -> list[str]:
    order, relations = _Order(), _Relations()
    read_xml(archive.part(_PRESENTATION) or b"", order)
    read_xml(archive.part(_RELATIONS) or b"<none/>", relations)
    named = (relations.targets.get(one, "") for one in order.ids)
    return [name for name in dict.fromkeys(named) if name in archive.names]


def _local(name: str) -> str:
    return name.rpartition(" ")[2]
