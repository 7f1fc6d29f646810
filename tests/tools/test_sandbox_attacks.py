"""A parser that was taken over can do nothing: no attack has an effect, and each ends in its own named outcome."""

from __future__ import annotations

import asyncio

import pytest
from tests.fixtures.hostile_parsers import ATTACKS
from tests.tools.hostile_world import World
from tests.tools.sandbox_bench import NOT_HUNG_S, children

from app.kernel.errors import (
    OperationForbidden,
    OutputTooLarge,
    SandboxViolation,
    ToolFailure,
    ToolResponseInvalid,
    ToolTimeout,
    WorkerKilled,
)
from app.kernel.stops import Cause
from app.parsing.document import ParsedDocument
from app.tools.sandbox.host.parsers import ParserRaised, open_document_pool
from app.tools.sandbox.spec import ParserSpec
from app.tools.sandbox.walls.levels import SandboxLevel, Wall
from app.tools.sandbox.walls.probing import sandbox_offered

PARSER = "tests.fixtures.hostile_parsers:taken_over"
SPEC = ParserSpec(parser=PARSER, cpu_limit_s=1, memory_limit_bytes=400 << 20, wall_limit_ms=NOT_HUNG_S * 1000)

# What the filter ends: the attack, and what of the host's world it is aimed at.
FORBIDDEN = [
    ("tcp_connect", "tcp"),
    ("tcp_listen", "free_port"),
    ("udp_send", "udp"),
    ("udp_by_the_hosts_line", "udp"),
    ("unix_connect", "unix"),
    ("unix_abstract", "abstract"),
    ("socket_pair", ""),
    ("file_read", "passwd"),
    ("file_read", "victim"),
    ("file_read_by_openat2", "passwd"),
    ("folder_list", "data"),
    ("file_exists", "victim"),
    ("file_write", "new"),
    ("file_write_here", "here"),
    ("file_delete", "victim"),
    ("file_rename", "victim"),
    ("symlink", "new"),
    ("symlink_read", "link"),
    ("chmod", "victim"),
    ("mknod", "new"),
    ("memfd", ""),
    ("fork", "new"),
    ("vfork", ""),
    ("clone3", ""),
    ("fork_bomb", ""),
    ("execute", "new"),
    ("spawn", "new"),
    ("system", "new"),
    ("thread", ""),
    ("trace_host", ""),
    ("read_hosts_memory", "cell"),
    ("signal_host", ""),
    ("signal_everybody", ""),
    ("signal_host_by_thread", ""),
    ("own_memory_file", ""),
    ("hosts_environment", ""),
    ("io_uring", ""),
    ("bpf", ""),
    ("userfaultfd", ""),
    ("perf_event", ""),
    ("keyctl", ""),
    ("mount", "data"),
    ("unshare", ""),
    ("become_root", ""),
    ("more_memory", ""),
    ("more_descriptors", ""),
    ("undo_by_prctl", ""),
    ("undo_by_another_filter", ""),
    ("deaf_to_limits", ""),
    ("runnable_memory", ""),
    ("make_data_runnable", ""),
    ("other_architecture", ""),
    ("descriptors", "secret"),
]
# What ends in another way: the outcome, and words that its message must have.
OTHERS = [
    ("read_every_descriptor", "secret", OperationForbidden, ""),
    ("environment", "variable", OperationForbidden, ""),
    ("chatter", "", OperationForbidden, ""),
    ("late_import", "", ParserRaised, "ModuleNotFoundError"),
    ("memory", "", WorkerKilled, "memory limit"),
    ("memory_by_small_pieces", "", WorkerKilled, "memory limit"),
    ("segfault", "", WorkerKilled, "SIGSEGV"),
    ("abort", "", WorkerKilled, "SIGABRT"),
    ("spin", "", ToolTimeout, "processor time"),
    ("sleep", "", ToolTimeout, "deadline"),
    ("leave", "", ToolFailure, "code 0"),
    ("flood", "", OutputTooLarge, ""),
    ("forged_answer", "", ToolResponseInvalid, "worker"),
]
# Without the filter, Landlock and the limits still hold against these; a stat, a chmod and a fork are not among them.
BY_LANDLOCK = [
    "tcp_connect tcp", "tcp_listen free_port", "udp_send udp", "unix_connect unix", "unix_abstract abstract",
    "file_read passwd", "file_write new", "file_delete victim", "file_rename victim", "symlink new",
    "symlink_read link", "mknod new", "execute new", "signal_host", "more_memory", "mount data",
]  # fmt: skip
# Without either, a process still has no descriptor to open anything with, and no rights of root.
BY_LIMITS = [
    "tcp_connect tcp", "tcp_listen free_port", "udp_send udp", "unix_connect unix", "file_read passwd",
    "file_write new", "memfd", "more_memory", "more_descriptors", "mount data",
]  # fmt: skip


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    yield made
    made.close()


