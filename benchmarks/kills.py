"""Random kills of the real command line: what is finished stays finished, what is not is never called so.

Every round starts `portcullis ask`, kills it with SIGKILL at a random moment, looks at what it left, starts again, and
looks once more. Every second round aims between the session's first line and its end, where the harm would be done.
Rounds with a key start again with the same key and count the calls that were made twice. Prints one JSON document; exit
code 1 when anything was lost.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from scripts.seeded_chance import seeded_chance

from app.kernel.journal_records import Called, Closed, Line, Recovered
from app.research.ledger import decide
from app.research.record.opening import read_chain
from app.system.clock import SystemClock
from app.system.settings import Settings
from app.system.stores.journal.files import FileJournal
from app.system.stores.ledger.sqlite import SqliteLedger
from app.wiring import open_archive

QUESTION = "How long should sourdough proof in the fridge?"
CLI = Path(sys.executable).with_name("portcullis")


@dataclass
class Tally:
    """What was seen over all rounds; everything but the first four must be 0."""

    kills: int = 0
    killed_before_the_session: int = 0
    killed_in_the_session: int = 0
    killed_after_the_session: int = 0
    finished_lost: int = 0
    unfinished_called_finished: int = 0
    reservations_left: int = 0
    starts_not_clean: int = 0
    replays_not_identical: int = 0
    resumed: int = 0
    recorded_calls_repeated: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def broken(self) -> int:
        """How many promises were broken."""
        return (
            self.finished_lost
            + self.unfinished_called_finished
            + self.reservations_left
            + self.starts_not_clean
            + self.replays_not_identical
            + self.recorded_calls_repeated
        )

    def add(self, other: Tally) -> None:
        """Count the rounds of another hand in."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def rounds(seed: int, number: int, keyed: bool, data_dir: Path) -> Tally:
    """Some rounds on one data folder."""
    chance = seeded_chance(seed)
    tally = Tally()
    _asked(data_dir, None)  # the first one builds the index
    whole_s = _asked(data_dir, None)
    (newest,) = open_archive(Settings(data_dir=data_dir)).sessions(1)
    session_s = newest.elapsed_ms / 1000
    for count in range(number):
        key = f"key-{seed}-{count}" if keyed else None
        before = set(_sessions(data_dir))
        aimed = bool(count % 2)
        printed = _killed(data_dir, key, chance.uniform(0, session_s if aimed else whole_s), aimed)
        tally.kills += 1
        _judge(tally, data_dir, key, before, printed)
    return tally


def _asked(data_dir: Path, key: str | None) -> float:
    started = time.monotonic()
    done = subprocess.run(_command(key), env=_environment(data_dir), capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"ask failed: {done.stderr.decode()}")
    return time.monotonic() - started


def _killed(data_dir: Path, key: str | None, after_s: float, aimed: bool) -> bool:
    """Kill an `ask` a while after its start, or after its session was opened; whether it had printed its answer."""
    with subprocess.Popen(
        _command(key), env=_environment(data_dir), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as ask:
        while aimed and ask.poll() is None and not _open(data_dir):
            time.sleep(0.002)
        time.sleep(after_s)
        ask.kill()
        out = ask.communicate()[0]
    return out.endswith(b"}\n")


def _judge(tally: Tally, data_dir: Path, key: str | None, before: set[str], printed: bool) -> None:
    left = {name: lines for name, lines in _sessions(data_dir).items() if name not in before}
    finished = [name for name, lines in left.items() if _ended(lines)]
    tally.killed_before_the_session += not left
    tally.killed_in_the_session += bool(left) and not finished
    tally.killed_after_the_session += bool(finished)
    if printed and not finished:
        tally.finished_lost += 1
        tally.notes.append("an answer was printed and its session is not closed")
    try:
        _asked(data_dir, key)
    except SystemExit as exc:
        tally.starts_not_clean += 1
        tally.notes.append(str(exc))
        return
    now = _sessions(data_dir)
    for name, lines in left.items():
        _compare(tally, data_dir, name, lines, now.get(name, ()), key is not None)
    if any(isinstance(line.record, Closed) is False for lines in now.values() for line in lines[-1:]) and _open(
        data_dir
    ):
        tally.starts_not_clean += 1
        tally.notes.append("a session is still open")


def _compare(
    tally: Tally, data_dir: Path, name: str, left: tuple[Line, ...], now: tuple[Line, ...], keyed: bool
) -> None:
    was, is_now = _ended(left), _ended(now)
    if was and not is_now:
        tally.finished_lost += 1
    if keyed and not was:
        tally.resumed += 1
        recorded = [line.record.outcome.call_id for line in left if isinstance(line.record, Called)]
        again = [line.record.outcome.call_id for line in now if isinstance(line.record, Called)]
        tally.recorded_calls_repeated += sum(again.count(call) != 1 for call in recorded)
        tally.starts_not_clean += not is_now
    elif left and not was and (is_now or not isinstance(now[-1].record, Recovered)):
        tally.unfinished_called_finished += 1
    held = asyncio.run(_standing(data_dir, name))
    tally.reservations_left += held
    if now:
        found = open_archive(Settings(data_dir=data_dir)).replay(name)
        if not found.identical:
            tally.replays_not_identical += 1
            tally.notes.append(f"{found.result}: {found.why}")


async def _standing(data_dir: Path, session_id: str) -> int:
    ledger = SqliteLedger(data_dir / "ledger.sqlite3", SystemClock(), decide)
    try:
        return (await ledger.standing("local/local", session_id)).open_reservations
    finally:
        ledger.close()


def _sessions(data_dir: Path) -> dict[str, tuple[Line, ...]]:
    journal = FileJournal(data_dir / "journal")
    found = [*journal.closed_sessions(), *journal.open_sessions()]
    read = [journal.read(one) for one in found]
    return {one.session_id: read_chain(lines).lines for one, lines in (both for both in read if both is not None)}


def _open(data_dir: Path) -> bool:
    return any(True for _ in FileJournal(data_dir / "journal").open_sessions())


def _ended(lines: tuple[Line, ...]) -> bool:
    return bool(lines) and isinstance(lines[-1].record, Closed)


def _command(key: str | None) -> list[str]:
    # MAX in dev: 240 calls a minute, so that the rate limit is not what ends a round.
    return [str(CLI), "ask", QUESTION, "--json", "--tier", "MAX", *(("--session-key", key) if key else ())]


def _environment(data_dir: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(data_dir), "PORTCULLIS_DATA": str(data_dir)}


def main(argv: list[str] | None = None) -> int:
    """Exit code 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--keyed", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    given = parser.parse_args(argv)
    total, resumed = Tally(), Tally()
    with tempfile.TemporaryDirectory(prefix="portcullis-kills-") as scratch, ThreadPoolExecutor(given.jobs) as hands:
        runs = []
        for keyed, wanted in ((False, given.kills), (True, given.keyed)):
            for job in range(given.jobs):
                share = wanted // given.jobs + (job < wanted % given.jobs)
                folder = Path(scratch) / f"{keyed}-{job}"
                folder.mkdir()
                runs.append((keyed, hands.submit(rounds, given.seed + job, share, keyed, folder)))
        for keyed, run in runs:
            (resumed if keyed else total).add(run.result())
    print(json.dumps({"seed": given.seed, "without_key": vars(total), "with_key": vars(resumed)}))
    return 1 if total.broken or resumed.broken else 0


if __name__ == "__main__":
    sys.exit(main())
