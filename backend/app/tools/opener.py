"""The one opener of everything that touches the outside; of the tools, the adapter hands on this alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..kernel.document_index import Collection
    from ..kernel.ports import Clock, ContentStore, EarlierSources, Tool
    from ..parsing.fetched import PageAnswer
    from ..system.settings import Settings
    from .fetch.ports import ResponseCache
    from .sandbox.host.document_reading import ReaderProcess
    from .sandbox.host.parsers import ParserPool
    from .sandbox.walls.levels import SandboxState
    from .toolbox import HostedToolbox

__all__ = ["ToolOpener"]


class ToolOpener:
    """Each method loads what it opens, so that whoever needs one part carries no other."""

    @staticmethod
    def toolbox(
        settings: Settings,
        collections: tuple[Collection, ...],
        clock: Clock,
        store: ContentStore,
        cache: ResponseCache | None = None,
    ) -> HostedToolbox:
        """Every tool of the catalogue, hosted where it can be cut."""
        from .toolbox import open_toolbox

        return open_toolbox(settings, collections, clock, store, cache)

    @staticmethod
    def recall(earlier: EarlierSources) -> Tool:
        """The tool over a gate's own record; it has no process to end."""
        from .recall import Recall

        return Recall(earlier)

    @staticmethod
    def page_reader(required: str | None = None) -> ParserPool[PageAnswer]:
        """Confined processes that read pages, for an event loop."""
        from .toolbox import open_page_reader

        return open_page_reader(required)

    @staticmethod
    def document_reader(required: str | None = None) -> ReaderProcess:
        """A confined process that reads documents, for a thread that waits."""
        from .sandbox.host.document_reading import open_reader

        return open_reader(required)

    @staticmethod
    def sandbox_offered() -> SandboxState:
        """The walls that this machine's kernel offers."""
        from .sandbox.walls.probing import sandbox_offered

        return sandbox_offered()
