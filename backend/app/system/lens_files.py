"""Lenses: named lists of sites that a search can be restricted to, one file of the catalogue each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, StringConstraints, ValidationError

from ..kernel.errors import ContractViolation
from ..kernel.faults import first_fault
from ..kernel.models import FrozenModel, Text
from ..kernel.providers import ProviderName
from .catalog_files import catalog_dir

__all__ = ["LENS_FOLDER", "Lens", "lens_engine_setting", "read_lenses"]

LENS_FOLDER: Final = "lenses"
_Site = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}$")]


class Lens(FrozenModel):
    """One lens: what it is for, and the sites that it keeps."""

    name: ProviderName
    title: Text
    description: Text
    sites: Annotated[tuple[_Site, ...], Field(min_length=1, max_length=20)]
    cx: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9:_-]{0,100}$")] = ""
    """A Google engine of its own; the setting of the lens comes before it."""


def read_lenses(folder: Path | None = None) -> tuple[Lens, ...]:
    """Every lens, by name.

    Raises:
        ContractViolation: a file cannot be read, is not valid, or is named after another lens.
    """
    found: list[Lens] = []
    for path in sorted(((folder or catalog_dir()) / LENS_FOLDER).glob("*.json")):
        try:
            lens = Lens.model_validate_json(path.read_bytes())
        except OSError as exc:
            raise ContractViolation(f"{LENS_FOLDER}/{path.name} of the catalogue cannot be read") from exc
        except ValidationError as exc:
            where, said = first_fault(exc)
            raise ContractViolation(f"{LENS_FOLDER}/{path.name} of the catalogue: {where or 'it'}: {said}") from exc
        if lens.name != path.stem:
            raise ContractViolation(f"{LENS_FOLDER}/{path.name} of the catalogue: its name is `{lens.name}`")
        found.append(lens)
    return tuple(found)


def lens_engine_setting(name: str) -> str:
    """The setting that holds the Google engine of a lens."""
    return f"PORTCULLIS_KEY_GOOGLE_CSE_ID_{name.upper()}"
