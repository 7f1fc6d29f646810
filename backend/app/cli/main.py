"""The command line's entrance: the commands, and errors told in one line."""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Callable
from typing import Annotated, Any, Final, NoReturn

import typer

from ..system.version import VERSION
from .exits import Exit
from .gates import GateOpener, open_local_gate
from .group import add_listed_commands, commands_group

__all__ = ["create_app", "main"]

_LOGGER: Final = "portcullis"
# Typer carries its own copy of click and exports only the leaves of its errors.
_UsageError: type[Any] = typer.BadParameter.__mro__[1]


def create_app(gate: GateOpener = open_local_gate) -> typer.Typer:
    """The commands; tests pass their own way to open the gate."""
    app = typer.Typer(
        name="portcullis",
        cls=commands_group(gate),
        help="Answers from your documents and from web pages, word for word, within fixed limits.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    add_listed_commands(app)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"portcullis {VERSION}\n")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Show the product's version and exit."),
    ] = False,
) -> None:
    """Takes what stands before the command."""


def main(app: typer.Typer | None = None, when_loaded: Callable[[], None] = lambda: None) -> None:
    """Run the command line and turn errors into one line and an exit code; `when_loaded` comes before the work."""
    log = logging.getLogger(_LOGGER)
    log.addFilter(_not_printed_by_commands)
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        code = (app or create_app())(standalone_mode=False)
        if callable(code):
            when_loaded()
            code = code()
        sys.stdout.flush()
    except _UsageError as exc:
        if not exc.format_message().strip():  # without a command the help was printed, and that is all
            sys.exit(Exit.INVALID)
        _fail(exc)
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    except Exception as exc:  # noqa: BLE001  a process border: its text may name insides, its type does not
        _fail(exc)
    finally:
        log.removeFilter(_not_printed_by_commands)
    if code == Exit.INTERRUPTED:  # typer turns Ctrl-C into this code
        _fail(KeyboardInterrupt())
    sys.exit(code if isinstance(code, int) else Exit.GROUNDED)


def _not_printed_by_commands(record: logging.LogRecord) -> bool:
    """Keeps a refusal out of the log, because the command prints it anyway."""
    return not hasattr(record, "notice")


def _fail(error: BaseException) -> NoReturn:
    from .errors import told

    usage = error.format_message() if isinstance(error, _UsageError) else None
    sys.exit(told(error, usage))