def outcome_of(world, attack, target, spec=SPEC, **limits):
    """What one attack comes to; nothing has happened, nobody is left, and the pool reads the next document."""

    async def whole():
        pool = open_document_pool(spec)
        try:
            document = f"{attack} {world.targets()[target]}".encode()
            try:
                answer = await asyncio.wait_for(pool.parse(document, "a.txt", **limits), 4 * NOT_HUNG_S)
            except ToolFailure as exc:
                answer = exc
            honest = await pool.parse(b"# Rye\n\nRye bread keeps.", "a.md")
            assert isinstance(honest, ParsedDocument)
            assert honest.title == "Rye"
            return answer
        finally:
            await pool.aclose()

    before = children()
    outcome = asyncio.run(whole())
    assert world.effects() == []
    assert children() == before
    return outcome


def test_every_attack_is_tried():
    assert {name for name, _ in FORBIDDEN} | {name for name, *_ in OTHERS} == set(ATTACKS)
    assert len(ATTACKS) >= 24


def test_the_full_level_stands_here():
    """The tests below are about all walls; a machine without them has to say so, not pass."""
    assert sandbox_offered().level is SandboxLevel.FULL


@pytest.mark.ruling("R16")
@pytest.mark.parametrize(("attack", "target"), FORBIDDEN)
def test_the_kernel_ends_what_is_forbidden(world, attack, target):
    outcome = outcome_of(world, attack, target)
    assert isinstance(outcome, WorkerKilled), outcome
    assert outcome.cause is Cause.WORKER_KILLED
    assert "SIGSYS" in str(outcome)


@pytest.mark.ruling("R2", "R16")
@pytest.mark.parametrize(("attack", "target", "kind", "words"), OTHERS)
def test_every_other_end_has_its_own_name(world, attack, target, kind, words):
    limits = {"deadline_ms": 5_000} if attack == "sleep" else {}
    outcome = outcome_of(world, attack, target, **limits)
    assert type(outcome) is kind, outcome
    assert words in str(outcome)


@pytest.mark.ruling("R16")
@pytest.mark.parametrize("attack", BY_LANDLOCK)
def test_landlock_and_the_limits_hold_by_themselves(world, attack):
    name, _, target = attack.partition(" ")
    spec = SPEC.model_copy(update={"walls": (Wall.LANDLOCK,)})
    assert isinstance(outcome_of(world, name, target, spec), SandboxViolation | ParserRaised)


@pytest.mark.ruling("R16")
@pytest.mark.parametrize("attack", BY_LIMITS)
def test_the_limits_hold_by_themselves(world, attack):
    name, _, target = attack.partition(" ")
    spec = SPEC.model_copy(update={"walls": ()})
    assert isinstance(outcome_of(world, name, target, spec), SandboxViolation | ParserRaised)


@pytest.mark.ruling("R16")
@pytest.mark.parametrize("target", ["passwd", "victim", "link"])
def test_a_parser_that_looks_for_files_can_be_refused_in_silence(world, target):
    spec = SPEC.model_copy(update={"deny_files": True})
    assert type(outcome_of(world, "file_read", target, spec)) is OperationForbidden


@pytest.mark.ruling("R16")
def test_what_is_refused_in_silence_is_reading_alone(world):
    spec = SPEC.model_copy(update={"deny_files": True})
    assert isinstance(outcome_of(world, "file_delete", "victim", spec), WorkerKilled)
    assert isinstance(outcome_of(world, "tcp_connect", "tcp", spec), WorkerKilled)


EFFECTIVE = [
    "tcp_connect tcp", "udp_send udp", "unix_connect unix", "unix_abstract abstract", "file_write new",
    "file_delete victim", "file_rename victim", "symlink new", "chmod victim", "mknod new", "fork new", "spawn new",
    "system new",
]  # fmt: skip
HARMLESS = ["file_read victim", "symlink_read link", "folder_list data", "descriptors secret", "environment variable"]


@pytest.mark.parametrize("attack", EFFECTIVE)
def test_unconfined_the_same_attack_has_an_effect_that_is_seen(world, attack):
    name, _, target = attack.partition(" ")
    ATTACKS[name](world.targets()[target])
    assert len(world.effects()) == 1


@pytest.mark.parametrize("attack", HARMLESS)
def test_unconfined_the_same_attack_goes_through(world, attack):
    name, _, target = attack.partition(" ")
    ATTACKS[name](world.targets()[target])
