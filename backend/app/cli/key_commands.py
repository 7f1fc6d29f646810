"""`portcullis keys`: makes, lists and revokes the keys of doors on the network."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from rich.console import Console

from ..kernel.errors import RequestInvalid
from ..system.api_keys import ApiKey
from ..system.data_folder import AUDIT_FILE, open_data_folder
from ..system.stores.audit.chained_log import ChainedLog
from ..wiring.key_guard import open_key_store
from .exits import Exit
from .options import TIERS, chosen_settings
from .render import plain

__all__ = ["check_audit_log", "create_key", "list_keys", "revoke_key"]


DIALECTS: Final = ("standard", "openwebui")


def create_key(
    tenant: str,
    user: str,
    tier: str,
    collections: str,
    scopes: str,
    data_dir: Path | None,
    *,
    dialect: str,
    sources_block: bool,
    as_json: bool,
) -> Exit:
    """Make a key and print it, once.

    Raises:
        RequestInvalid: a name, the tier, a scope or the dialect is wrong.
    """
    if tier not in TIERS:
        raise RequestInvalid(f"tier `{tier}` is not one of {', '.join(TIERS)}")
    if dialect not in DIALECTS:
        raise RequestInvalid(f"dialect `{dialect}` is not one of {', '.join(DIALECTS)}")
    settings = chosen_settings(data_dir)
    open_data_folder(settings.data_dir)
    made, text = open_key_store(settings).create(
        tenant,
        user,
        tier,
        _words(collections),
        _words(scopes),
        dialect="openwebui" if dialect == "openwebui" else "standard",
        sources_block=sources_block,
    )
    if as_json:
        sys.stdout.write(json.dumps({"key": text, **_facts(made)}) + "\n")
    else:
        sys.stdout.write(f"{text}\n")
        sys.stderr.write(f"key {made.key_id} of {tenant}/{user}: it is shown this once and cannot be shown again\n")
    return Exit.GROUNDED


def list_keys(data_dir: Path | None, *, as_json: bool) -> Exit:
    """List the keys, without their secret parts."""
    keys = open_key_store(chosen_settings(data_dir)).all()
    if as_json:
        sys.stdout.write(json.dumps({"keys": [_facts(key) for key in keys]}) + "\n")
        return Exit.GROUNDED
    console = Console(highlight=False)
    if not keys:
        console.print("no keys yet: portcullis keys create --tenant T --user U --scopes chat")
    for key in keys:
        state = "" if key.revoked_at_ms is None else f" · revoked {_day(key.revoked_at_ms)}"
        if not state and key.ends_at_ms is not None:
            state = f" · ends {_day(key.ends_at_ms)}"
        console.print(
            plain(f"{key.key_id}  {key.tenant}/{key.user}"), style="bold" if key.revoked_at_ms is None else "dim"
        )
        told = f"{key.tier} · {', '.join(key.scopes)} · {', '.join(key.collections) or 'no collections'}"
        console.print(plain(f"    {told} · made {_day(key.created_at_ms)}{state}"), soft_wrap=True)
    return Exit.GROUNDED


def revoke_key(key_id: str, data_dir: Path | None) -> Exit:
    """Revoke a key.

    Raises:
        RequestInvalid: there is no such key, or it was revoked before.
    """
    if not open_key_store(chosen_settings(data_dir)).revoke(key_id):
        raise RequestInvalid("there is no such key, or it was revoked before; see `portcullis keys list`")
    sys.stderr.write(f"key {key_id} is revoked\n")
    return Exit.GROUNDED


def check_audit_log(data_dir: Path | None, *, as_json: bool) -> Exit:
    """Check that no line of the audit log was changed or taken out."""
    log = chosen_settings(data_dir).data_dir / AUDIT_FILE
    lines, changed = ChainedLog(log).verify()
    if as_json:
        sys.stdout.write(json.dumps({"lines": lines, "first_changed": changed}) + "\n")
    elif changed is None:
        sys.stdout.write(f"{lines} lines, none changed: {log}\n")
    else:
        sys.stdout.write(f"line {changed} does not follow from the line before it: {log}\n")
    return Exit.GROUNDED if changed is None else Exit.DOES_NOT_HOLD


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _facts(key: ApiKey) -> dict[str, object]:
    return key.model_dump(mode="json")


def _day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d")
