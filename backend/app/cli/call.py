"""`portcullis call` and `portcullis capabilities`: every capability by name, its output as one JSON object."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.table import Column, Table

from ..capabilities.registry import CAPABILITIES
from ..kernel.capability import ARGUMENTS_BYTES_MAX, AnyCapability
from ..kernel.errors import RequestInvalid
from ..kernel.failure import ErrorDetail, Failure
from ..kernel.request import Principal
from ..research.basis import Answer
from ..system.contract_files import samples_dir
from ..system.settings import Settings
from ..wiring import documents_ready
from .ask import GateOpener, local_principal
from .blocked import print_blocked, way_out
from .exits import Exit, exit_of_failure
from .options import DataDir, Docs, Env, Json, Tier, chosen_settings
from .render import plain, print_json

__all__ = ["add_call_commands"]

_NEEDS_DOCUMENTS = "doc_lookup"


def add_call_commands(app: typer.Typer, gate: GateOpener) -> None:
    """Add the commands; tests pass their own way to open the gate."""

    @app.command("call")
    def call_command(
        capability: Annotated[str, typer.Argument(help="A name that `portcullis capabilities` lists.")],
        arguments: Annotated[str, typer.Argument(metavar="JSON|-", help="Its input as a JSON object, or - for stdin.")],
        docs: Docs = None,
        tier: Tier = "PRO",
        env: Env = None,
        session_key: Annotated[
            str | None, typer.Option("--session-key", help="Go on with, or answer again, the session of this key.")
        ] = None,
        data_dir: DataDir = None,
    ) -> None:
        """Call any capability; prints its output object, or the error object."""
        settings = chosen_settings(data_dir, env)
        try:
            known = CAPABILITIES.get(capability)
            if known is None:
                raise RequestInvalid(f"capability `{capability}` does not exist; see `portcullis capabilities`")
            given = _object(arguments)
            known.read(given)
            answer = asyncio.run(_called(known, given, docs, local_principal(tier), session_key, settings, gate))
            result = answer.result
        except RequestInvalid as exc:
            detail = ErrorDetail(kind="validation", retryable=False, suggested_action="fix_arguments")
            print_json(Failure(message=str(exc), error=detail))
            raise typer.Exit(Exit.INVALID.value) from exc
        print_json(result)
        way = way_out(docs or samples_dir(), settings)
        print_blocked(Console(stderr=True, highlight=False), answer.outcomes, way)
        raise typer.Exit(_exit_of(result).value)

    @app.command("capabilities")
    def capabilities_command(
        name: Annotated[str | None, typer.Argument(help="Show one of them with its schemas.")] = None,
        as_json: Json = False,
    ) -> None:
        """List what can be asked of the gate, or show one capability with the schemas of its input and output."""
        if name is not None and name not in CAPABILITIES:
            raise RequestInvalid(f"capability `{name}` does not exist; see `portcullis capabilities`")
        shown = [CAPABILITIES[name]] if name is not None else list(CAPABILITIES.values())
        if as_json or name is not None:
            rows = [described(one, schemas=name is not None) for one in shown]
            sys.stdout.write(json.dumps(rows[0] if name is not None else {"capabilities": rows}, indent=2) + "\n")
        else:
            table = Table(Column("capability", no_wrap=True), "tools", "what it does")
            for one in shown:
                table.add_row(one.name, "\n".join(one.tools) or "-", plain(one.description))
            Console(highlight=False).print(table)


def described(one: AnyCapability, *, schemas: bool) -> dict[str, Any]:
    """One capability as the registry's entry says."""
    told: dict[str, Any] = {
        "name": one.name,
        "family": one.family,
        "title": one.title,
        "description": one.description,
        "kind": one.kind,
        "effect": one.effect,
        "tools": list(one.tools),
        "scopes": list(one.scopes),
        "max_age_s": one.max_age_s,
    }
    if schemas:
        told["input_schema"] = one.input.model_json_schema()
        told["output_schema"] = one.output.model_json_schema()
    return told


async def _called(
    capability: AnyCapability,
    given: dict[str, Any],
    docs: Path | None,
    principal: Principal,
    session_key: str | None,
    settings: Settings,
    gate: GateOpener,
) -> Answer:
    collection = None
    if _NEEDS_DOCUMENTS in capability.tools:
        if docs is None:
            sys.stderr.write("no --docs given: asking the sample documents about bread\n")
        collection, _ = await documents_ready(docs or samples_dir(), settings)
    async with gate(collection, settings=settings) as router:
        return await router.call(capability.name, given, principal, session_key=session_key)


def _object(text: str) -> dict[str, Any]:
    if text == "-" and sys.stdin is None:
        raise RequestInvalid("there is no stdin to read")
    # Bytes of the command line that are no UTF-8 come as lone surrogates: they are refused, not replaced.
    raw = sys.stdin.buffer.read(ARGUMENTS_BYTES_MAX + 1) if text == "-" else text.encode("utf-8", "surrogateescape")
    if len(raw) > ARGUMENTS_BYTES_MAX:
        raise RequestInvalid(f"the arguments are longer than {ARGUMENTS_BYTES_MAX} bytes")
    try:
        found = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as exc:
        raise RequestInvalid("the arguments are not valid UTF-8") from exc
    except json.JSONDecodeError as exc:
        raise RequestInvalid(f"the arguments are not JSON: line {exc.lineno}, column {exc.colno}") from exc
    except RecursionError as exc:
        raise RequestInvalid("the arguments are nested too deeply") from exc
    if not isinstance(found, dict):
        raise RequestInvalid("the arguments are JSON, but not an object")
    return found


def _exit_of(result: BaseModel) -> Exit:
    return exit_of_failure(result) if isinstance(result, Failure) else Exit.GROUNDED
