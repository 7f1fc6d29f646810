"""`ask`, `search` and `index`: their options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..gates import GateOpener
from ..listing import help_of
from ..options import Calls, DataDir, Docs, Env, Json, Key, Millis, Tier, Units, folder, narrowing, new_app
from ..work import Work

__all__ = ["question_commands"]

Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=20, help="At most this many passages, 1 to 20.")]
View = Annotated[
    Literal["caller", "user", "operator"],
    typer.Option(
        "--view",
        metavar="VIEW",
        help="caller: answer and cost; user: what a person in a chat sees; operator: everything, as JSON.",
    ),
]
Patterns = list[str] | None


def question_commands(gate: GateOpener) -> typer.Typer:
    """The commands that read a folder of documents."""
    app = new_app()

    @app.command("ask", help=help_of("ask"))
    def ask_command(
        question: Annotated[str, typer.Argument(help="1 to 500 characters.")],
        docs: Docs = None,
        tier: Tier = "PRO",
        env: Env = None,
        clarified: Annotated[
            bool, typer.Option("--clarified", help="This question answers what the last answer asked back.")
        ] = False,
        as_json: Json = False,
        view: View = "caller",
        limit: Limit = 5,
        max_calls: Calls = None,
        max_units: Units = None,
        timeout_ms: Millis = None,
        session_key: Key = None,
        documents_only: Annotated[bool, typer.Option("--documents-only", help="Never touch the web.")] = False,
        data_dir: DataDir = None,
    ) -> Work:
        from ..ask import Asked, ask

        asked = Asked(docs, tier, env, data_dir, as_json, view, session_key, documents_only)
        narrow = narrowing(max_calls, max_units, timeout_ms)
        return partial(ask, asked, gate, question, limit=limit, clarified=clarified, narrow=narrow)

    @app.command("search", help=help_of("search"))
    def search_command(
        query: Annotated[str, typer.Argument(help="Words to look for, 1 to 500 characters.")],
        docs: Docs = None,
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        limit: Limit = 10,
        data_dir: DataDir = None,
    ) -> Work:
        from ..ask import Asked, search

        asked = Asked(docs, tier, env, data_dir, as_json=as_json)
        return partial(search, asked, gate, query, limit=limit)

    @app.command("index", help=help_of("index"))
    def index_command(
        docs: Annotated[Path, typer.Argument(parser=folder, metavar="DOCS", help="Folder of documents.")],
        exclude: Annotated[
            Patterns,
            typer.Option(
                "--exclude", metavar="PATTERN", help="Leave these files out, from now on. May be given several times."
            ),
        ] = None,
        include: Annotated[
            Patterns,
            typer.Option(
                "--include", metavar="PATTERN", help="Undo an --exclude of this pattern. May be given several times."
            ),
        ] = None,
        skipped: Annotated[
            bool, typer.Option("--skipped", help="List every file that is not in the index, with its reason.")
        ] = False,
        tenant: Annotated[
            str, typer.Option("--tenant", metavar="NAME", help="The tenant to whom the index belongs.")
        ] = "local",
        as_json: Json = False,
        data_dir: DataDir = None,
    ) -> Work:
        from ..index import index

        return partial(
            index,
            docs,
            data_dir,
            tenant,
            exclude=exclude or (),
            include=include or (),
            all_skipped=skipped,
            as_json=as_json,
        )

    return app
