"""`portcullis health`: opens the gate as `ask` would, and says whether it can answer."""

from __future__ import annotations

import asyncio

import typer
from rich.console import Console

from ..kernel.health import Health
from ..system.settings import Settings
from .ask import GateOpener
from .exits import Exit
from .options import DataDir, Env, Json, chosen_settings
from .render import plain, print_json

__all__ = ["add_health_command"]


def add_health_command(app: typer.Typer, gate: GateOpener) -> None:
    """Put the command into the command line."""

    @app.command("health")
    def health_command(as_json: Json = False, env: Env = None, data_dir: DataDir = None) -> None:
        """Show whether research can be had here, and what stands in the way."""
        health = asyncio.run(_asked(gate, chosen_settings(data_dir, env)))
        if as_json:
            print_json(health)
        else:
            _print(health)
        raise typer.Exit(Exit.GROUNDED.value if health.healthy else Exit.NOT_AVAILABLE.value)


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
