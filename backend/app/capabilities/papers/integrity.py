"""The recorded integrity of a work: retractions, expressions of concern and corrections, as registers tell them."""

from __future__ import annotations

import re
from typing import Final

from ...kernel.models import WireModel
from ...parsing.services.dois import doi_of

__all__ = ["RetractionStatus", "retraction_status"]

_RETRACTIONS: Final = ("removal", "retraction", "withdrawal", "partial_retraction")
_DATE: Final = re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}")
_SOURCES: Final = ("publisher", "retraction-watch")


class RetractionStatus(WireModel):
    """What a register says about a work; a correction or a concern is no retraction."""

    retracted: bool
    type: str
    date: str | None = None
    notice_doi: str | None = None
    source: str | None = None


def retraction_status(facts: tuple[tuple[str, str], ...]) -> RetractionStatus | None:
    """The gravest notice among the facts of a work; None where there is none."""
    notices = [_notice(value) for name, value in facts if name == "updated_by"]
    worst = next((one for one in notices if one.retracted), notices[0] if notices else None)
    if worst is not None and worst.retracted:
        return worst
    if ("retracted", "true") in facts:
        notice = next((doi_of(value) for name, value in facts if name == "retraction_notice" and doi_of(value)), "")
        return RetractionStatus(retracted=True, type="retraction", notice_doi=notice or None)
    return worst


def _notice(text: str) -> RetractionStatus:
    """`type doi date source`, as far as each is known."""
    kind, *rest = text.split() or [""]
    name = kind.replace("-", "_").lower()
    return RetractionStatus(
        retracted=name.startswith(_RETRACTIONS),
        type=name,
        date=next((part for part in rest if _DATE.fullmatch(part)), None),
        notice_doi=next((doi_of(part) for part in rest if doi_of(part)), None),
        source=next((part for part in rest if part in _SOURCES), None),
    )
