"""Whether a question may go to the web, and one line on how to set that up where it may not."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from rich.console import Console

from ..system.settings import Settings
from .render import print_wrapped

__all__ = ["print_way_to_the_web", "web_is_set_up"]

_WEB: Final = "web"
_TOLD: Final = "web-told"
_WAY: Final = (
    "documents only: no provider for the web is set up; without a key: PORTCULLIS_URL_SEARXNG=<your own SearXNG>, "
    "or PORTCULLIS_SEARCH_ROUTING=web=wikipedia"
)


def web_is_set_up(settings: Settings) -> bool:
    """True if the operator lets a provider be asked for pages, and everything is set that it needs."""
    from ..system.provider_files import missing_settings, read_providers, routed_providers

    table = read_providers()
    routed = (table.entry(name) for name in routed_providers(table, settings, _WEB))
    return any(entry is not None and not missing_settings(entry, settings) for entry in routed)


def print_way_to_the_web(errors: Console, settings: Settings, state_dir: Path, *, answered: bool) -> None:
    """Say how to get a provider without a key, where none is set up: after the first question to a folder, and
    whenever its documents do not answer."""
    told = state_dir / _TOLD
    if (answered and told.exists()) or web_is_set_up(settings):
        return
    print_wrapped(errors, _WAY, style="dim")
    with suppress(OSError):  # a disk that is full: it is told again next time
        told.touch()
