"""Everything that is wrong with the settings: each one is judged by itself, so that no fault hides another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..kernel.errors import RequestInvalid
from .config_file import CONFIG_VARIABLE, config_faults
from .settings import Settings, settings_from, variables

__all__ = ["settings_and_faults"]

_OURS: Final = "PORTCULLIS_"
# These say one thing together.
_MODEL: Final = "PORTCULLIS_MODEL_"


def settings_and_faults(
    config: Path | None = None, environ: Mapping[str, str] | None = None
) -> tuple[Settings, tuple[str, ...]]:
    """The settings without those that cannot be used, and what is wrong with each of these.

    Raises:
        RequestInvalid: the configuration file cannot be read at all.
    """
    given = variables() if environ is None else dict(environ)
    named = given.pop(CONFIG_VARIABLE, "").strip()
    place = config or (Path(named) if named else None)
    in_file, faults = config_faults(place) if place is not None else ({}, ())
    given = {**in_file, **given}
    ours = sorted(name for name in given if name.startswith(_OURS))
    model = tuple(name for name in ours if name.startswith(_MODEL))
    groups = [(name,) for name in ours if name not in model]
    told = list(faults)
    for group in (*groups, model):
        try:
            settings_from({name: given[name] for name in group})
        except RequestInvalid as exc:
            told.append(str(exc))
            for name in group:
                del given[name]
    return settings_from(given), tuple(dict.fromkeys(told))
