"""Real files, a real worker, a real signal: a host that shuts down leaves every session closed and its key free."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from app import Principal, Settings, open_gate, read_request
from app.research.record.opening import session_of
from app.wiring import open_archive

ROOT = Path(__file__).parents[2]
DOCUMENTS = ROOT / "samples" / "bread"
PRINCIPAL = Principal(tenant="local", user="local", tier="MAX", collections=("documents",))
QUESTION = "how long does the dough rest in the cold?"
SLEEPING = "tests.fixtures.slow_tools:open_sleeping"


def _others():
    return asyncio.all_tasks() - {asyncio.current_task()}


def _cancel_all():
    for task in _others():
        task.cancel()


async def _all_gone():
    while others := _others():
        await asyncio.gather(*others, return_exceptions=True)


def _closed_and_identical(settings, keys):
    """Looked at from outside, as an operator would; returns the causes of each session that was begun."""
    records, causes = open_archive(settings), {}
    for row in records.sessions(10_000):
        assert row.state == "closed", row
        replayed = records.replay(row.session_id)
        assert replayed.identical, (row, replayed)
    for key in keys:
        with suppress(LookupError):
            shown = {row.session_id: row for row in records.sessions(10_000)}[session_of(PRINCIPAL, key)]
            causes[key] = shown.stop
    return causes


@pytest.mark.ruling("R12")
@pytest.mark.ruling("R19")
def test_cancelling_every_task_at_any_moment_closes_the_session_in_its_files(tmp_path):
    """Turns of the loop first, then the moments at which a worker is asked and answers."""
    settings = Settings(data_dir=tmp_path, environment="dev")
    moments = [("turns", turns) for turns in range(24)] + [("tenths", tenths) for tenths in range(1, 25, 2)]
    keys = [f"{kind}-{number}" for kind, number in moments]
    reported = []

    async def run():
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
        request = read_request(question=QUESTION)
        async with open_gate(DOCUMENTS, settings=settings) as router:
            await router.run(request, PRINCIPAL)
            for key, (kind, number) in zip(keys, moments, strict=True):
                asked = asyncio.ensure_future(router.run(request, PRINCIPAL, session_key=key))
                if kind == "turns":
                    for _ in range(number):
                        await asyncio.sleep(0)
                else:
                    await asyncio.sleep(number / 10_000)
                for _ in range(3):
                    _cancel_all()
                    await asyncio.sleep(0)
                await _all_gone()
                assert asked.done()
                recorded = await router.run(request, PRINCIPAL, session_key=key)
                again = await router.run(request, PRINCIPAL, session_key=key)
                assert recorded == again
                assert recorded.verdict.stop in ("SUCCESS_COMPLETED", "TIMEOUT"), (key, recorded.verdict)
        await _all_gone()
        gc.collect()

    asyncio.run(run())
    assert reported == []
    stops = _closed_and_identical(settings, keys)
    assert stops["turns-0"] == "SUCCESS_COMPLETED"  # not even the caller had begun
    assert [stops[f"turns-{turns}"] for turns in range(1, 4)] == ["TIMEOUT"] * 3


@pytest.mark.ruling("R12")
def test_the_task_that_holds_the_gate_waits_for_the_sessions_of_the_others(tmp_path):
    """A server's shutdown: the task with the gate and those with the requests are cancelled in one go."""
    settings = Settings(data_dir=tmp_path, environment="dev")
    keys = [f"request-{number}" for number in range(6)]

    async def run(again):
        opened = asyncio.get_running_loop().create_future()
        request = read_request(question=QUESTION)

        async def server():
            async with open_gate(DOCUMENTS, settings=settings) as router:
                opened.set_result(router)
                await asyncio.Event().wait()

        holding = asyncio.ensure_future(server())
        router = await opened
        await router.run(request, PRINCIPAL)  # a worker is up now, and idle
        asked = [asyncio.ensure_future(router.run(request, PRINCIPAL, session_key=key)) for key in keys]
        for _ in range(3):  # the calls have reached their workers
            await asyncio.sleep(0)
        for _ in range(again):
            _cancel_all()
            await asyncio.sleep(0)
        await _all_gone()
        assert holding.cancelled()
        assert all(task.done() for task in asked)
        assert router.health().workers == 0

    for again in (1, 2, 8):
        asyncio.run(run(again))
        keys = [f"{key}-{again}" for key in keys]
    _closed_and_identical(settings, keys)
    # Stores that close before their sessions would make INTERNAL_INCONSISTENCY of them.
    assert {row.stop for row in open_archive(settings).sessions(10_000)} == {"TIMEOUT", "SUCCESS_COMPLETED"}


@pytest.mark.ruling("R12")
@pytest.mark.parametrize("how", ["interrupt", "task_group"])
def test_a_process_that_is_interrupted_leaves_its_session_closed(how, tmp_path):
    """`asyncio.run` cancels what is left and closes its loop right after: nothing is left pending, nothing is told."""
    command = [sys.executable, "-X", "dev", "-m", "tests.fixtures.interrupted", how, str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"
        if how == "interrupt":
            os.kill(process.pid, signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    assert out == "ended\n", errors
    assert "Task was destroyed" not in errors
    assert "never awaited" not in errors
    assert "never retrieved" not in errors
    settings = Settings(data_dir=tmp_path, environment="dev")
    assert _closed_and_identical(settings, ["host"]) == {"host": "TIMEOUT"}
