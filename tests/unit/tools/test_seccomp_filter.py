"""The filter as the kernel would run it, on both machines: a few calls pass, under their conditions; all others end."""

from __future__ import annotations

import struct
from errno import EACCES

import pytest

from app.tools.sandbox.walls.seccomp import filter_program
from app.tools.sandbox.walls.syscalls import ALLOWED, ARCHITECTURES, READING_FILES, numbers

KILL, ALLOW, REFUSE = 0x80000000, 0x7FFF0000, 0x50000 | EACCES
LINE, PID = 7, 4242
WORD = 0xFFFFFFFF


def verdict(code, audit_name, number, *arguments):
    """A machine for the kernel's filter language, as its documentation describes it."""
    seen = struct.pack("=IIQ6Q", number, audit_name, 0, *(*arguments, *[0] * (6 - len(arguments))))
    at, value = 0, 0
    while True:
        operation, if_true, if_false, operand = struct.unpack_from("=HBBI", code, 8 * at)
        at += 1
        match operation:
            case 0x20:
                (value,) = struct.unpack_from("=I", seen, operand)
            case 0x15:
                at += if_true if value == operand else if_false
            case 0x45:
                at += if_true if value & operand else if_false
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"unknown operation {operation:#x}")


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request):
    architecture = ARCHITECTURES[request.param]

    def ask(number, *arguments, deny_files=False, audit_name=architecture.audit_name):
        code = filter_program(architecture, LINE, PID, deny_files=deny_files)
        return verdict(code, audit_name, number, *arguments)

    return architecture, ask


def test_calls_that_need_no_argument_pass_and_the_unlisted_end(machine):
    architecture, ask = machine
    allowed = numbers(ALLOWED, architecture)
    under_conditions = {9, 10, 44, 45, 234, 302} if architecture.column == 0 else {222, 226, 206, 207, 131, 261}
    passed = {number for number in range(1_024) if ask(number, WORD, WORD, WORD) == ALLOW}
    assert passed == set(allowed)
    assert not passed & under_conditions
    assert all(ask(number | 0x40000000) == KILL for number in range(1_024))


def test_another_architecture_ends(machine):
    architecture, ask = machine
    for number in numbers(ALLOWED, architecture):
        assert ask(number, audit_name=0x40000003) == KILL


@pytest.mark.parametrize(
    ("x86_64", "aarch64", "good", "bad"),
    [
        (9, 222, (0, 4096, 3), [(0, 4096, 7), (0, 4096, 4), (0, 4096, 5)]),
        (10, 226, (0, 4096, 3), [(0, 4096, 5), (0, 4096, 7)]),
        (45, 207, (LINE,), [(LINE + 1,), (0,), (WORD,)]),
        (44, 206, (LINE,), [(LINE + 1,), (0,), (WORD,)]),
        (234, 131, (PID, PID, 6), [(1, 1, 9), (PID - 1, PID, 9), (0, 0, 0)]),
        (302, 261, (0, 0), [(0, 9), (1, 0), (PID, 0), (0, 7)]),
    ],
)
def test_calls_under_a_condition(machine, x86_64, aarch64, good, bad):
    architecture, ask = machine
    number = (x86_64, aarch64)[architecture.column]
    assert ask(number, *good) == ALLOW
    assert [ask(number, *arguments) for arguments in bad] == [KILL] * len(bad)


def test_looking_for_files_ends_or_is_refused(machine):
    architecture, ask = machine
    for number in numbers(READING_FILES, architecture):
        assert ask(number) == KILL
        assert ask(number, deny_files=True) == REFUSE


def test_no_call_is_in_two_tables():
    for architecture in ARCHITECTURES.values():
        listed = numbers(ALLOWED, architecture) + numbers(READING_FILES, architecture)
        assert len(listed) == len(set(listed)) > 20
