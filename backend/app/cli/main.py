"""The command line's entrance: options in, one room called, errors told in one line."""

from __future__ import annotations

import errno
import json
import logging
import os
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from .. import __version__
from ..kernel.errors import ContractViolation, RequestInvalid, StoreUnusable
from ..kernel.request import read_request
from ..system.caps_files import read_caps
from ..system.contract_files import CONTRACT_VERSION, read_contract, read_rules
from ..system.notices import LOGGER
from ..wiring import open_gate, prepare_documents
from .ask import Asked, GateOpener, View, ask
from .bench import bench_app
from .blocked import print_flagged, way_out
from .call import add_call_commands
from .certify import NoCheckout, certify_command
from .exits import Exit
from .extract import extract
from .failure import CliError, CliFailure, FailureKind
from .health import add_health_command
from .judge_url import judge_url_command
from .options import Calls, DataDir, Docs, Env, Json, Millis, Tier, Units, chosen_settings, folder, narrowing
from .parse_answer import add_parse_command
from .providers import add_provider_commands
from .records import add_record_commands
from .render import plain, print_json, print_report
from .sandbox import sandbox_command
from .scrape import add_scrape_command
from .screening import screen_lines, screen_text
from .simulate import simulate_command
from .tables import caps_table, print_checked

__all__ = ["create_app", "main"]

# Typer carries its own copy of click and exports only the leaves of its errors.
_UsageError: type[Any] = typer.BadParameter.__mro__[1]


Audience = Annotated[View, typer.Option("--view", help="Whose view to print.")]


# The command line is a process of our own, so it has the tripwire.
_GATE: GateOpener = partial(open_gate, tripwire=True)


def create_app(gate: GateOpener = _GATE) -> typer.Typer:
    """The commands; tests pass their own way to open the gate."""
    app = typer.Typer(
        name="portcullis",
        help="Bounded, screened research over your documents, behind one gate.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.add_typer(bench_app, name="bench", help="Measure retrieval.")
    add_record_commands(app)
    add_scrape_command(app, gate)
    add_call_commands(app, gate)
    add_provider_commands(app)
    add_parse_command(app)
    add_health_command(app, gate)
    app.command("judge-url")(judge_url_command)
    app.command("certify")(certify_command)
    app.command("simulate")(simulate_command)
    app.command("sandbox")(sandbox_command)

    @app.command("ask")
    def ask_command(
        question: Annotated[str, typer.Argument(help="1 to 500 characters.")],
        docs: Docs = None,
        tier: Tier = "PRO",
        env: Env = None,
        clarified: Annotated[bool, typer.Option("--clarified", help="The last answer asked back.")] = False,
        as_json: Json = False,
        view: Audience = "caller",
        limit: Annotated[int, typer.Option("--limit", help="At most this many passages, 1 to 20.")] = 5,
        max_calls: Calls = None,
        max_units: Units = None,
        timeout_ms: Millis = None,
        session_key: Annotated[
            str | None, typer.Option("--session-key", help="Go on with, or answer again, the session of this key.")
        ] = None,
        data_dir: DataDir = None,
    ) -> None:
        """Ask a question; the answer is grounded in verbatim passages or it is none."""
        request = read_request(
            question=question,
            clarified=clarified,
            arguments=(("limit", limit),),
            narrow=narrowing(max_calls, max_units, timeout_ms),
        )
        asked = Asked(docs=docs, tier=tier, as_json=as_json, view=view, session_key=session_key)
        _leave(ask(request, asked, chosen_settings(data_dir, env), gate))

    @app.command("search")
    def search_command(
        query: Annotated[str, typer.Argument(help="Words to look for.")],
        docs: Docs = None,
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        limit: Annotated[int, typer.Option("--limit", help="At most this many passages, 1 to 20.")] = 10,
        data_dir: DataDir = None,
    ) -> None:
        """List the best passages for some words, whether they answer anything or not."""
        request = read_request(question=query, capability="search_documents", arguments=(("limit", limit),))
        asked = Asked(docs=docs, tier=tier, as_json=as_json, view="caller")
        _leave(ask(request, asked, chosen_settings(data_dir, env), gate))

    @app.command("index")
    def index_command(
        docs: Annotated[Path, typer.Argument(parser=folder, metavar="DOCS", help="Folder of documents.")],
        exclude: Annotated[
            list[str] | None,
            typer.Option("--exclude", metavar="PATTERN", help="Leave these files out, from now on; may be repeated."),
        ] = None,
        include: Annotated[
            list[str] | None,
            typer.Option("--include", metavar="PATTERN", help="Take an excluded pattern back; may be repeated."),
        ] = None,
        tenant: Annotated[
            str, typer.Option("--tenant", help="Whose index, where a host has folders by tenant.")
        ] = "local",
        as_json: Json = False,
        data_dir: DataDir = None,
    ) -> None:
        """Bring the index of a folder up to date and screen its files; `ask` does the first by itself."""
        settings = chosen_settings(data_dir)
        _, report = prepare_documents(
            docs, settings, tenant, exclude=exclude or (), include=include or (), screened=True
        )
        if as_json:
            print_json(report)
        else:
            print_report(Console(highlight=False), report)
            print_flagged(Console(highlight=False), report, way_out(docs, settings, tenant))

    @app.command("screen")
    def screen_command(
        file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="A text; stdin when left out.")] = None,
        jsonl: Annotated[
            bool, typer.Option("--jsonl", help='One verdict for each line {"id", "text"}, in order.')
        ] = False,
        explain: Annotated[bool, typer.Option("--explain", help="Show every span in its context.")] = False,
        as_json: Json = False,
    ) -> None:
        """Look for injected instructions in a text, as the gate does with what its tools return."""
        if jsonl and (explain or as_json):
            raise RequestInvalid("`--jsonl` has an output of its own; leave out `--explain` and `--json`")
        if explain and as_json:
            raise RequestInvalid("`--explain` is for people, `--json` for programs; take one")
        _leave(screen_lines(file) if jsonl else screen_text(file, explain=explain, as_json=as_json))

    @app.command("extract")
    def extract_command(
        html_dir: Annotated[Path, typer.Option(parser=folder, metavar="DIR", help="Folder of .html[.gz] files.")],
        out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the JSON document.")],
    ) -> None:
        """Write the main content of every page of a folder: {"<id>": {"articleBody": "..."}}."""
        extract(html_dir, out, Console(stderr=True, highlight=False))

    @app.command("caps")
    def caps_command(
        check: Annotated[
            Path | None, typer.Option("--check", metavar="FILE", help="Validate a caps table of your own instead.")
        ] = None,
        as_json: Json = False,
    ) -> None:
        """Show the caps of every tier and environment, or validate a table of your own and print its digest."""
        caps = read_contract().caps
        if check is not None:
            print_checked(read_caps(check, caps), caps, as_json=as_json)
        elif as_json:
            print_json(caps)
        else:
            Console(highlight=False).print(caps_table(caps))

    @app.command("version")
    def version_command(as_json: Json = False) -> None:
        """Show the versions of product, contract and injection rules."""
        rules = json.loads(read_rules())["version"]
        versions = {"portcullis": __version__, "contract": CONTRACT_VERSION, "injection_rules": rules}
        if as_json:
            sys.stdout.write(json.dumps(versions) + "\n")
        else:
            for name, version in versions.items():
                sys.stdout.write(f"{name} {version}\n")

    return app


