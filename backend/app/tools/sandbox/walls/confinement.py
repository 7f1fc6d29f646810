"""Inside a worker, once all is loaded and before a foreign byte is read: the process gives up what it does not need."""

from __future__ import annotations

import ctypes
import linecache
import os
import resource
import sys
import time
import warnings
from collections.abc import Collection
from importlib import import_module
from importlib.machinery import BuiltinImporter, FrozenImporter
from typing import Final

from .landlock import give_up_files
from .levels import SandboxState, Wall
from .limits import limit
from .seccomp import shut
from .syscalls import ARCHITECTURES

__all__ = ["confine", "load"]

_PR_SET_DUMPABLE: Final = 4
_PR_SET_NO_NEW_PRIVS: Final = 38
_CAPABILITIES_V3: Final = 0x2008_0522
_FIRST_FREE_FD: Final = 3
_MOST_FDS: Final = 1 << 16
# Lowered to nothing. Without descriptors there are no files and no sockets, also where the kernel has no walls.
_NOTHING: Final = (
    resource.RLIMIT_CORE,
    resource.RLIMIT_FSIZE,
    resource.RLIMIT_MEMLOCK,
    resource.RLIMIT_NOFILE,
    resource.RLIMIT_NPROC,
)
# The encodings of the web by Python's names: one that is not loaded now cannot be had later.
_CODECS: Final = (
    "ascii big5 big5hkscs cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp866 cp874 cp932 cp949 "
    "euc_jp euc_kr gb18030 gb2312 gbk hz idna iso2022_jp iso8859_1 iso8859_2 iso8859_3 iso8859_4 iso8859_5 iso8859_6 "
    "iso8859_7 iso8859_8 iso8859_9 iso8859_10 iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16 koi8_r koi8_u "
    "latin_1 mac_cyrillic mac_roman punycode shift_jis tis_620 utf_16 utf_16_be utf_16_le utf_32 utf_8 utf_8_sig"
)


def load(modules: Collection[str]) -> None:
    """Import everything that may be needed later; afterwards only what is loaded can be imported.

    A library that imports inside a function finds what was loaded before, and an honest `ModuleNotFoundError` else.
    """
    for codec in _CODECS.split():
        import_module(f"encodings.{codec}")
    for module in modules:
        import_module(module)
    time.localtime()  # reads the machine's zone once
    sys.meta_path[:] = [BuiltinImporter, FrozenImporter]
    sys.path_hooks.clear()
    sys.path.clear()
    # Warnings and tracebacks would open the source files that they quote.
    warnings.simplefilter("ignore")
    linecache.updatecache = _no_lines


def confine(
    line_fd: int, memory_limit_bytes: int, walls: Collection[Wall] = tuple(Wall), *, deny_files: bool = False
) -> SandboxState:
    """Raise the walls that the kernel has; what stands is returned."""
    if sys.platform != "linux":
        _lower_limits(memory_limit_bytes)
        return SandboxState()
    libc = ctypes.CDLL(None)
    own_pid = os.getpid()
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # nobody of the same user may look into it
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    abi = give_up_files() if Wall.LANDLOCK in walls else 0
    os.closerange(_FIRST_FREE_FD, line_fd)
    os.closerange(line_fd + 1, _MOST_FDS)
    _lower_limits(memory_limit_bytes)
    _drop_capabilities(libc)
    shut_in = Wall.SECCOMP in walls and shut(line_fd, own_pid, deny_files=deny_files)
    return SandboxState(landlock_abi=abi, seccomp=shut_in)


def _lower_limits(memory_limit_bytes: int) -> None:
    for what in _NOTHING:
        limit(what, 0)
    limit(resource.RLIMIT_AS, memory_limit_bytes)


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """A host that runs as root hands none of it on: a limit that was lowered could be raised again."""
    architecture = ARCHITECTURES.get(os.uname().machine)
    if architecture is not None:
        header = (ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0)
        libc.syscall(architecture.capset, ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


def _no_lines(filename: str, module_globals: dict[str, object] | None = None) -> list[str]:
    return []
