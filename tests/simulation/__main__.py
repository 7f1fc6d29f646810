"""`python -m tests.simulation`: seeded sessions under faults, judged by the oracle; `portcullis simulate` calls it."""

from __future__ import annotations

import argparse
import contextlib
import errno
import hashlib
import json
import logging
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.reference.session_model import ORDER
from tests.simulation import runs
from tests.simulation.case_files import NoCase, read_case, why_no_world
from tests.simulation.interrupt import INTERRUPTS
from tests.simulation.matrix import FULL_RUN, compare, rarest
from tests.simulation.scenario.generate import SESSIONS_PER_WORLD, make_world
from tests.simulation.shrink import shrink

Json = dict[str, Any]
HOLDS, NOT_TOLD, INVALID, NOT_WRITTEN, DOES_NOT_HOLD, INTERRUPTED = 0, 1, 2, 7, 8, 130
SHOWN = 3
JOBS_MAX = 64  # each is a whole interpreter, and more of them than cores gain nothing


class NotPossible(Exception):
    """The options do not go together, or one is out of bounds; the message says which."""


class NotWritten(Exception):
    """The answer is there and cannot be written; the message is the system's."""


def main() -> int:
    """Exit code 0 when every session is as the oracle says and the matrix holds, 8 otherwise; or 1, 2, 7, 130."""
    given = _given()
    INTERRUPTS.listen()
    try:
        return _answered(given)
    except BrokenPipeError:
        # Nobody reads any more, and nothing is to be told.
        _let_go_of_stdout()
        return NOT_TOLD
    except NotWritten as exc:
        _let_go_of_stdout()
        return _failed(NOT_WRITTEN, "store_unusable", f"cannot write the answer: {exc}", as_json=False)


def _answered(given: argparse.Namespace) -> int:
    """What comes out is written, and so is why nothing does."""
    try:
        return _run(given)
    except (NoCase, NotPossible) as exc:
        return _failed(INVALID, "invalid_request", str(exc), given.json)
    except KeyboardInterrupt:
        logging.disable()  # tasks that are dropped half-way have nothing to say
        # A worker is ended by the one who was interrupted, and that one tells.
        return INTERRUPTED if given.worker else _failed(INTERRUPTED, "interrupted", "interrupted", given.json)


def _run(given: argparse.Namespace) -> int:
    if sys.stdout is None:
        raise NotWritten(os.strerror(errno.EBADF))
    if given.only is not None and given.case is not None:
        raise NotPossible("`--only` is for a world of the seed, `--case` for one from a file; take one")
    if not 1 <= given.jobs <= JOBS_MAX:
        raise NotPossible(f"`--jobs` is a number from 1 to {JOBS_MAX}")
    if given.worker:
        turn, jobs = map(int, given.worker.split("/"))
        runs.work(given.seed, given.sessions, turn, jobs)
        sys.stdout.flush()
        return HOLDS
    if given.until_broken:
        return _until_broken(given.seed, given.sessions)
    if given.case is not None:
        return _one(read_case(Path(given.case)), given.json)
    if given.only is not None:
        world = make_world(given.seed, given.only // SESSIONS_PER_WORLD)
        return _one(world, given.json)
    return _many(given)


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="portcullis simulate", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=2_000)
    cores = min(len(os.sched_getaffinity(0)), JOBS_MAX)
    parser.add_argument("--jobs", type=int, default=cores, help=f"processes, at most {JOBS_MAX}; all cores by default")
    parser.add_argument("--only", type=int, help="play the world of this session alone")
    parser.add_argument("--case", help="play a world from a file; not together with --only")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--until-broken", action="store_true", help="stop at the first session that is wrong")
    return parser.parse_args()


def _one(world: Json, as_json: bool) -> int:
    found = runs.judged(world)
    runs.dismiss()
    broken = [one for one in found if one["wrong"]]
    if as_json:
        _print({"sessions": len(found), "broken": len(broken), "found": found})
    else:
        for one in found:
            _say(f"session {one['n']}: {one['stop']}, {', '.join(one['happened']) or 'no fault'}")
            for wrong in one["wrong"]:
                _say(f"  wrong: {wrong}")
    return DOES_NOT_HOLD if broken else HOLDS


def _until_broken(seed: int, sessions: int) -> int:
    """In this process, one world after another."""
    first: Json | None = None
    done = 0
    for world in runs.share(seed, sessions, 0, 1):
        done += len(world)
        first = next((one for one in world if one["wrong"]), None)
        if first is not None:
            break
    runs.dismiss()
    _print({"found": first is not None, "sessions": done, "wrong": first["wrong"] if first else []})
    return DOES_NOT_HOLD if first else HOLDS


