"""Digital object identifiers: found in the spellings that services and people use, and as a URL."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["doi_of", "doi_url"]

_DOI: Final = re.compile(r"(?i)(?:https?://(?:dx\.|www\.)?doi\.org/|doi:\s*)?(10\.\d{4,9}/\S{1,500})")
_ESCAPED: Final = re.compile(r"[^A-Za-z0-9/._~;()!$&'*+,:@=-]")


def doi_of(text: str) -> str:
    """The bare identifier, `10.…/…`; empty where the text is not one."""
    found = _DOI.fullmatch(text.strip())
    return found.group(1) if found else ""


def doi_url(doi: str) -> str:
    """Where a DOI leads, with everything escaped that would end or change the path."""
    return "https://doi.org/" + _ESCAPED.sub(lambda one: "".join(f"%{byte:02X}" for byte in one[0].encode()), doi)
