"""Settings: what an operator can choose, read from the environment once, at the top of the house."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator

from ..kernel.errors import RequestInvalid
from ..kernel.noun import Noun

__all__ = ["Settings", "settings_from"]

_OFF: Final = ("0", "off", "false", "no")
_ON: Final = ("1", "on", "true", "yes")


class Settings(Noun):
    """Where data lives and which environment this is; caps are not settings (R13)."""

    data_dir: Annotated[Path, AfterValidator(Path.absolute)]
    environment: str = "dev"
    research_enabled: bool = True


def settings_from(environ: Mapping[str, str] | None = None) -> Settings:
    """Read `PORTCULLIS_DATA`, `PORTCULLIS_ENV` and `PORTCULLIS_RESEARCH`.

    Raises:
        RequestInvalid: the switch has a value that is neither on nor off.
    """
    given = os.environ if environ is None else environ
    switch = given.get("PORTCULLIS_RESEARCH", "on").strip().lower()
    if switch not in (*_ON, *_OFF):
        raise RequestInvalid("PORTCULLIS_RESEARCH must be `on` or `off`")
    home = given.get("XDG_DATA_HOME") or str(Path(given.get("HOME") or Path.home()) / ".local" / "share")
    return Settings(
        data_dir=Path(given.get("PORTCULLIS_DATA") or Path(home) / "portcullis"),
        environment=given.get("PORTCULLIS_ENV") or "dev",
        research_enabled=switch in _ON,
    )
