"""`portcullis serve`: the chat backend over HTTP."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from ..chat.door import Reach
from ..chat.listener import GateOfServer, ServedGate, serve_chat
from ..chat.stop_signals import ending_in_order
from ..kernel.errors import RequestInvalid
from ..research.audience import OPERATOR_SCOPE
from ..system.contract_files import samples_dir
from ..system.reachable import check_reach
from ..system.serve_settings import ServeSettings
from ..system.settings import Settings
from ..wiring.document_setup import documents_ready
from ..wiring.key_guard import open_key_store
from .exits import Exit
from .gates import GateOpener
from .options import chosen_settings

if TYPE_CHECKING:
    from ..kernel.document_index import Collection

__all__ = ["ServeOptions", "serve"]

_LOCAL: Final = "local"
_ONE_TIME_MS: Final = 24 * 3_600_000


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the command line says; None where it says nothing."""

    host: str | None
    port: int | None
    names: tuple[str, ...]
    workers: int | None
    log: str | None
    tenants: tuple[str, ...]
    one_time_key: bool = False

    def over(self, settings: Settings) -> Settings:
        """The settings with what the command line says instead.

        Raises:
            RequestInvalid: the style of the log is not known.
        """
        if self.log not in (None, "quiet", "json"):
            raise RequestInvalid("--log is `quiet` or `json`")
        said = {"host": self.host, "port": self.port, "workers": self.workers, "log": self.log}
        fields = {**dict(settings.serve), **{name: value for name, value in said.items() if value is not None}}
        names = tuple(name.lower() for name in self.names) or settings.serve.names
        serve = ServeSettings.model_validate({**fields, "names": names})
        return Settings.model_validate({**settings.model_dump(), "serve": serve})


def serve(
    options: ServeOptions,
    gate: GateOpener,
    docs: Path | None,
    env: str | None,
    data_dir: Path | None,
    config: Path | None,
) -> Exit:
    """Serve until Ctrl-C or a signal.

    Raises:
        RequestInvalid: an option or a setting cannot be used.
    """
    settings = options.over(chosen_settings(data_dir, env, config))
    reach = Reach(settings.serve.host, settings.serve.names)
    if not reach.local and settings.environment == "dev":
        raise RequestInvalid("beyond loopback, or with --name, `dev` is refused: set --env prod or staging")
    check_reach(reach.host, reach.names, "--name or PORTCULLIS_SERVE_NAMES")
    if docs is None:
        sys.stderr.write("no --docs given: serving the sample documents about bread\n")
    first, *others = options.tenants or (_LOCAL,)
    folder = docs or samples_dir()
    documents = asyncio.run(_ready(folder, settings, first))
    more: Mapping[str, Path] = dict.fromkeys(others, folder)
    served = ServedGate(cast("GateOfServer", gate), documents, settings, reach, more)
    with ending_in_order(), _key_made(settings, first) if options.one_time_key else nullcontext("") as key:
        serve_chat(served, lambda port: _say_address(reach.host, port, key))
    return Exit.GROUNDED


@contextmanager
def _key_made(settings: Settings, tenant: str) -> Iterator[str]:
    """A key of an operator, for as long as the server runs; after a kill it ends by itself within a day."""
    keys = open_key_store(settings)
    scopes = ("chat", OPERATOR_SCOPE)
    made, text = keys.create(tenant, "operator", "PRO", ("documents",), scopes, lasts_ms=_ONE_TIME_MS)
    try:
        yield text
    finally:
        keys.revoke(made.key_id)


async def _ready(folder: Path, settings: Settings, tenant: str) -> Collection:
    """The documents of a tenant, readable by it alone."""
    return (await documents_ready(folder, settings, tenant, own=True))[0]


def _say_address(host: str, port: int, key: str) -> None:
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    sys.stderr.write(f"serving HTTP on {address}\n")
    if key:
        sys.stderr.write(f"console: {address}/console\nkey, valid until the server ends, a day at most: {key}\n")
    sys.stderr.flush()
