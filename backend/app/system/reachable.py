"""By which names a server is reached: every request names one, and a server that knows none of them answers nobody."""

from __future__ import annotations

import ipaddress
import logging
import re
from collections.abc import Callable
from typing import Final, TypeVar

from ..kernel.errors import RequestInvalid

__all__ = ["LOOPBACK", "bound", "check_reach", "is_every_address"]

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
_NAME: Final = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?", re.IGNORECASE)
_LISTENER_LOG: Final = "uvicorn.error"
_S = TypeVar("_S")


def is_every_address(host: str) -> bool:
    """True for an address to listen on that stands for all of the machine's: nobody is reached by it."""
    try:
        return ipaddress.ip_address(host.strip("[]") or "::").is_unspecified
    except ValueError:
        return False


def check_reach(host: str, names: tuple[str, ...], said_by: str) -> None:
    """Raise where clients could not reach the server; `said_by` is how its names are given.

    Raises:
        RequestInvalid: there is no name, or one that no request can carry.
    """
    for name in names:
        if is_every_address(name) or not (_NAME.fullmatch(name) or _is_address(name)):
            raise RequestInvalid(f"`{name}` is not a name of a host: give it without scheme, port and path")
    if is_every_address(host) and not names:
        raise RequestInvalid(
            f"host `{host}` stands for every address of this machine, and no request names it: "
            f"say by which names clients reach the server, with {said_by}"
        )


def bound(bind: Callable[[], _S], host: str, port: int) -> _S:
    """The socket of a listener, whose way to say that there is none is a line in its log and the end of the process.

    Raises:
        RequestInvalid: the address cannot be listened on.
    """
    log, said = logging.getLogger(_LISTENER_LOG), list[object]()

    def kept(record: logging.LogRecord) -> bool:
        said.append(record.msg)
        return False

    log.addFilter(kept)
    try:
        return bind()
    except SystemExit as exc:
        why = next((one.strerror for one in said if isinstance(one, OSError) and one.strerror), "not possible")
        raise RequestInvalid(f"cannot listen on `{host}`, port {port}: {why.lower()}") from exc
    finally:
        log.removeFilter(kept)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
