"""Whatever a tool returns, raises or does to its process, the host gets a result or one named failure."""

from __future__ import annotations

import ast
import asyncio
import os
import signal

import pytest
from tests.tools.sandbox_bench import ask, body, cut, pool

from app.kernel.errors import (
    OperationForbidden,
    OutputTooLarge,
    ToolFailure,
    ToolResponseInvalid,
    ToolTimeout,
    ToolUnavailable,
    WorkerKilled,
)
from app.kernel.results import UnavailableKind
from app.tools.sandbox.frames import HEADER, FrameKind


def run(scenario, **changes):
    """Run a scenario with a pool of its own."""

    async def whole():
        async with pool(**changes) as tool:
            return await scenario(tool)

    return asyncio.run(whole())


def failure_of(do, text="", **changes):
    """The failure of one call; after it the pool must answer as before."""

    async def scenario(tool):
        with pytest.raises(ToolFailure) as caught:
            await ask(tool, do, text)
        assert await body(tool, "echo", "still here") == "still here"
        return caught.value

    return run(scenario, **changes)


def test_a_result_arrives_as_it_was():
    async def scenario(tool):
        text = "Grüße, 世界, \U0001f600, \x00 and \u202e " * 500
        assert await body(tool, "echo", text) == text
        assert (await ask(tool, "empty")).status == "empty"
        assert [await body(tool, "count") for _ in range(3)] == ["0", "1", "2"]

    run(scenario, max_workers=1)


@pytest.mark.ruling("R2")
@pytest.mark.parametrize("do", ["none", "dict", "text", "other_noun", "wrong_fields", "surrogate", "surrogate_built"])
def test_output_of_the_wrong_type(do):
    assert type(failure_of(do)) is ToolResponseInvalid


@pytest.mark.parametrize(
    "do",
    ["value_error", "rude", "system_exit", "interrupt", "generator_exit", "stop_iteration", "long_name", "recurse"],
)
def test_anything_raised_crosses_as_a_type_name_only(do):
    failure = failure_of(do)
    assert type(failure) is ToolFailure
    assert str(failure).startswith("tool raised ")
    assert "secret" not in str(failure)
    assert len(str(failure)) < 100


@pytest.mark.ruling("R2")
@pytest.mark.parametrize("kind", list(UnavailableKind))
def test_an_unavailable_source_keeps_its_kind(kind):
    failure = failure_of("unavailable", kind.value)
    assert type(failure) is ToolUnavailable
    assert (failure.kind, str(failure)) == (kind, "no way")


@pytest.mark.parametrize(
    ("do", "text", "kind"),
    [
        ("unavailable", "no such kind", ToolResponseInvalid),
        ("own_failure", "", ToolFailure),
        ("odd_failure", "", ToolFailure),
        ("own_timeout", "", ToolTimeout),
        ("forbidden", "", OperationForbidden),
    ],
)
def test_a_tools_own_failures_keep_their_class(do, text, kind):
    failure = failure_of(do, text)
    assert type(failure) is kind
    assert len(str(failure)) <= 200


def test_an_ordinary_failure_does_not_cost_the_worker():
    async def scenario(tool):
        pid = await body(tool, "pid")
        with pytest.raises(ToolUnavailable):
            await ask(tool, "unavailable", "slow")
        assert await body(tool, "pid") == pid
        with pytest.raises(ToolFailure):
            await ask(tool, "value_error")
        assert await body(tool, "pid") != pid

    run(scenario)


@pytest.mark.ruling("R16")
@pytest.mark.parametrize("do", ["huge"])
def test_more_than_the_declared_limit_is_not_even_read(do):
    assert type(failure_of(do)) is OutputTooLarge


@pytest.mark.ruling("R16")
@pytest.mark.parametrize("do", ["gigabyte", "memory", "eat"])
def test_the_memory_limit_holds(do):
    assert type(failure_of(do, memory_limit_bytes=1 << 29)) is WorkerKilled


@pytest.mark.ruling("R16")
@pytest.mark.parametrize(
    ("do", "text"),
    [
        ("segfault", ""),
        ("abort", ""),
        ("signal", str(int(signal.SIGSYS))),
        ("signal", str(int(signal.SIGSEGV))),
        ("signal", str(int(signal.SIGABRT))),
        ("signal", str(int(signal.SIGKILL))),
    ],
)
def test_a_worker_that_is_killed_broke_its_sandbox(do, text):
    assert type(failure_of(do, text)) is WorkerKilled


@pytest.mark.parametrize(("do", "text"), [("os_exit", "0"), ("os_exit", "3"), ("signal", str(int(signal.SIGTERM)))])
def test_a_worker_that_leaves_is_a_failure(do, text):
    assert type(failure_of(do, text)) is ToolFailure


