"""The tool `doc_lookup` as the gate holds it: processes, and a line for the operator where an index fails them."""

from __future__ import annotations

import logging
from typing import Final

from ..kernel.calls import CallContext, ToolCall
from ..kernel.errors import ToolUnavailable
from ..kernel.results import RawResult
from ..system.notices import LOGGER
from .doc_config import DocLookupConfig
from .sandbox.host.hosted_tool import ProcessTool, WorkerSpec

__all__ = ["HostedLookup"]

_LOG: Final = logging.getLogger(LOGGER)


class HostedLookup(ProcessTool):
    """Logs here, because a worker is confined and its own lines reach nobody."""

    def __init__(self, spec: WorkerSpec, config: DocLookupConfig) -> None:
        super().__init__(spec)
        self._config = config

    async def call(self, call: ToolCall, context: CallContext) -> RawResult:
        """Run the call in a worker.

        Raises:
            ToolFailure: as a `ProcessTool` does.
        """
        try:
            return await super().call(call, context)
        except ToolUnavailable as exc:
            place = self._config.place_of(context.tenant, context.collection)
            if place is not None:  # a wrong name is the caller's mistake and no news for the operator
                _LOG.error("documents of collection `%s` cannot be searched: %s", place.name, exc)
            raise
