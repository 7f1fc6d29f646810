"""A whole world, modelled: its sessions take turns on one clock and one ledger, in the order of ticks."""

from __future__ import annotations

import heapq

from tests.reference.ledger_oracle import LedgerOracle
from tests.reference.session_model import TICKS, SessionModel
from tests.simulation.scenario.generate import BACK_MS, LIVES

START_MS = 1_700_000_000_000
JUMP, LOCK, UNLOCK = 20, 25, 30


class WorldModel:
    """Clock, ledger and lock of a world, and what became of each of its sessions."""

    def __init__(self, world):
        self.given, self.tick = world, 0
        self.ledger = LedgerOracle()
        self.patient = world["patient"]
        self._jumps = [(jump["at"] * TICKS + JUMP, jump["by"]) for jump in world["jumps"]]
        self._locks = [(lock["at"] * TICKS + LOCK, lock["until"] * TICKS + UNLOCK) for lock in world["locks"]]
        self._left_open = []

    def clock(self, tick):
        """What the clock shows at a tick."""
        return START_MS + tick // TICKS + sum(by for at, by in self._jumps if at <= tick)

    def locked(self):
        """Whether somebody else holds the ledger's lock."""
        return any(begin <= self.tick < end for begin, end in self._locks)

    def run(self):
        """Everything that happens, in order; the answer is what is expected of each session."""
        models = [SessionModel(self, given, place) for place, given in enumerate(self.given["sessions"])]
        queue = []
        for number, earlier in enumerate(self.given["earlier"]):
            heapq.heappush(queue, (earlier["at"] * TICKS, -1, number, self._earlier(earlier, number)))
        for place, model in enumerate(models):
            heapq.heappush(queue, (model.start_tick, place, 0, self._lives(model)))
        while queue:
            self.tick, place, number, course = heapq.heappop(queue)
            wake = next(course, None)
            if wake is not None:
                heapq.heappush(queue, (wake, place, number, course))
        return [self._expected(model) for model in models]

    def _earlier(self, earlier, number):
        wish = {"subject": (earlier["tenant"], earlier["user"]), "session": f"earlier-{number}", "key": 1,
                "calls": earlier["calls"], "units": 0, "per_minute": 10_000, "calls_total": 10_000, "max_units": 0,
                "lease": 1_000}  # fmt: skip
        self.ledger.reserve(self.clock(self.tick), wish)
        self.ledger.settle(wish["session"], 1, 0)
        yield from ()

    def _lives(self, model):
        """R12, R19: a session that a dead process left open goes on with its key, or is closed by the next start."""
        ends = list(model.given["ends"])
        model.state = "closed"
        while True:
            end = ends.pop(0) if ends else None
            closed = yield from model.life(end)
            assert model.lives < LIVES, "the model never comes to an end"
            model.cancel_tick = None
            if closed:
                return
            model.state = "open"
            if not model.given["key"]:
                self._left_open.append(model)
            yield self.tick + (end["back"] if end else BACK_MS) * TICKS
            if not model.given["key"]:
                self._recover()
                if model.lines or model.result is not None:
                    return
                model.state = "closed"
                continue
            model.state = "closed"

    def _recover(self):
        for model in self._left_open:
            if model.lines and model.lines[0]["kind"] == "Opened":
                self.ledger.release(model.given["n"])
                model.lines.append({"kind": "Recovered", "reads": []})
                model.state = "recovered"
                if model.result is None or model.gone:  # nobody got an outcome: the record alone says how it ended
                    model.result = {"stop": "INTERNAL_INCONSISTENCY", "action": "BASELINE",
                                    "signals": [["INTERNAL_INCONSISTENCY", "unexpected_error", ""]]}  # fmt: skip
            else:
                model.lines, model.state = [], "none"
        self._left_open = []

    def _expected(self, model):
        standing = self.ledger.standing(0, None, model.given["n"])
        return {
            **model.result,
            "state": model.state,
            "journal": [[line["kind"], line["reads"]] for line in model.lines],
            "started_calls": model.started,
            "ledger": [standing["session_calls"], standing["spent_units"], standing["open_reservations"]],
        }
