"""seccomp: a filter in the kernel that ends the process at the first system call that parsing does not need."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from errno import EACCES
from struct import Struct
from typing import Final

from .syscalls import ALLOWED, ARCHITECTURES, READING_FILES, Architecture, Call, numbers

__all__ = ["Condition", "filter_program", "seccomp_offered", "shut"]

_SET_MODE_FILTER: Final = 1
_GET_ACTION_AVAIL: Final = 2
_KILL_PROCESS: Final = 0x8000_0000
_ERRNO: Final = 0x0005_0000
_ALLOW: Final = 0x7FFF_0000

# The four instructions that are needed of the kernel's classic filter language.
_LOAD: Final = 0x20
_JUMP_IF_EQUAL: Final = 0x15
_JUMP_IF_ANY_BIT: Final = 0x45
_RETURN: Final = 0x06
_INSTRUCTION: Final = Struct("=HBBI")

# What a filter sees: the number, the architecture, the instruction pointer, six arguments of eight bytes.
_NUMBER_AT: Final = 0
_ARCHITECTURE_AT: Final = 4
_ARGUMENTS_AT: Final = 16

_PROT_EXEC: Final = 4
_RLIMIT_CPU: Final = 0


@dataclass(frozen=True, slots=True)
class Condition:
    """What the low word of an argument has to be: a value, or free of certain bits."""

    argument: int
    value: int | None = None
    without_bits: int = 0


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def seccomp_offered() -> bool:
    """Whether this kernel and machine have what the filter needs."""
    architecture = ARCHITECTURES.get(os.uname().machine)
    if architecture is None:
        return False
    action = ctypes.c_uint32(_KILL_PROCESS)
    wanted = ctypes.c_uint32(_GET_ACTION_AVAIL)
    return bool(ctypes.CDLL(None).syscall(architecture.seccomp, wanted, ctypes.c_uint32(0), ctypes.byref(action)) == 0)


def shut(line_fd: int, own_pid: int, *, deny_files: bool) -> bool:
    """Put the filter in force, for good; the caller has set `no_new_privs`."""
    architecture = ARCHITECTURES.get(os.uname().machine)
    if architecture is None or not seccomp_offered():
        return False
    code = filter_program(architecture, line_fd, own_pid, deny_files=deny_files)
    program = _Program(len(code) // _INSTRUCTION.size, code)
    mode = ctypes.c_uint32(_SET_MODE_FILTER)
    return bool(ctypes.CDLL(None).syscall(architecture.seccomp, mode, ctypes.c_uint32(0), ctypes.byref(program)) == 0)


def filter_program(architecture: Architecture, line_fd: int, own_pid: int, *, deny_files: bool) -> bytes:
    """The filter for one worker: calls that are allowed, those that are under a condition, an end for all others."""
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_IF_EQUAL, 1, 0, architecture.audit_name),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for number in numbers(ALLOWED, architecture):
        code += _answer(number, _ALLOW)
    if deny_files:
        for number in numbers(READING_FILES, architecture):
            code += _answer(number, _ERRNO | EACCES)
    for call, conditions in _conditional(line_fd, own_pid):
        (number,) = numbers({"": call}, architecture)
        code += _answer_if(number, conditions)
    code.append((_RETURN, 0, 0, _KILL_PROCESS))
    return b"".join(_INSTRUCTION.pack(*instruction) for instruction in code)


def _conditional(line_fd: int, own_pid: int) -> tuple[tuple[Call, tuple[Condition, ...]], ...]:
    return (
        ((9, 222), (Condition(2, without_bits=_PROT_EXEC),)),  # mmap: no memory that can be run
        ((10, 226), (Condition(2, without_bits=_PROT_EXEC),)),  # mprotect
        ((45, 207), (Condition(0, line_fd),)),  # recvfrom: the host's line and no other
        ((44, 206), (Condition(0, line_fd),)),  # sendto
        ((234, 131), (Condition(0, own_pid),)),  # tgkill: `abort` ends the process that calls it
        ((302, 261), (Condition(0, 0), Condition(1, _RLIMIT_CPU))),  # prlimit64: each document its own time
    )


def _answer(number: int, action: int) -> list[tuple[int, int, int, int]]:
    return [(_JUMP_IF_EQUAL, 0, 1, number), (_RETURN, 0, 0, action)]


def _answer_if(number: int, conditions: tuple[Condition, ...]) -> list[tuple[int, int, int, int]]:
    """Each test jumps over the permission to the end of the block when it fails."""
    tests: list[tuple[int, int, int, int]] = []
    for place, condition in enumerate(conditions):
        ahead = 2 * (len(conditions) - place - 1) + 1  # instructions up to the block's own end
        tests.append((_LOAD, 0, 0, _ARGUMENTS_AT + 8 * condition.argument))
        if condition.value is None:
            tests.append((_JUMP_IF_ANY_BIT, ahead, 0, condition.without_bits))
        else:
            tests.append((_JUMP_IF_EQUAL, 0, ahead, condition.value))
    block = [*tests, (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _KILL_PROCESS)]
    return [(_JUMP_IF_EQUAL, 0, len(block), number), *block]
