"""What a worker is: whose tool it builds, and how much it may use."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from ...kernel.noun import Noun, Text

__all__ = ["WorkerSpec"]


class WorkerSpec(Noun):
    """A tool for worker processes: `factory(config)` is called once in each and returns a blocking function."""

    factory: Annotated[Text, StringConstraints(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")]
    config: Text = ""
    memory_limit_bytes: Annotated[int, Field(ge=1)] = 1 << 30
    """Address space, so mapped files and thread stacks count too."""
    max_workers: Annotated[int, Field(ge=1)] = 4
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that the machine needs (a library path, say); the host's own environment is never passed on."""
