"""The base of every frozen type, and text that is sure to be encodable."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)
from pydantic.alias_generators import to_camel

__all__ = ["Digest", "FrozenModel", "Identifier", "Text", "WireModel"]


class FrozenModel(BaseModel):
    """A value: frozen, closed to unknown fields, strict about types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class WireModel(FrozenModel):
    """A value as the specifications of the doors shape it: camel case, and nothing where there is none."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True, serialize_by_alias=True)

    @model_serializer(mode="wrap")
    def _without_nothing(self, serialised: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in serialised(self).items() if value is not None}


def _well_formed(text: str) -> str:
    """Lone surrogates cannot be hashed, stored or shown, so they never become a value."""
    text.encode("utf-8")  # a UnicodeEncodeError is a ValueError: pydantic reports the field
    return text


Text = Annotated[str, AfterValidator(_well_formed)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
