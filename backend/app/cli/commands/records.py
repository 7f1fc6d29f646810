"""Commands on the record of past sessions: their options."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from ..listing import help_of
from ..options import DataDir, Json, new_app
from ..work import Work

__all__ = ["record_commands"]

Session = Annotated[str, typer.Argument(help="The id of a session, as `ask` and `sessions list` print it.")]


def record_commands() -> typer.Typer:
    """The commands that look back, and those that forget."""
    app, sessions, receipt = new_app(), new_app("sessions"), new_app("receipt")
    app.add_typer(sessions, help=help_of("sessions"))
    app.add_typer(receipt, help=help_of("receipt"))
    sessions.command("list", help="List past sessions, the newest first.")(_sessions_list)
    sessions.command("show", help="Show one session: how it ended, every signal, its calls, cost and timeline.")(
        _sessions_show
    )
    app.command("replay", help=help_of("replay"))(_replay)
    receipt.command("show", help="Print the receipt of a finished session, as one JSON document.")(_receipt_show)
    receipt.command("verify", help="Check that a receipt is complete and agrees with the records here.")(
        _receipt_verify
    )
    app.command("erase", help=help_of("erase"))(_erase)
    app.command("prune", help=help_of("prune"))(_prune)
    return app


def _sessions_list(
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="At most this many sessions.")] = 20,
    tenant: Annotated[
        str | None, typer.Option("--tenant", metavar="NAME", help="Only sessions of this tenant. Default: all.")
    ] = None,
    questions: Annotated[
        bool, typer.Option("--questions", help="Also show what was asked; `erased` where it was erased.")
    ] = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> Work:
    from ..records import list_sessions

    return partial(list_sessions, limit, tenant, data_dir, questions=questions, as_json=as_json)


def _sessions_show(session: Session, as_json: Json = False, data_dir: DataDir = None) -> Work:
    from ..records import show_session

    return partial(show_session, session, data_dir, as_json=as_json)


def _replay(session: Session, as_json: Json = False, data_dir: DataDir = None) -> Work:
    from ..records import replay

    return partial(replay, session, data_dir, as_json=as_json)


def _receipt_show(session: Session, data_dir: DataDir = None) -> Work:
    from ..records import show_receipt

    return partial(show_receipt, session, data_dir)


def _receipt_verify(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file with a receipt; - reads stdin.")],
    as_json: Json = False,
    data_dir: DataDir = None,
) -> Work:
    from ..records import verify_receipt

    return partial(verify_receipt, file, data_dir, as_json=as_json)


def _erase(
    session: Annotated[str | None, typer.Argument(help="The id of a session.")] = None,
    tenant: Annotated[
        str | None, typer.Option("--tenant", metavar="NAME", help="Erase everything of this tenant instead.")
    ] = None,
    shared: Annotated[
        bool,
        typer.Option("--shared", help="Also erase texts that other sessions use; those can then not be replayed."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Required with --tenant, because this cannot be undone.")] = False,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> Work:
    from ..records import erase

    return partial(erase, session, tenant, data_dir, shared=shared, yes=yes, as_json=as_json)


def _prune(
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="AGE", help="A number and s, m, h or d, such as 30d, 12h or 90m.")
    ],
    as_json: Json = False,
    data_dir: DataDir = None,
) -> Work:
    from ..records import prune

    return partial(prune, older_than, data_dir, as_json=as_json)
