"""`portcullis config check`: reads every setting as the server would, and says where each comes from."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from rich.console import Console

from ..kernel.errors import RequestInvalid
from ..system.provider_files import check_routing, read_providers
from ..system.reachable import LOOPBACK, check_reach
from ..system.setting_faults import settings_and_faults
from ..system.settings import Settings, ToldSetting, told_settings, unread_settings
from ..system.writable import unwritable
from .exits import Exit
from .options import ENVIRONMENTS
from .render import plain

__all__ = ["check_config"]


def check_config(config: Path | None, data_dir: Path | None, *, as_json: bool) -> Exit:
    """Read and judge the settings; nothing is opened and no key is shown.

    Raises:
        RequestInvalid: settings cannot be read or used; each of them is named.
    """
    settings, faults = settings_and_faults(config)
    if data_dir is not None:
        settings = Settings.model_validate({**settings.model_dump(), "data_dir": data_dir})
    found = [*faults, *_faults_together(settings)]
    if found:
        raise RequestInvalid(
            found[0] if len(found) == 1 else "\n".join((f"{len(found)} settings cannot be used:", *found))
        )
    told = told_settings(settings, config)
    read = [name for entry in read_providers().providers for name in (*entry.settings, *entry.optional)]
    unread = unread_settings(told, read, config)
    for name in unread:
        sys.stderr.write(f"nothing here reads {name}: is it misspelt, or for a tool of your own?\n")
    if as_json:
        shown = {"settings": [one.model_dump(mode="json") for one in told], "unread": unread}
        sys.stdout.write(json.dumps(shown) + "\n")
        return Exit.GROUNDED
    _print(told)
    return Exit.GROUNDED


def _faults_together(settings: Settings) -> Iterator[str]:
    """What is wrong with settings that can be read one by one."""
    if settings.environment not in ENVIRONMENTS:
        yield f"environment `{settings.environment}` is not one of {', '.join(ENVIRONMENTS)}"
    table, serve = read_providers(), settings.serve
    for pair in settings.search_routing:
        alone = Settings(data_dir=settings.data_dir, search_routing=(pair,))
        yield from _fault_of(partial(check_routing, table, alone))
    if (serve.host not in LOOPBACK or serve.names) and settings.environment == "dev":
        yield "beyond loopback, or with names, `dev` is refused: set `env` to prod or staging"
    yield from _fault_of(partial(check_reach, serve.host, serve.names, "`[serve] names` or PORTCULLIS_SERVE_NAMES"))
    why = unwritable(settings.data_dir) if settings.data_dir.exists() else ""
    if why:
        yield f"data folder `{settings.data_dir}` cannot be used: {why}"


def _fault_of(check: Callable[[], object]) -> Iterator[str]:
    try:
        check()
    except RequestInvalid as exc:
        yield str(exc)


def _print(told: tuple[ToldSetting, ...]) -> None:
    console = Console(highlight=False)
    width = max(len(one.variable) for one in told)
    for one in told:
        console.print(plain(f"{one.variable:<{width}}  {one.value or '-'}  ({one.origin})"), soft_wrap=True)
