"""A ledger file that is damaged, foreign, newer, read-only, full or locked is refused clearly, and nothing is lost."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import textwrap

import pytest

from app.kernel.errors import ContractViolation, StoreUnusable
from app.kernel.ledger import Reserved
from app.research.ledger import decide
from app.system.stores.ledger.memory import MemoryLedger
from app.system.stores.ledger.sqlite import SqliteLedger
from tests.reference.ledger_bench import Bench, HandClock, drive, wish


@pytest.fixture
def bench(tmp_path):
    bench = Bench("sqlite", tmp_path)
    yield bench
    bench.ledger.close()


def run_python(code, *arguments):
    """Run a small program that may harm itself; it prints what it saw."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "content", [b"not a database at all, just words" * 50, b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_damaged_file_is_named_and_left_alone(bench, content):
    bench.path.write_bytes(content)
    with pytest.raises(StoreUnusable, match="damaged"):
        bench.reserve()
    assert bench.path.read_bytes() == content


def test_a_damaged_page_is_found_when_it_is_read(bench):
    for n in range(200):
        bench.reserve(session_id=f"s{n}", max_calls_per_minute=1_000)
    bench.ledger.close()
    data = bytearray(bench.path.read_bytes())
    data[1024:] = b"\xa5" * (len(data) - 1024)
    bench.path.write_bytes(data)
    bench.restart()
    with pytest.raises(StoreUnusable, match="damaged"):
        bench.reserve()


def test_a_directory_is_not_a_ledger(bench):
    bench.path.mkdir()
    with pytest.raises(StoreUnusable, match="is a directory"):
        bench.reserve()


def test_a_folder_that_does_not_exist(tmp_path):
    ledger = SqliteLedger(tmp_path / "no" / "ledger.db", HandClock(), decide)
    with pytest.raises(StoreUnusable, match="cannot be opened"):
        drive(ledger.reserve(wish()))


