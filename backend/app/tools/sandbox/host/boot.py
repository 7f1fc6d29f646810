"""Starts the interpreter of a worker: our own package, an empty environment, a group of its own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from .children import Spawned

__all__ = ["spawn_worker"]

# The worker imports this package under the name and from the folders that its host knows, vendored or not. The front of
# the package would import the whole house; a program that needs a few rooms starts without it. What it loads is not
# searched for garbage until it calls `loaded`.
_BOOT: Final = (
    "import gc, sys, json, importlib.util; gc.disable(); sys.path[:] = json.loads(sys.argv[1]); "
    "root = sys.argv[2].rsplit('.', 3)[0]; "
    "sys.modules[root] = importlib.util.module_from_spec(importlib.util.find_spec(root)); "
    "importlib.import_module(sys.argv[2]).main(int(sys.argv[3]), int(sys.argv[4]))"
)
# Nothing of the host's environment goes in. Few malloc arenas: each reserves address space that counts as memory.
_INSIDE: Final = f"{__package__.rpartition('.')[0]}.inside"
# Plugins of pydantic that happen to be installed have no business in a worker, and looking for them takes time.
_ENVIRONMENT: Final = {
    "LANG": "C.UTF-8",
    "MALLOC_ARENA_MAX": "2",
    "PATH": os.defpath,
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    "PYTHONHASHSEED": "0",
}


def spawn_worker(
    program: str, line: socket.socket, *, environment: Mapping[str, str] | None = None, show_errors: bool = False
) -> Spawned:
    """Run `main(line, host)` of a program in `inside/` at the other end of a socket pair.

    The kernel ends the process together with the thread that started it.

    Raises:
        OSError: the machine has no room for another process.
    """
    path = [os.path.abspath(entry) for entry in sys.path]
    words = (json.dumps(path), f"{_INSIDE}.{program}", str(line.fileno()), str(os.getpid()))
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
        (sys.executable, "-s", "-P", "-c", _BOOT, *words),
        stdin=subprocess.DEVNULL,
        stdout=2 if show_errors else subprocess.DEVNULL,
        stderr=None if show_errors else subprocess.DEVNULL,
        pass_fds=(line.fileno(),),
        cwd="/",
        env={**_ENVIRONMENT, **(environment or {})},
        start_new_session=True,  # its own group: cut together with what it forks, deaf to the terminal
    )
    return Spawned(process)
