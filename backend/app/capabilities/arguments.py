"""Field types that several inputs share."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from ..kernel.models import Identifier, Text
from ..kernel.request import QUESTION_CHARS_MAX

__all__ = ["Limit", "OwnedCollection", "Question"]


def _asked(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text


Question = Annotated[Text, Field(max_length=QUESTION_CHARS_MAX), AfterValidator(_asked)]
OwnedCollection = Identifier
"""Documents are somebody's: who asks for them names the collection, so that it can be refused."""
Limit = Annotated[int, Field(ge=1, le=20)]
