"""One gate for all threads and event loops of its process, also while the loop that opened it stands still."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Thread

from app import Settings, open_gate, read_principal, read_request

SAMPLES = Path(__file__).parents[2] / "samples"
REQUEST = read_request(question="How long should sourdough proof in the fridge?")
NOT_HUNG_S = 60


def who(number):
    return read_principal(tenant="local", user=f"user-{number}", tier="PRO", collections=("documents",))


async def stop_of(router, number):
    return (await router.run(REQUEST, who(number))).verdict.stop.name


@contextmanager
def opened(folder):
    """A gate whose loop runs only while it is opened and closed."""
    with asyncio.Runner() as runner:
        gate = open_gate(SAMPLES, settings=Settings(data_dir=folder, environment="prod"))
        router = runner.run(gate.__aenter__())
        try:
            yield router
        finally:
            runner.run(gate.__aexit__(None, None, None))


def in_a_thread_of_its_own(work):
    """The thread is gone when this returns, and so is its loop."""
    found = []
    thread = Thread(target=lambda: found.append(asyncio.run(work())))
    thread.start()
    thread.join(NOT_HUNG_S)
    return found[0]


def test_one_thread_for_each_request(tmp_path):
    with opened(tmp_path) as router:
        stops = [in_a_thread_of_its_own(lambda number=number: stop_of(router, number)) for number in range(12)]
    assert stops == ["SUCCESS_COMPLETED"] * 12


def test_many_threads_at_once(tmp_path):
    barrier = Barrier(8)

    def asked(number):
        barrier.wait(NOT_HUNG_S)
        return [asyncio.run(stop_of(router, 10 * number + one)) for one in range(3)]

    with opened(tmp_path) as router, ThreadPoolExecutor(8) as threads:
        stops = list(threads.map(asked, range(8)))
    assert stops == [["SUCCESS_COMPLETED"] * 3] * 8


def test_a_request_that_is_cut_on_one_loop_leaves_the_others_alone(tmp_path):
    async def cut(router, number):
        task = asyncio.create_task(stop_of(router, number))
        await asyncio.sleep(0.001 * number)
        task.cancel()
        return (await asyncio.gather(task, return_exceptions=True))[0]

    with opened(tmp_path) as router, ThreadPoolExecutor(8) as threads:
        cuts = [threads.submit(asyncio.run, cut(router, number)) for number in range(1, 21)]
        kept = [threads.submit(asyncio.run, stop_of(router, number)) for number in range(100, 120)]
        assert [one.result(NOT_HUNG_S) for one in kept] == ["SUCCESS_COMPLETED"] * 20
        assert {str(one.result(NOT_HUNG_S)) for one in cuts} <= {"", "SUCCESS_COMPLETED"}
