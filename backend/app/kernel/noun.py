"""The base of every frozen type, and text that is sure to be encodable."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints

__all__ = ["Digest", "Identifier", "Noun", "Text"]


class Noun(BaseModel):
    """A value: frozen, closed to unknown fields, strict about types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _well_formed(text: str) -> str:
    """Lone surrogates cannot be hashed, stored or shown, so they never become a value."""
    if not text.isascii():
        text.encode("utf-8")  # a UnicodeEncodeError is a ValueError: pydantic reports the field
    return text


Text = Annotated[str, AfterValidator(_well_formed)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
