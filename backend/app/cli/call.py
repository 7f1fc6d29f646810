"""`portcullis call` and `portcullis capabilities`: every capability by name, its output as one JSON object."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from ..capabilities.registry import CAPABILITIES
from ..kernel.capability import ARGUMENTS_BYTES_MAX, AnyCapability
from ..kernel.errors import ContractViolation, RequestInvalid, StoreUnusable
from ..kernel.failure import ErrorDetail, Failure
from ..kernel.request import Principal
from ..research.basis import Answer
from ..system.contract_files import samples_dir
from ..system.settings import Settings
from ..wiring.document_setup import documents_ready
from .blocked import print_blocked, way_out
from .exits import Exit, exit_of_failure
from .gates import GateOpener
from .options import chosen_settings
from .principal import local_principal
from .render import plain, print_json, print_wrapped

__all__ = ["call", "print_capabilities"]

_NEEDS_DOCUMENTS = "doc_lookup"


def call(
    name: str,
    arguments: str,
    gate: GateOpener,
    docs: Path | None,
    tier: str,
    env: str | None,
    session_key: str | None,
    data_dir: Path | None,
) -> Exit:
    """Call a capability; print its output object, or the error object."""
    try:
        settings = chosen_settings(data_dir, env)
        known = _known(name)
        given = _object(arguments)
        known.read(given)
        answer = asyncio.run(_called(known, given, docs, local_principal(tier), session_key, settings, gate))
    except RequestInvalid as exc:
        detail = ErrorDetail(kind="validation", retryable=False, suggested_action="fix_arguments")
        print_json(Failure(message=str(exc), error=detail))
        return Exit.INVALID
    except (StoreUnusable, ContractViolation) as exc:
        detail = ErrorDetail(kind="config", retryable=False, suggested_action="check_configuration")
        print_json(Failure(message=str(exc), error=detail))
        return Exit.STORE_UNUSABLE if isinstance(exc, StoreUnusable) else Exit.UNEXPECTED
    print_json(answer.result)
    way = way_out(docs or samples_dir(), settings)
    print_blocked(Console(stderr=True, highlight=False), answer.outcomes, way)
    return exit_of_failure(answer.result) if isinstance(answer.result, Failure) else Exit.GROUNDED


def print_capabilities(name: str | None, *, as_json: bool) -> None:
    """List the capabilities, or show one with its schemas."""
    shown = [_known(name)] if name is not None else list(CAPABILITIES.values())
    if as_json or name is not None:
        rows = [described(one, schemas=name is not None) for one in shown]
        sys.stdout.write(json.dumps(rows[0] if name is not None else {"capabilities": rows}, indent=2) + "\n")
        return
    console = Console(highlight=False)
    for one in shown:
        console.print(plain(one.name), style="bold")
        print_wrapped(console, one.description, indent=4)
        print_wrapped(console, f"tools: {', '.join(one.tools) or 'none'}", indent=4, style="dim")


def _known(name: str) -> AnyCapability:
    found = CAPABILITIES.get(name)
    if found is None:
        raise RequestInvalid(f"capability `{name}` does not exist; see `portcullis capabilities`")
    return found


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
        told["input_schema"] = one.input_schema()
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
