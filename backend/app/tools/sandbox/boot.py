"""Starts the interpreter of a worker: our own package, an empty environment, a group of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

__all__ = ["start_worker"]

# The worker imports this package under the name and from the folders that its host knows, vendored or not.
_BOOT: Final = (
    "import sys, json, importlib; sys.path[:] = json.loads(sys.argv[1]); "
    "importlib.import_module(sys.argv[2]).main(int(sys.argv[3]), int(sys.argv[4]))"
)
# Nothing of the host's environment goes in. Few malloc arenas: each reserves address space that counts as memory.
_ENVIRONMENT: Final = {"LANG": "C.UTF-8", "MALLOC_ARENA_MAX": "2", "PATH": os.defpath, "PYTHONHASHSEED": "0"}


def start_worker(
    program: str, far_end: int, *, environment: Mapping[str, str] | None = None, show_errors: bool = False
) -> subprocess.Popen[bytes]:
    """Run `main(line, host)` of a module of this folder at the other end of a socket pair.

    The kernel ends a worker together with the thread that started it.

    Raises:
        OSError: the machine has no room for another process.
    """
    path = [os.path.abspath(entry) for entry in sys.path]
    words = (json.dumps(path), f"{__package__}.{program}", str(far_end), str(os.getpid()))
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
        (sys.executable, "-s", "-P", "-c", _BOOT, *words),
        stdin=subprocess.DEVNULL,
        stdout=2 if show_errors else subprocess.DEVNULL,
        stderr=None if show_errors else subprocess.DEVNULL,
        pass_fds=(far_end,),
        cwd="/",
        env={**_ENVIRONMENT, **(environment or {})},
        start_new_session=True,  # its own group: cut together with what it forks, deaf to the terminal
    )
