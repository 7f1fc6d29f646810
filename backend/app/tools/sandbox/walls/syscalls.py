"""The system calls that a parser needs once everything is loaded, by name and number; whatever is not here kills it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["ALLOWED", "ARCHITECTURES", "READING_FILES", "Architecture", "Call", "numbers"]


@dataclass(frozen=True, slots=True)
class Architecture:
    """How the kernel names a machine in a filter, the number of `seccomp` there, and our column of the table."""

    audit_name: int
    seccomp: int
    capset: int
    column: int


ARCHITECTURES: Final = {
    "x86_64": Architecture(audit_name=0xC000003E, seccomp=317, capset=126, column=0),
    "aarch64": Architecture(audit_name=0xC00000B7, seccomp=277, capset=91, column=1),
}

Call = tuple[int | None, int | None]
"""The number on x86_64 and on aarch64; None where there is no such call."""

# Memory, time, locks within the process, an end. `mmap`, `mprotect`, `tgkill`, `prlimit64`, `recvfrom` and `sendto`
# are allowed with certain arguments only, and stand with those in `seccomp.py`.
ALLOWED: Final[dict[str, Call]] = {
    "brk": (12, 214),
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "close": (3, 57),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "futex": (202, 98),
    "getpid": (39, 172),
    "getrandom": (318, 278),
    "getrusage": (98, 165),
    "gettid": (186, 178),
    "gettimeofday": (96, 169),
    "lseek": (8, 62),
    "madvise": (28, 233),
    "mremap": (25, 216),
    "munmap": (11, 215),
    "nanosleep": (35, 101),
    "read": (0, 63),
    "restart_syscall": (219, 128),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_getaffinity": (204, 123),
    "sched_yield": (24, 124),
    "sysinfo": (99, 179),
    "write": (1, 64),
}

# What a library does that looks for a file it can do without; refused in silence where a parser's spec says so.
READING_FILES: Final[dict[str, Call]] = {
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "getcwd": (79, 17),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "stat": (4, None),
    "statx": (332, 291),
}


def numbers(calls: dict[str, Call], architecture: Architecture) -> tuple[int, ...]:
    """The numbers of these calls on this machine, in order."""
    here = (call[architecture.column] for call in calls.values())
    return tuple(sorted(number for number in here if number is not None))