def _many(given: argparse.Namespace) -> int:
    began = time.monotonic()
    done, cpu_s = runs.run_all(given.seed, given.sessions, given.jobs, _teller(given.sessions))
    seconds = time.monotonic() - began
    stops = Counter(one["stop"] for one in done)
    pairs = Counter((fault, one["stop"]) for one in done for fault in one["happened"] if one["stop"])
    broken = [one for one in done if one["wrong"]]
    against = compare(pairs)
    short = given.sessions < FULL_RUN
    report = {
        "sessions": len(done),
        "broken": len(broken),
        "seed": given.seed,
        "histogram": {stop: stops[stop] for stop in ORDER},
        "pairs": {
            fault: {s: pairs[fault, s] for s in ORDER if pairs[fault, s]} for fault in sorted({f for f, _ in pairs})
        },
        "matrix": {
            **against,
            "judged": "infeasible cells only" if short else "every cell",
            "rarest": {} if short else rarest(pairs),
        },
        "digest": hashlib.sha256("".join(one["digest"] for one in done).encode()).hexdigest(),
        "jobs": given.jobs,
        "seconds": round(seconds, 1),
        "sessions_per_minute": round(len(done) / seconds * 60),
        "cpu_ms_per_session": round(cpu_s / len(done) * 1_000, 2),
        "failures": [_failure(given.seed, one) for one in broken[:SHOWN]],
    }
    _print(report) if given.json else _show(report)
    holds = not broken and not against["reached_though_infeasible"] and (short or not against["not_reached"])
    return HOLDS if holds else DOES_NOT_HOLD


def _failure(seed: int, one: Json) -> Json:
    """A failing session, made small: what is printed can be played again with `--case`."""
    world = make_world(seed, one["n"] // SESSIONS_PER_WORLD)
    small = shrink(world, fails)
    runs.dismiss()
    return {"note": f"seed {seed}, session {one['n']}", "wrong": one["wrong"], "case": small}


def fails(world: Json) -> bool:
    """Whether a world shows a mistake; one that no file may hold shows none, and could not be played again."""
    return why_no_world(world) is None and any(one["wrong"] for one in runs.judged(world))


def _teller(sessions: int) -> Any:
    """Progress for people: rarely, on stderr, and only where somebody watches."""
    told = [0.0]

    def tell(done: int) -> None:
        now = time.monotonic()
        if sys.stderr.isatty() and (now - told[0] > 0.5 or done == sessions):
            told[0] = now
            sys.stderr.write(f"\r{done:,} of {sessions:,} sessions" + ("\n" if done == sessions else ""))
            sys.stderr.flush()

    return tell


def _show(report: Json) -> None:
    _say(f"{report['sessions']:,} sessions, {report['broken']} broken, digest {report['digest'][:16]}")
    for stop, count in report["histogram"].items():
        _say(f"  {stop:<24}{count:>8,}")
    _say(f"{report['sessions_per_minute']:,} sessions a minute, {report['cpu_ms_per_session']} ms of processor each")
    for name in ("not_reached", "reached_though_infeasible"):
        if report["matrix"][name] and (name != "not_reached" or report["matrix"]["judged"] == "every cell"):
            _say(f"matrix, {name.replace('_', ' ')}: {', '.join(report['matrix'][name])}")
    if report["matrix"]["rarest"]:
        _say(f"matrix, met least: {', '.join(f'{cell} {n}' for cell, n in report['matrix']['rarest'].items())}")
    for failure in report["failures"]:
        _say(f"{failure['note']}: {'; '.join(failure['wrong'])}\nplay it again with --case:\n{json.dumps(failure)}")


def _failed(code: int, kind: str, message: str, as_json: bool) -> int:
    """One line for people, and with `--json` one document for programs, as every command of `portcullis` has it."""
    if as_json:
        _print({"error": {"kind": kind, "message": message}})
    with contextlib.suppress(OSError):  # the exit code says it as well
        sys.stderr.write(f"portcullis: {message}\n")
    return code


def _print(report: Json) -> None:
    _say(json.dumps(report, indent=1))


def _say(text: str) -> None:
    """A text for stdout, written at once so that a full disk is noticed here.

    Raises:
        BrokenPipeError: nobody reads any more.
        NotWritten: there is no room for it.
    """
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as exc:
        raise NotWritten(exc.strerror) from exc


def _let_go_of_stdout() -> None:
    """What Python still holds for a stdout that cannot be written goes nowhere."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
