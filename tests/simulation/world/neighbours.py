"""A ledger handle in another process on the same file: wishes go over a pipe, decisions come back."""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from app.kernel.errors import ContractViolation
from app.kernel.ledger import Refused, Reservation, Reserved
from app.kernel.ports import Clock
from app.research.ledger import decide
from app.system.stores.ledger.sqlite import SqliteLedger

_children: list[subprocess.Popen[str]] = []


def _child() -> subprocess.Popen[str]:
    """One neighbour for this process, started when the first world wants it."""
    if not _children:
        words = [sys.executable, "-m", "tests.simulation.world.neighbours"]
        atexit.register(dismiss)
        # In a group of its own: Ctrl-C is for the one who asks, and the neighbour ends when nobody asks any more.
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0)
        _children.append(child)
    return _children[0]


def dismiss() -> None:
    """End the neighbour."""
    while _children:
        child = _children.pop()
        child.communicate()


class NeighbourLedger:
    """The ledger port, answered by the neighbour."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path, self._clock = path, clock

    async def reserve(self, wish: Reservation, give_up: Callable[[], bool] | None = None) -> Reserved | Refused:
        answer = self._ask({"op": "reserve", "wish": wish.model_dump(mode="json")})
        kind = Reserved if answer["kind"] == "Reserved" else Refused
        return kind.model_validate_json(answer["value"])

    async def settle(self, reservation_id: str, spent_units: int) -> None:
        self._ask({"op": "settle", "id": reservation_id, "spent": spent_units})

    async def release_session(self, session_id: str) -> int:
        raise AssertionError("a neighbour releases nothing")

    async def standing(self, subject: str, session_id: str) -> Any:
        raise AssertionError("a neighbour is not asked how things stand")

    def close(self) -> None:
        self._ask({"op": "close"})

    def _ask(self, what: dict[str, Any]) -> dict[str, Any]:
        child = _child()
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps({**what, "path": str(self._path), "now_ms": self._clock.now_ms()}) + "\n")
        child.stdin.flush()
        answer: dict[str, Any] = json.loads(child.stdout.readline())
        if "violation" in answer:
            raise ContractViolation(answer["violation"])
        return answer


class _Told:
    now = 0

    def now_ms(self) -> int:
        return self.now


def _serve(asked: TextIO, told: TextIO) -> None:
    clock, ledgers = _Told(), {}
    for line in asked:
        what = json.loads(line)
        clock.now = what["now_ms"]
        ledger = ledgers.setdefault(what["path"], SqliteLedger(Path(what["path"]), clock, decide))
        told.write(json.dumps(_answer(ledger, ledgers, what)) + "\n")
        told.flush()


def _answer(ledger: SqliteLedger, ledgers: dict[str, SqliteLedger], what: dict[str, Any]) -> dict[str, Any]:
    try:
        if what["op"] == "reserve":
            decided = _at_once(ledger.reserve(Reservation.model_validate_json(json.dumps(what["wish"]))))
            return {"kind": type(decided).__name__, "value": decided.model_dump_json()}
        if what["op"] == "settle":
            _at_once(ledger.settle(what["id"], what["spent"]))
        else:
            ledgers.pop(what["path"]).close()
    except ContractViolation as exc:
        return {"violation": str(exc)}
    return {}


def _at_once(work: Any) -> Any:
    """The asker waits, so nobody else holds the lock, and the ledger never waits."""
    try:
        work.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("the ledger waited")


if __name__ == "__main__":
    _serve(sys.stdin, sys.stdout)
