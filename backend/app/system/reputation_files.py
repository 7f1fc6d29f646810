"""What is known about the reliability of hosts: a table of the catalogue, each entry with its basis."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, ValidationError, model_validator

from ..kernel.catalog import CATALOG_VERSION
from ..kernel.errors import ContractViolation
from ..kernel.faults import first_fault
from ..kernel.models import FrozenModel, Text
from .catalog_files import catalog_dir

__all__ = ["REPUTATION_FILE", "HostReputation", "ReputationTable", "read_reputation"]

REPUTATION_FILE: Final = "reputation.json"
_Host = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}$")]


class HostReputation(FrozenModel):
    """Hosts of one tier on one basis; a host covers everything below it."""

    tier: Literal["high", "mixed", "low"]
    basis: Text
    hosts: Annotated[tuple[_Host, ...], Field(min_length=1)]


class ReputationTable(FrozenModel):
    """`reputation.json`; a host that is not there is unknown, which is not a judgement."""

    catalog_version: Annotated[int, Field(ge=1, le=CATALOG_VERSION)]
    entries: tuple[HostReputation, ...]

    @model_validator(mode="after")
    def _unique(self) -> ReputationTable:
        hosts = [host for entry in self.entries for host in entry.hosts]
        if len(set(hosts)) != len(hosts):
            raise ValueError("a host is listed twice")
        return self

    def by_host(self) -> Mapping[str, HostReputation]:
        """The entry of every host."""
        return {host: entry for entry in self.entries for host in entry.hosts}


def read_reputation(folder: Path | None = None) -> ReputationTable:
    """The table.

    Raises:
        ContractViolation: it cannot be read or is not valid.
    """
    try:
        return ReputationTable.model_validate_json(((folder or catalog_dir()) / REPUTATION_FILE).read_bytes())
    except OSError as exc:
        raise ContractViolation(f"{REPUTATION_FILE} of the catalogue cannot be read") from exc
    except ValidationError as exc:
        where, said = first_fault(exc)
        raise ContractViolation(f"{REPUTATION_FILE} of the catalogue: {where or 'it'}: {said}") from exc
