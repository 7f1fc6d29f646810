"""The catalogue as types: the tools that the adapter may call, with price, deadline, size and locator schemes (R22)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from .models import FrozenModel, Identifier

__all__ = ["CATALOG_VERSION", "FORBIDDEN_SCHEMES", "Effect", "ToolEntry", "ToolTable", "stricter"]

CATALOG_VERSION: Final = 1
"""The layout of the catalogue's files that this code reads; a newer one is refused."""
FORBIDDEN_SCHEMES: Final = (
    "about", "blob", "chrome", "data", "file", "filesystem", "intent", "jar", "javascript", "resource", "search-ms",
    "vbscript", "view-source",
)  # fmt: skip
"""Schemes that act when they are followed, or point into the reader's own machine."""
Effect = Literal["none", "local_write", "external_write"]
_EFFECTS: Final[tuple[Effect, ...]] = ("none", "local_write", "external_write")


def _harmless(scheme: str) -> str:
    if scheme in FORBIDDEN_SCHEMES or scheme.startswith("ms-"):
        raise ValueError(f"the scheme `{scheme}` is never a locator")
    return scheme


Scheme = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9+.-]{0,30}$"), AfterValidator(_harmless)]


class ToolEntry(FrozenModel):
    """One allowed tool: its price in units per call, its own deadline, how much it may hand over, what it may cite."""

    name: Identifier
    price_units: Annotated[int, Field(ge=1, le=1_000_000)]
    own_deadline_ms: Annotated[int, Field(ge=1, le=3_600_000)]
    max_output_bytes: Annotated[int, Field(ge=1, le=100_000_000)]
    effect: Effect
    schemes: Annotated[tuple[Scheme, ...], Field(min_length=1)] = ("http", "https")
    """What the locators of its items may begin with."""


class ToolTable(FrozenModel):
    """`catalog/tools.json`: the allowed tools, in order."""

    catalog_version: Annotated[int, Field(ge=1, le=CATALOG_VERSION)]
    tools: tuple[ToolEntry, ...]

    @model_validator(mode="after")
    def _unique(self) -> ToolTable:
        if len({tool.name for tool in self.tools}) != len(self.tools):
            raise ValueError("a tool is listed twice")
        return self

    def entry(self, name: str) -> ToolEntry | None:
        """The entry of a tool, if it is allowed at all."""
        return next((tool for tool in self.tools if tool.name == name), None)


def stricter(one: ToolEntry, other: ToolEntry) -> ToolEntry | None:
    """The terms that satisfy both entries of one tool: the dearer price, the smaller limits, the common schemes.

    None where they have no scheme in common: such a tool could cite nothing.
    """
    common = tuple(scheme for scheme in one.schemes if scheme in other.schemes)
    if not common:
        return None
    return ToolEntry(
        name=one.name,
        price_units=max(one.price_units, other.price_units),
        own_deadline_ms=min(one.own_deadline_ms, other.own_deadline_ms),
        max_output_bytes=min(one.max_output_bytes, other.max_output_bytes),
        effect=max(one.effect, other.effect, key=_EFFECTS.index),
        schemes=common,
    )