def main(app: typer.Typer | None = None) -> None:
    """Run the command line and turn errors into one line and an exit code."""
    log = logging.getLogger(LOGGER)
    log.addFilter(_not_printed_by_commands)
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        code = (app or create_app())(standalone_mode=False)
        sys.stdout.flush()
    except _UsageError as exc:
        if not exc.format_message().strip():  # without a command the help was printed, and that is all
            sys.exit(Exit.INVALID)
        _fail(Exit.INVALID, "invalid_request", exc.format_message())
    except RequestInvalid as exc:
        _fail(Exit.INVALID, "invalid_request", str(exc))
    except StoreUnusable as exc:
        _fail(Exit.STORE_UNUSABLE, "store_unusable", str(exc))
    except ContractViolation as exc:
        _fail(Exit.UNEXPECTED, "contract_violation", str(exc))
    except NoCheckout as exc:
        _fail(Exit.NOT_EVALUATED, "not_evaluated", str(exc))
    except OSError as exc:
        _fail(Exit.STORE_UNUSABLE, "store_unusable", f"cannot write the answer: {exc.strerror}", written=False)
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    except Exception as exc:  # noqa: BLE001  a process border: its text may name insides, its type does not
        _fail(Exit.UNEXPECTED, "unexpected_error", f"unexpected error: {type(exc).__name__}")
    finally:
        log.removeFilter(_not_printed_by_commands)
    if code == Exit.INTERRUPTED:  # typer turns Ctrl-C into this code
        _fail(Exit.INTERRUPTED, "interrupted", "interrupted")
    sys.exit(code if isinstance(code, int) else Exit.GROUNDED)


def _not_printed_by_commands(record: logging.LogRecord) -> bool:
    """Keeps a refusal out of the log, because the command prints it anyway."""
    return not hasattr(record, "notice")


def _fail(code: Exit, kind: FailureKind, message: str, *, written: bool = True) -> NoReturn:
    message = message.encode("utf-8", "replace").decode().strip().rstrip(".")
    if written and "--json" in sys.argv:
        print_json(CliFailure(error=CliError(kind=kind, message=message)))
    if not written and sys.stdout is not None:
        # What Python still holds for a stdout that cannot be written goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    Console(stderr=True, highlight=False).print(plain(f"portcullis: {message}"), style="red", soft_wrap=True)
    sys.exit(code)


def _leave(code: Exit) -> None:
    raise typer.Exit(code.value)
