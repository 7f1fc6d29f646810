"""`serve`, `mcp` and `keys`: their options."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from ..gates import GateOpener
from ..listing import help_of
from ..options import Config, DataDir, Docs, Env, Json, Tier, new_app
from ..work import Work

__all__ = ["door_commands"]


def door_commands(gate: GateOpener) -> typer.Typer:
    """The commands that serve others, and the keys they need."""
    app, keys = new_app(), new_app("keys")
    app.add_typer(keys, help=help_of("keys"))
    keys.command("create", help="Make a key and print it, once.")(_create)
    keys.command("list", help="List the keys, without their secret parts.")(_list)
    keys.command("revoke", help="Revoke a key, for good.")(_revoke)
    keys.command("audit", help="Check the chain of the audit log: what was asked with keys, and by whom.")(_audit)

    @app.command("serve", help=help_of("serve"))
    def serve_command(
        host: Annotated[
            str | None,
            typer.Option("--host", metavar="ADDRESS", help="Default: 127.0.0.1. Beyond loopback not in dev."),
        ] = None,
        port: Annotated[
            int | None, typer.Option("--port", min=0, max=65_535, help="Default: 8080; 0 takes a free one.")
        ] = None,
        name: Annotated[
            list[str] | None,
            typer.Option("--name", metavar="HOST", help="A name by which clients reach this server; may be repeated."),
        ] = None,
        workers: Annotated[
            int | None, typer.Option("--workers", min=1, max=64, help="Processes that serve. Default: 1.")
        ] = None,
        log: Annotated[
            str | None,
            typer.Option("--log", metavar="STYLE", help="quiet, or json: a line for every request. Default: quiet."),
        ] = None,
        docs: Docs = None,
        tenant: Annotated[
            list[str] | None,
            typer.Option("--tenant", metavar="NAME", help="Whose documents they are; may be repeated. Default: local."),
        ] = None,
        one_time_key: Annotated[
            bool,
            typer.Option("--one-time-key", help="Make an operator's key, print it, and revoke it at the end."),
        ] = False,
        config: Config = None,
        env: Env = None,
        data_dir: DataDir = None,
    ) -> Work:
        from ..serve import ServeOptions, serve

        options = ServeOptions(host, port, tuple(name or ()), workers, log, tuple(tenant or ()), one_time_key)
        return partial(serve, options, gate, docs, env, data_dir, config)

    @app.command("mcp", help=help_of("mcp"))
    def mcp_command(
        http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of stdio.")] = False,
        host: Annotated[
            str | None,
            typer.Option(
                "--host", metavar="ADDRESS", help="Default: 127.0.0.1. Beyond loopback every request needs a key."
            ),
        ] = None,
        port: Annotated[
            int | None, typer.Option("--port", min=0, max=65_535, help="Default: 8765; 0 takes a free one.")
        ] = None,
        name: Annotated[
            list[str] | None,
            typer.Option("--name", metavar="HOST", help="A name by which clients reach this server; may be repeated."),
        ] = None,
        print_config: Annotated[
            str | None,
            typer.Option(
                "--print-config",
                metavar="CLIENT",
                help="Print the settings for claude-desktop, claude-code, cursor, vscode, codex or open-webui; with "
                "--http those for a server that listens.",
            ),
        ] = None,
        docs: Docs = None,
        tier: Tier = "PRO",
        env: Env = None,
        data_dir: DataDir = None,
    ) -> Work:
        from ..mcp import McpOptions, print_client_config, serve_mcp

        options = McpOptions(http, host, port, tuple(name or ()), tier)
        if print_config is not None:
            return partial(print_client_config, print_config, options, docs, env, data_dir)
        return partial(serve_mcp, options, gate, docs, env, data_dir)

    return app


def _create(
    tenant: Annotated[str, typer.Option("--tenant", metavar="NAME", help="Whose data the key may see.")],
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="Whom its requests are counted for.")],
    tier: Tier = "PRO",
    collections: Annotated[
        str, typer.Option("--collections", metavar="NAMES", help="Documents it may ask, separated by commas.")
    ] = "documents",
    scopes: Annotated[
        str, typer.Option("--scopes", metavar="SCOPES", help="Some of chat, operator, admin, separated by commas.")
    ] = "chat",
    dialect: Annotated[
        str,
        typer.Option("--dialect", metavar="NAME", help="standard, or openwebui: progress and excerpts as its events."),
    ] = "standard",
    no_sources_block: Annotated[
        bool, typer.Option("--no-sources-block", help="Add no list of sources to the text of a chat answer.")
    ] = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> Work:
    from ..key_commands import create_key

    return partial(
        create_key,
        tenant,
        user,
        tier,
        collections,
        scopes,
        data_dir,
        dialect=dialect,
        sources_block=not no_sources_block,
        as_json=as_json,
    )


def _list(as_json: Json = False, data_dir: DataDir = None) -> Work:
    from ..key_commands import list_keys

    return partial(list_keys, data_dir, as_json=as_json)


def _revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The id that `keys list` shows.")],
    data_dir: DataDir = None,
) -> Work:
    from ..key_commands import revoke_key

    return partial(revoke_key, key_id, data_dir)


def _audit(as_json: Json = False, data_dir: DataDir = None) -> Work:
    from ..key_commands import check_audit_log

    return partial(check_audit_log, data_dir, as_json=as_json)
