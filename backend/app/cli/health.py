"""`portcullis health`: opens the gate as `ask` would, and says whether it can answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rich.console import Console

from ..kernel.health import Health
from ..system.settings import Settings
from .exits import Exit
from .gates import GateOpener
from .options import chosen_settings
from .render import plain, print_json

__all__ = ["health"]


def health(gate: GateOpener, env: str | None, data_dir: Path | None, *, as_json: bool) -> Exit:
    """Open the gate and print what its checks say."""
    found = asyncio.run(_asked(gate, chosen_settings(data_dir, env)))
    if as_json:
        print_json(found)
    else:
        _print(found)
    return Exit.GROUNDED if found.healthy else Exit.NOT_AVAILABLE


async def _asked(gate: GateOpener, settings: Settings) -> Health:
    async with gate(None, settings=settings) as router:
        return router.health()


def _print(health: Health) -> None:
    console = Console(highlight=False)
    caps = ", custom caps" if health.custom_caps else ""
    console.print(plain(f"{'healthy' if health.healthy else 'not healthy'} ({health.environment}{caps})"), style="bold")
    for check in health.checks:
        told = f": {check.detail}" if check.detail else ""
        console.print(plain(f"{check.state:<8} {check.name}{told}"), soft_wrap=True)