def test_a_newer_file_is_refused(bench):
    bench.reserve()
    bench.ledger.close()
    with sqlite3.connect(bench.path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    bench.restart()
    with pytest.raises(StoreUnusable, match="newer version"):
        bench.standing()


def test_another_programs_file_is_refused(bench):
    with sqlite3.connect(bench.path) as db:
        db.execute("CREATE TABLE theirs (a)")
    db.close()
    with pytest.raises(StoreUnusable, match="another program"):
        bench.reserve()


def test_a_ledger_without_its_tables_is_damaged(bench):
    bench.reserve()
    bench.ledger.close()
    with sqlite3.connect(bench.path) as db:
        db.execute("DROP TABLE reservations")
    db.close()
    bench.restart()
    with pytest.raises(StoreUnusable, match="damaged"):
        bench.reserve()


READ_ONLY = """
    import os, pathlib, sys
    from app.kernel.errors import StoreUnusable
    from tests.reference.ledger_bench import Bench
    folder = pathlib.Path(sys.argv[1])
    bench = Bench("sqlite", folder)
    if sys.argv[2] == "file":
        bench.reserve()
        bench.restart()
        bench.path.chmod(0o444)
        bench.ledger.close()
        bench.restart()
    folder.chmod(0o555)
    if os.geteuid() == 0:
        os.setuid(65534)
    try:
        bench.reserve(key="b2")
    except StoreUnusable as exc:
        print(exc)
"""


@pytest.mark.parametrize(("what", "message"), [("file", "read-only"), ("folder", "cannot be opened")])
def test_a_read_only_place_is_refused(tmp_path, what, message):
    # The folder must be reachable for a process without rights, which pytest's own folders are not.
    folder = subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip()
    os.chmod(folder, 0o755)  # noqa: S103 - the point of the test is who may write here
    try:
        assert message in run_python(READ_ONLY, folder, what)
    finally:
        os.chmod(folder, 0o755)  # noqa: S103 - so that it can be removed
        subprocess.run(["rm", "-r", folder], check=True)


FULL = """
    import pathlib, resource, sys
    from app.kernel.errors import StoreUnusable
    from tests.reference.ledger_bench import Bench
    bench = Bench("sqlite", pathlib.Path(sys.argv[1]))
    made = 0
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
    try:
        while made < 5_000:
            bench.reserve(session_id=f"s{made}", max_calls_per_minute=10_000)
            made += 1
    except StoreUnusable as exc:
        message = str(exc)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert bench.standing()["window_calls"] == made, "a decision was lost"
    bench.reserve(session_id="after", max_calls_per_minute=10_000)
    assert bench.standing()["window_calls"] == made + 1
    print(message)
"""


def test_a_disk_without_room_loses_nothing_and_recovers(tmp_path):
    assert "cannot be read or written" in run_python(FULL, tmp_path)


def test_a_full_database_says_so(bench):
    bench.reserve(max_calls_per_minute=10_000)
    pages = bench.ledger._connection.execute("PRAGMA page_count").fetchone()[0]
    bench.ledger._connection.execute(f"PRAGMA max_page_count = {pages}")
    made = 1
    with pytest.raises(StoreUnusable, match="the disk is full"):  # noqa: PT012 - the loop finds the call that fails
        for made in range(1, 1_000):
            bench.reserve(session_id=f"s{made + 1}", max_calls_per_minute=10_000)
    assert bench.standing()["window_calls"] == made


HOLD = """
    import sqlite3, sys, time
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def lock_holder(bench):
    bench.reserve()
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(HOLD), str(bench.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        yield holder  # closing its input makes it let go


def test_a_lock_that_stays_is_refused_and_the_loop_goes_on(bench, lock_holder):
    ledger = SqliteLedger(bench.path, bench.clock, decide, patience_ms=300)
    beats = 0

    async def scenario():
        async def beat():
            nonlocal beats
            while True:
                await asyncio.sleep(0.001)
                beats += 1

        heart = asyncio.create_task(beat())
        try:
            with pytest.raises(StoreUnusable, match="stays locked"):
                await ledger.reserve(wish(key="b2"))
        finally:
            heart.cancel()

    asyncio.run(scenario())
    ledger.close()
    assert beats > 3  # a loop that stands still has none; a busy machine has few


def test_a_lock_that_is_given_back_is_waited_for(bench, lock_holder):
    async def scenario():
        waiting = asyncio.create_task(bench.ledger.reserve(wish(key="b2")))
        settling = asyncio.create_task(bench.ledger.settle("s1:b1", 3))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        lock_holder.stdin.close()
        return await waiting, await settling

    made, _ = asyncio.run(scenario())
    assert isinstance(made, Reserved)
    assert bench.standing()["spent_units"] == 3


def test_a_cancelled_wish_leaves_nothing(bench, lock_holder):
    async def scenario():
        waiting = asyncio.create_task(bench.ledger.reserve(wish(key="b2")))
        await asyncio.sleep(0.02)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(scenario())
    lock_holder.stdin.close()
    lock_holder.wait(timeout=30)
    assert bench.standing()["session_calls"] == 1


def test_a_closed_ledger_says_so(bench):
    bench.reserve()
    bench.ledger.close()
    bench.ledger.close()
    with pytest.raises(StoreUnusable, match="was closed"):
        bench.reserve()


def test_a_forked_process_must_not_use_the_parents_connection(bench):
    code = """
        import os, pathlib, sys
        from app.kernel.errors import StoreUnusable
        from tests.reference.ledger_bench import Bench
        bench = Bench("sqlite", pathlib.Path(sys.argv[1]))
        bench.reserve()
        if os.fork() == 0:
            try:
                bench.reserve(key="b2")
            except StoreUnusable as exc:
                print(exc, flush=True)
            os._exit(0)
        os.wait()
        assert bench.standing()["session_calls"] == 1
    """
    assert "before a fork" in run_python(code, bench.path.parent)


@pytest.mark.parametrize("changes", [{"subject": "lone \ud800"}, {"units": 2**70, "max_units": 2**80}])
def test_what_does_not_fit_into_the_file_is_our_mistake(bench, changes):
    with pytest.raises(ContractViolation, match="does not fit"):
        bench.reserve(**changes)
    assert isinstance(bench.reserve(), Reserved)


def test_a_rule_that_fails_leaves_no_transaction_open(bench, tmp_path):
    def broken(state, wish, now_ms):
        raise ZeroDivisionError

    ledger = SqliteLedger(bench.path, bench.clock, broken)
    with pytest.raises(ZeroDivisionError):
        drive(ledger.reserve(wish()))
    assert isinstance(bench.reserve(), Reserved)
    ledger.close()


@pytest.mark.parametrize("backend", ["memory", "sqlite"])
def test_old_entries_are_forgotten_a_few_at_a_time(tmp_path, backend):
    clock = HandClock()
    if backend == "memory":
        ledger = MemoryLedger(clock, decide, retain_ms=120_000)
    else:
        ledger = SqliteLedger(tmp_path / "ledger.db", clock, decide, retain_ms=120_000)
    for n in range(400):
        clock.at_ms += 1_000
        drive(ledger.reserve(wish(session_id=f"s{n}", subject=f"u{n % 7}", lease_ms=1_000)))
    kept = sum(drive(ledger.standing("u0", f"s{n}")).session_calls for n in range(400))
    ledger.close()
    assert 120 <= kept <= 122


@pytest.mark.parametrize("backend", ["memory", "sqlite"])
def test_a_call_does_not_pay_for_history(tmp_path, backend):
    """Ten times the history must not mean ten times the work: steps are counted, which no busy machine changes."""
    bench = Bench(backend, tmp_path)
    steps = 0

    def count(*_):
        nonlocal steps
        steps += 1

    def traced(*_):
        count()
        return traced

    def calls(number, name):
        for n in range(number):
            bench.clock.at_ms += 7_000
            bench.reserve(session_id=f"{name}{n}", lease_ms=1)

    def cost(name):
        nonlocal steps
        steps, before = 0, sys.gettrace()
        if backend == "sqlite":
            bench.ledger._connection.set_progress_handler(count, 1)  # every step of the database's machine
        sys.settrace(traced)  # every line of ours
        try:
            calls(200, name)
        finally:
            sys.settrace(before)
            if backend == "sqlite":
                bench.ledger._connection.set_progress_handler(None, 0)
        return steps

    calls(20, "w")  # the window is full, and the file open
    early = cost("a")
    calls(6_000, "m")
    late = cost("z")
    bench.ledger.close()
    assert 0 < late < early * 2, (early, late)