@pytest.mark.parametrize("text", ["", "stay"])
def test_a_worker_that_closes_its_line(text):
    assert type(failure_of("close_lines", text)) in (ToolFailure, ToolResponseInvalid)


@pytest.mark.parametrize("config", ["raise", "exit"])
def test_a_tool_that_cannot_be_built(config):
    async def scenario(tool):
        with pytest.raises(ToolFailure, match=r"could not be built: (LookupError|SystemExit)"):
            await ask(tool, "echo")

    run(scenario, config=config)


def test_a_tool_that_eats_all_memory_while_it_is_built():
    async def scenario(tool):
        with pytest.raises(WorkerKilled):
            await ask(tool, "echo")

    run(scenario, config="hog")


@pytest.mark.parametrize("factory", ["no.such.module:build", "tests.fixtures.worker_tools:no_such_name"])
def test_a_factory_that_is_not_there(factory):
    async def scenario(tool):
        with pytest.raises(ToolFailure, match="could not be built"):
            await ask(tool, "echo")

    run(scenario, factory=factory)


def test_a_factory_that_builds_no_function():
    async def scenario(tool):
        with pytest.raises(ToolFailure, match="raised TypeError"):
            await ask(tool, "echo")

    run(scenario, factory="tests.fixtures.worker_tools:not_callable")


def test_what_a_tool_prints_does_not_reach_the_line(capfd):
    async def scenario(tool):
        return await body(tool, "print")

    assert run(scenario) == "printed"
    assert capfd.readouterr() == ("", "")


def test_garbage_in_every_descriptor_is_refused():
    assert isinstance(failure_of("garbage"), ToolFailure)


@pytest.mark.parametrize(
    "forged",
    [
        HEADER.pack(FrameKind.RESULT, 99, 2) + b"{}",
        HEADER.pack(FrameKind.RESULT, 1, 2) + b"{}",
        HEADER.pack(FrameKind.RESULT, 1, 4) + b"\xff\xfe\x00\x00",
        HEADER.pack(FrameKind.RESULT, 1, 400) + b"[" * 400,
        HEADER.pack(FrameKind.FAILURE, 1, 13) + b'{"name":"Odd"}'[:13],
        HEADER.pack(FrameKind.FAILURE, 1, 14) + b'{"name":"Odd"}',
        HEADER.pack(0, 1, 0),
        HEADER.pack(255, 1, 0),
        HEADER.pack(FrameKind.RESULT, 1, 2**32 - 1),
    ],
    ids=["number", "json", "unicode", "deep", "cut", "class", "kind-0", "kind-255", "size"],
)
def test_a_forged_answer_is_refused_or_at_least_not_kept(forged):
    failure = failure_of("forge", forged.hex())
    assert type(failure) in (ToolResponseInvalid, OutputTooLarge)


def test_a_thread_left_behind_harms_nobody():
    async def scenario(tool):
        assert await body(tool, "thread") == "left a thread"
        assert await body(tool, "echo", "next") == "next"

    run(scenario)


def test_a_fork_that_answers_too_is_not_heard():
    async def scenario(tool):
        assert await body(tool, "fork_both") == "from both sides"
        assert [await body(tool, "count") for _ in range(5)] == ["0", "1", "2", "3", "4"]

    run(scenario)


def test_a_worker_sees_nothing_of_its_host(monkeypatch):
    monkeypatch.setenv("PORTCULLIS_DATA", "/somewhere")
    monkeypatch.setenv("SECRET_TOKEN", "hush")

    async def scenario(tool):
        return ast.literal_eval(await body(tool, "look_around"))

    about = run(scenario, memory_limit_bytes=1 << 29, environment=(("TZ", "UTC"),))
    allowed = {"LANG", "LC_CTYPE", "MALLOC_ARENA_MAX", "PATH", "PYDANTIC_DISABLE_PLUGINS", "PYTHONHASHSEED", "TZ"}
    assert set(about["environment"]) <= allowed
    assert about["fds"] == 4
    assert (about["cwd"], about["core"], about["memory"]) == ("/", 0, 1 << 29)
    assert about["pid"] != os.getpid()


def test_output_up_to_the_limit_passes_and_one_more_does_not():
    async def scenario(tool):
        size = len((await ask(tool, "echo", "x" * 5_000)).model_dump_json())
        await ask(tool, "echo", "x" * 5_000, max_output_bytes=size)
        with pytest.raises(OutputTooLarge):
            await ask(tool, "echo", "x" * 5_000, max_output_bytes=size - 4_097)

    run(scenario)


@pytest.mark.parametrize("do", ["sleep", "spin", "read_pipe", "deaf", "close_lines"])
def test_a_call_that_never_ends_is_cut_at_once(do):
    async def scenario(tool):
        await body(tool, "echo")
        assert await cut(tool, do, "stay") < 5
        assert await body(tool, "echo", "still here") == "still here"

    run(scenario)
