"""Landlock: the process gives up every file, every TCP port and every process outside, for good."""

from __future__ import annotations

import ctypes
import os
from typing import Final

__all__ = ["give_up_files", "landlock_abi"]

# The numbers are the same on every architecture.
_CREATE_RULESET: Final = 444
_RESTRICT_SELF: Final = 446
_ASK_VERSION: Final = 1

# How many rights each version of the interface knows; the kernel refuses a ruleset that names others.
_FILE_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_NET_RIGHTS_SINCE: Final = 4
_SCOPES_SINCE: Final = 6
_TWO_BITS: Final = 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


def landlock_abi() -> int:
    """The version of the kernel's interface; 0 where there is none, or where it is switched off."""
    found: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_VERSION))
    return max(0, found)


def give_up_files() -> int:
    """Enforce a ruleset without a single rule; the version that was used, or 0 where the kernel would not.

    What is open already stays open. New rights cannot be had: the ruleset holds for this process and all it starts.
    The caller has set `no_new_privs`.
    """
    abi = landlock_abi()
    if not abi:
        return 0
    libc = ctypes.CDLL(None)
    files = _FILE_RIGHTS.get(abi, _FILE_RIGHTS[max(_FILE_RIGHTS)])
    net = _TWO_BITS if abi >= _NET_RIGHTS_SINCE else 0  # bind and connect, TCP
    scopes = _TWO_BITS if abi >= _SCOPES_SINCE else 0  # abstract unix sockets, signals
    size = 8 + 8 * (abi >= _NET_RIGHTS_SINCE) + 8 * (abi >= _SCOPES_SINCE)
    ruleset = _Ruleset((1 << files) - 1, net, scopes)
    handle = libc.syscall(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), ctypes.c_uint32(0))
    if handle < 0:
        return 0
    try:
        return 0 if libc.syscall(_RESTRICT_SELF, handle, ctypes.c_uint32(0)) else abi
    finally:
        os.close(handle)
