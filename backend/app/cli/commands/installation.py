"""`health`, `config`, `caps`, `sandbox` and `version`: their options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..gates import GateOpener
from ..listing import help_of
from ..options import Config, DataDir, Env, Json, new_app
from ..work import Work

__all__ = ["installation_commands"]


def installation_commands(gate: GateOpener) -> typer.Typer:
    """The commands that say what is installed here and whether it works."""
    app, config = new_app(), new_app("config")
    app.add_typer(config, help=help_of("config"))
    config.command("check", help="Read every setting and say where it comes from; keys are masked.")(_check_config)

    @app.command("health", help=help_of("health"))
    def health_command(as_json: Json = False, env: Env = None, data_dir: DataDir = None) -> Work:
        from ..health import health

        return partial(health, gate, env, data_dir, as_json=as_json)

    app.command("caps", help=help_of("caps"))(_caps)
    app.command("sandbox", help=help_of("sandbox"))(_sandbox)
    app.command("version", help=help_of("version"))(_version)
    return app


def _check_config(config: Config = None, as_json: Json = False, data_dir: DataDir = None) -> Work:
    from ..config_check import check_config

    return partial(check_config, config, data_dir, as_json=as_json)


def _caps(
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help="Check this table instead, and print its digest."),
    ] = None,
    as_json: Json = False,
) -> Work:
    from ..tables import print_caps

    return partial(print_caps, check, as_json=as_json)


def _sandbox(as_json: Json = False) -> Work:
    from ..sandbox import sandbox

    return partial(sandbox, as_json=as_json)


def _version(as_json: Json = False) -> Work:
    from ..versions import print_versions

    return partial(print_versions, as_json=as_json)
