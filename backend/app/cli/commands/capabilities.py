"""`scrape`, `call` and `capabilities`: their options."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Literal

import typer

from ..gates import GateOpener
from ..listing import help_of
from ..options import DataDir, Docs, Env, Json, Key, Millis, Tier, narrowing, new_app
from ..work import Work

__all__ = ["capability_commands"]


def capability_commands(gate: GateOpener) -> typer.Typer:
    """The commands that call one capability, or list them."""
    app = new_app()

    @app.command("scrape", help=help_of("scrape"))
    def scrape_command(
        url: Annotated[str, typer.Argument(help="A public http or https address.")],
        mode: Annotated[
            Literal["full", "preview", "raw"],
            typer.Option(
                "--mode",
                metavar="MODE",
                help="full: the readable text; preview: its first 5,000 bytes; raw: as it came.",
            ),
        ] = "full",
        max_length: Annotated[
            int, typer.Option("--max-length", metavar="BYTES", help="At most this many bytes of text, 40 to 5,000,000.")
        ] = 50_000,
        markdown: Annotated[bool, typer.Option("--markdown", help="Keep headings, lists, links and emphasis.")] = False,
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        view: Annotated[
            Literal["caller", "operator"],
            typer.Option("--view", metavar="VIEW", help="caller: the page; operator: the whole session, as JSON."),
        ] = "caller",
        timeout_ms: Millis = None,
        data_dir: DataDir = None,
    ) -> Work:
        from ..scrape import ScrapeOptions, scrape

        wanted = ScrapeOptions(url, mode, max_length, markdown=markdown)
        narrow = narrowing(timeout_ms=timeout_ms)
        return partial(scrape, wanted, gate, tier, env, data_dir, narrow, as_json=as_json, view=view)

    @app.command("call", help=help_of("call"))
    def call_command(
        capability: Annotated[str, typer.Argument(help="A name that `portcullis capabilities` lists.")],
        arguments: Annotated[str, typer.Argument(metavar="JSON", help="Its input, a JSON object; - reads stdin.")],
        docs: Docs = None,
        tier: Tier = "PRO",
        env: Env = None,
        session_key: Key = None,
        data_dir: DataDir = None,
    ) -> Work:
        from ..call import call

        return partial(call, capability, arguments, gate, docs, tier, env, session_key, data_dir)

    @app.command("capabilities", help=help_of("capabilities"))
    def capabilities_command(
        name: Annotated[str | None, typer.Argument(help="Show this one, with its JSON Schemas.")] = None,
        as_json: Json = False,
    ) -> Work:
        from ..call import print_capabilities

        return partial(print_capabilities, name, as_json=as_json)

    return app
