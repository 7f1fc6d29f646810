"""The meters of several processes: each writes its own into a folder, and reads those of the others."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from ..system.private_files import private_file, private_folder
from .meters import MeterState, ServerMeters

__all__ = ["SharedMeters"]

_EVERY_S: Final = 1.0
_SUFFIX: Final = ".json"


class SharedMeters:
    """One file for each process, replaced as a whole; what a process has counted stays when it is gone."""

    def __init__(self, folder: Path, meters: ServerMeters) -> None:
        self._folder = folder
        self._meters = meters
        self._file = folder / f"{os.getpid()}{_SUFFIX}"

    @staticmethod
    def begin_anew(folder: Path) -> None:
        """Forget the counts of an earlier server; whoever starts the processes calls it before."""
        with suppress(OSError):
            for file in folder.glob(f"*{_SUFFIX}"):
                file.unlink()

    async def keep_written(self) -> None:
        """Write every second; goes on until it is cancelled."""
        try:
            while True:
                await asyncio.sleep(_EVERY_S)
                self.write()
        finally:
            self.write()

    def write(self) -> None:
        """Write now; a full disk costs counts and nothing else."""
        fresh = self._file.with_suffix(".new")
        with suppress(OSError):
            private_folder(self._folder)
            private_file(fresh)
            fresh.write_text(json.dumps(self._meters.state().document()), encoding="utf-8")
            os.replace(fresh, self._file)

    def others(self) -> tuple[MeterState, ...]:
        """What the other processes of this server have counted."""
        found = []
        for file in sorted(self._folder.glob(f"*{_SUFFIX}")):
            if file != self._file:
                with suppress(OSError, ValueError, KeyError, TypeError):
                    found.append(MeterState.of_document(json.loads(file.read_text(encoding="utf-8"))))
        return tuple(found)
