"""`providers` and `parse`, whose options stand beside their work."""

from __future__ import annotations

import typer

from ..options import new_app

__all__ = ["service_commands"]


def service_commands() -> typer.Typer:
    """The commands about outside services."""
    from ..parse_answer import add_parse_command
    from ..providers import add_provider_commands

    app = new_app()
    add_provider_commands(app)
    add_parse_command(app)
    return app
