"""How the HTTP door is served: where it listens, how much it takes on, how long it keeps records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from ..kernel.errors import RequestInvalid
from ..kernel.models import FrozenModel

__all__ = ["LogStyle", "ServeSettings", "serve_settings_from"]

LogStyle = Literal["quiet", "json"]
_PREFIX: Final = "PORTCULLIS_SERVE_"
_NUMBERS: Final = {
    "port": (0, 65_535),
    "workers": (1, 64),
    "max_running": (1, 10_000),
    "max_waiting": (0, 100_000),
    "shutdown_grace_s": (0, 600),
    "retention_days": (0, 36_500),
}


class ServeSettings(FrozenModel):
    """What an operator chooses for `portcullis serve`."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8080
    names: tuple[str, ...] = ()
    """Names by which clients reach the server through a proxy."""
    workers: Annotated[int, Field(ge=1)] = 1
    """Processes that serve, each with a gate of its own over the same stores."""
    max_running: Annotated[int, Field(ge=1)] = 128
    """Research requests that one process runs at once."""
    max_waiting: Annotated[int, Field(ge=0)] = 512
    """Those that wait for a place; above that, a request is told to come again."""
    shutdown_grace_s: Annotated[int, Field(ge=0)] = 20
    """How long requests under way may go on after a signal, before they are cancelled."""
    retention_days: Annotated[int, Field(ge=0)] = 0
    """After how many days sessions and conversations are deleted; 0 keeps them."""
    log: LogStyle = "quiet"
    """`json`: one line of JSON for every request, on stderr; never a text of a user."""


def serve_settings_from(given: Mapping[str, str]) -> ServeSettings:
    """Read every `PORTCULLIS_SERVE_` variable.

    Raises:
        RequestInvalid: one of them cannot be read; it is named.
    """
    fields: dict[str, object] = {name: _number(given, name) for name in _NUMBERS if _said(given, name)}
    if _said(given, "host"):
        fields["host"] = _said(given, "host")
    if _said(given, "names"):
        fields["names"] = tuple(filter(None, (name.strip().lower() for name in _said(given, "names").split(","))))
    if _said(given, "log"):
        fields["log"] = _said(given, "log").lower()
    if fields.get("log", "json") not in ("quiet", "json"):
        raise RequestInvalid(f"{_PREFIX}LOG must be `quiet` or `json`")
    return ServeSettings.model_validate(fields)


def _said(given: Mapping[str, str], name: str) -> str:
    return given.get(f"{_PREFIX}{name.upper()}", "").strip()


def _number(given: Mapping[str, str], name: str) -> int:
    lowest, highest = _NUMBERS[name]
    text = _said(given, name)
    if not (text.isascii() and text.isdigit() and len(text) < 10 and lowest <= int(text) <= highest):
        raise RequestInvalid(f"{_PREFIX}{name.upper()} must be a whole number from {lowest} to {highest}")
    return int(text)
