"""What the HTTP door is built from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..archive.archive import Archive
from ..kernel.contract import ActionTexts
from ..kernel.ports import Clock, Ids
from ..research.router import Router
from ..system.door_events import DoorEvent
from ..system.reachable import LOOPBACK, is_every_address
from ..system.settings import Settings
from ..system.stores.conversations.browser_logins import LoginStore
from ..system.stores.conversations.requests import RequestStore
from ..system.stores.conversations.sqlite import ConversationStore
from ..wiring.key_guard import KeyGuard
from .meters import ServerMeters
from .running import RunningSessions
from .shared_meters import SharedMeters
from .wording import Wording

__all__ = ["ChatAudit", "ChatDoor", "Reach"]


class ChatAudit(Protocol):
    """Where requests are noted."""

    def note(self, event: DoorEvent) -> None: ...


@dataclass(frozen=True, slots=True)
class Reach:
    """Where the door is reached."""

    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    """Names by which clients reach it from elsewhere, through a proxy."""

    @property
    def local(self) -> bool:
        """True if only this machine can ask."""
        return self.host in LOOPBACK and not self.names

    @property
    def hosts(self) -> frozenset[str]:
        """What a request may name in its header `Host`."""
        own = () if is_every_address(self.host) else (self.host,)
        return frozenset({*self.names, *own, *(LOOPBACK if self.local else ())})


@dataclass(frozen=True, slots=True)
class ChatDoor:
    """Everything that the routes need; one per process."""

    router: Router
    archive: Archive
    settings: Settings
    guard: KeyGuard
    running: RunningSessions
    conversations: ConversationStore
    requests: RequestStore
    logins: LoginStore
    clock: Clock
    ids: Ids
    audit: ChatAudit
    texts: ActionTexts
    """The fixed text of every action."""
    meters: ServerMeters
    shared_meters: SharedMeters
    reach: Reach = Reach()
    wording: Wording | None = None
    """What words a grounded answer through the operator's model (R33); None: the sentences of the sources."""
