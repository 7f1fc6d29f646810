"""`portcullis config check`: reads every setting as the server would, and says where each comes from."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from rich.console import Console

from ..kernel.errors import RequestInvalid
from ..system.provider_files import check_routing, read_providers
from ..system.settings import ToldSetting, told_settings
from ..system.writable import unwritable
from .exits import Exit
from .options import ENVIRONMENTS, chosen_settings
from .render import plain

__all__ = ["check_config"]

_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


def check_config(config: Path | None, data_dir: Path | None, *, as_json: bool) -> Exit:
    """Read and judge the settings; nothing is opened and no key is shown.

    Raises:
        RequestInvalid: a setting cannot be read or used; it is named.
    """
    settings = chosen_settings(data_dir, None, config)
    told = told_settings(settings, config)
    if settings.environment not in ENVIRONMENTS:
        raise RequestInvalid(f"environment `{settings.environment}` is not one of {', '.join(ENVIRONMENTS)}")
    check_routing(read_providers(), settings)
    local = settings.serve.host in _LOOPBACK and not settings.serve.names
    if not local and settings.environment == "dev":
        raise RequestInvalid("beyond loopback, or with names, `dev` is refused: set `env` to prod or staging")
    why = unwritable(settings.data_dir) if settings.data_dir.exists() else ""
    if why:
        raise RequestInvalid(f"data folder `{settings.data_dir}` cannot be used: {why}")
    if as_json:
        sys.stdout.write(json.dumps({"settings": [one.model_dump(mode="json") for one in told]}) + "\n")
        return Exit.GROUNDED
    _print(told)
    return Exit.GROUNDED


def _print(told: tuple[ToldSetting, ...]) -> None:
    console = Console(highlight=False)
    width = max(len(one.variable) for one in told)
    for one in told:
        console.print(plain(f"{one.variable:<{width}}  {one.value or '-'}  ({one.origin})"), soft_wrap=True)
