"""A question with its mistyped words as the documents spell them."""

from __future__ import annotations

import re
from typing import Final

from ...kernel.results import Source

__all__ = ["as_spelled"]

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")


def as_spelled(question: str, source: Source) -> str:
    """The question that a source was found with: each word that was looked for in another spelling in that spelling."""
    spelled = dict(source.respelled)
    return _WORD.sub(lambda word: spelled.get(word[0].lower(), word[0]), question) if spelled else question
