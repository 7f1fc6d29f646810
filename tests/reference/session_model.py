"""One whole session in plain Python, from contract and rulings: policy, ledger, router, adapter, resolver, record.

It imports nothing of the product. Time is counted in ticks, a hundredth of a millisecond, so that what happens in the
same millisecond still has an order. A session is a generator: it yields the tick at which it wants to go on.
"""

from __future__ import annotations

from tests.reference.answer_model import answer_of, body_of, judge_items
from tests.reference.policy_model import effective, refused
from tests.reference.record_model import Died, Fallen, RecordModel
from tests.reference.stop_model import CONTRACT, expected, priority_order

TICKS = 100
ORDER = priority_order(CONTRACT.read_text(encoding="utf-8"))
CAPS = ("max_tool_calls_total", "max_tool_calls_per_minute", "per_call_timeout_ms", "total_research_timeout_ms",
        "budget_units_clamp")  # fmt: skip
PRICES = {"alpha": 3, "beta": 100, "writer": 5}
LEASE_SLACK_MS = 10_000
BACK_OFF_MS = (0, 1, 1, 2, 2, 4, 8)
GROUNDS = ("passage", "fetched")


class SessionModel(RecordModel):
    """What must become of one session of a world; `world` has the clock, the ledger and its lock."""

    def __init__(self, world, given, number):
        super().__init__(world)
        self.given, self.started, self.result = given, [], None
        self.start_tick = given["start"] * TICKS + number + 1
        cancel = given.get("cancel")
        self.cancel_tick = None if cancel is None else (given["start"] + cancel) * TICKS + 10 + number + 1
        self.gone = False

    # One life: from the first look at the clock to the end of the process or of the session.

    def life(self, end):
        """Run to the end, or to the death that `end` names; True where the session was closed."""
        self.begin(end)
        self.spent, self.calls, self.told = 0, [], 0
        self.begun_ms = self.read()[0]
        try:
            try:
                self.keep("request")
                self.keep("principal")
                self.stored()
                self.note("Opened", bodies=["request", "principal"])
                result = yield from self.conducted()
                self.close(result)
            except Fallen as fallen:
                self.fall(fallen)
        except Died:
            if self.lines and self.lines[-1]["kind"] == "Closed":
                self.result = self.lines[-1]["result"]
                return True
            self.result = None
            return False
        return not self.lost and not self.off

    def fall(self, fallen):
        self.falling, self.off = True, self.repeating
        self.result = self.outcome([fallen.signal], [], [])
        if self.off:
            return
        try:
            self.close(self.result)
        except Fallen:
            self.lost = True

    def close(self, result):
        if self.given["key"] and not (self.repeating and self.past[self.place]["kind"] == "Closed"):
            self.keep()
        self.stored()
        self.result = result
        self.note("Closed", result=result)
        self.written()

    def conducted(self):
        given = self.given
        breaks = given["plan"].get("breaks")
        against = refused(given["tier"], given["environment"], given["enabled"], given["readable"], given["owns"],
                          given["sealed"])  # fmt: skip
        if against:
            return self.outcome([(reason, "", "") for reason in sorted(against)], [], [])
        wish = tuple(given["narrow"].get(name) for name in CAPS)
        self.caps = effective(given["tier"], given["environment"], wish, given["balance"])
        self.deadline_ms = self.begun_ms + self.caps[3]
        self.tell("session_started")
        self.signals, self.sources, self.rejections, self.candidates, self.batches = [], [], [], 0, 0
        self.reserved_calls, ended = 0, "stopped"
        while not self.signals:
            batch = self.next_batch(given["plan"])
            if isinstance(batch, str):
                ended = batch
                break
            if breaks and breaks["batch"] == self.batches:
                raise _BROKEN[breaks["how"]]()
            yield from self.batch(batch)
        self.late()
        if self.candidates and not self.sources:
            self.signals.append(("VALIDATION_FAIL", "none_accepted", ""))
        return self.outcome(self.signals, self.sources, self.rejections, "stopped" if self.signals else ended)

    def next_batch(self, plan):
        """R4: a plan is fixed; a careful one ends itself before it would ask for too much."""
        done = len(self.calls)
        for batch in plan["batches"]:
            if done > 0:
                done -= len(batch["calls"])
                continue
            price = sum(PRICES[call["tool"]] for call in batch["calls"])
            calls_left, units_left = self.caps[0] - self.reserved_calls, self.caps[5] - self.spent
            if plan["careful"] and (price > units_left or len(batch["calls"]) > calls_left):
                return "limit"
            if plan["enough"] and len(self.sources) >= plan["enough"]:
                return "no_gain"
            return batch
        return plan["why"]

    def late(self):
        at_ms, gone = self.read()
        known = {cause for _, cause, _ in self.signals}
        if gone and "cancelled" not in known:
            self.signals.append(("TIMEOUT", "cancelled", ""))
        # R5: elapsed = limit is in time.
        if at_ms - self.begun_ms > self.caps[3] and "total_timeout" not in known:
            self.signals.append(("TIMEOUT", "total_timeout", ""))
        return bool(self.signals)

    def batch(self, batch):
        if batch["wait"]:
            remaining_ms = self.deadline_ms - self.read()[0]
            if not self.repeating:
                yield from self.cut([batch["wait"]], max(0, remaining_ms))
        if self.late():
            return
        calls = batch["calls"]
        self.batches += 1
        units = sum(PRICES[call["tool"]] for call in calls)
        wish = {"subject": (self.given["tenant"], self.given["user"]), "session": self.given["n"],
                "key": self.batches, "calls": len(calls), "units": units, "per_minute": self.caps[1],
                "calls_total": self.caps[0], "max_units": self.caps[5],
                "lease": self.caps[3] + LEASE_SLACK_MS}  # fmt: skip
        again = self.repeating
        try:
            decision = yield from self.reserve(wish)
        except Fallen as fallen:
            # R12: locked until the time was over is a time-out like any other.
            if fallen.code == "StoreBusy" and not self.repeating and self.late():
                return
            raise
        if decision[0] == "refused":
            for cause in ("rate_window", "total_calls", "total_units"):
                if cause in decision[1]:
                    reason = "RATE_LIMITED" if cause == "rate_window" else "BUDGET_EXHAUSTED"
                    self.signals.append((reason, cause, ""))
            self.retry_at = decision[2]
            self.note("ReserveDecided", decision=decision)
            return
        # R11: what is reserved is settled whatever happens; the worst case until the answers say less.
        self.charged, fallen = 0, None
        try:
            self.reserved_calls += len(calls)
            self.note("ReserveDecided", decision=decision)
            self.written()
            self.charged = units if self.back else 0  # an earlier life may have called
            self.tell("batch_started")
            self.charged = units
            yield from self.call_all(calls, again)
            self.written()
        except Fallen as exc:
            fallen = exc
        self.spent += self.charged
        self.remember("ledger.settle")
        if fallen and (self.repeating or (self.lost and self.given["key"])):
            # R19: the session stays open, and so does what it reserved, for whoever goes on with it.
            raise fallen
        yield from self.settle(self.charged, fallen)

    def reserve(self, wish):
        self.remember("ledger.reserve")
        breaks = self.strikes("ledger_error", op="reserve", batch=self.batches)
        if self.repeating:
            decision = self.past[self.place]["decision"]
            if decision[0] == "reserved":
                if breaks:
                    raise Fallen("StoreUnusable")
                self.world.ledger.reserve(self.world.clock(self.world.tick), wish)
            return decision
        if breaks:
            self.failed("ledger.reserve", "StoreUnusable")
        if not (yield from self.unlocked(lambda: self.gone or self.now_ms() > self.deadline_ms)):
            self.failed("ledger.reserve", "StoreBusy")
        return self.world.ledger.reserve(self.world.clock(self.world.tick), wish)

    def settle(self, spent, fallen):
        if self.strikes("ledger_error", op="settle", batch=self.batches):
            self.failed("ledger.settle", "StoreUnusable")
        if not (yield from self.unlocked(lambda: False)):
            self.failed("ledger.settle", "StoreBusy")
        self.world.ledger.settle(self.given["n"], self.batches, spent)
        if fallen is not None:
            raise fallen

    def unlocked(self, give_up):
        """Wait until nobody holds the ledger's lock; False where patience ended first."""
        attempt = 0
        while self.world.locked():
            if not self.world.patient or give_up():
                return False
            yield from self.sleep(BACK_OFF_MS[min(attempt, len(BACK_OFF_MS) - 1)])
            attempt += 1
        return True

    def sleep(self, ms):
        wake = self.world.tick + ms * TICKS
        if self.cancel_tick is not None and self.world.tick < self.cancel_tick <= wake:
            yield self.cancel_tick
            self.gone = True
        yield wake

    def cut(self, takes, limit_ms):
        """R5, R12: everything runs side by side until it ends, the knife falls or the caller goes."""
        begin = self.world.tick
        ends = [None if ms is None else begin + ms * TICKS for ms in takes]
        wake = begin + (limit_ms + 1) * TICKS
        if None not in ends:
            wake = min(wake, max(ends))
        if self.gone:
            wake = begin
        elif self.cancel_tick is not None and begin < self.cancel_tick <= wake:
            wake = self.cancel_tick
        yield wake
        if wake == self.cancel_tick:
            self.gone = True
        clock, ran = self.world.clock, []
        for end in ends:
            in_time = end is not None and end <= wake
            elapsed_ms = clock(end if in_time else wake) - clock(begin)
            ran.append((elapsed_ms, not in_time or elapsed_ms > limit_ms))
        return ran

    def call_all(self, calls, again):
        remaining_ms = max(0, self.deadline_ms - self.read()[0])
        limit_ms = min(self.caps[2], remaining_ms)
        known = {line["call"]: line for line in self.past[self.place :] if line["kind"] == "Called"}
        taken = {}
        live = [c for c in calls if c["id"] not in known and not (again and c["tool"] == "writer")]
        if live:
            self.started += [[call["id"], self.world.tick // TICKS] for call in live]
            ran = yield from self.cut([call["takes"] for call in live], limit_ms)
            for call, (elapsed_ms, cut) in zip(live, ran, strict=True):
                taken[call["id"]] = ("cut" if cut else "ended", elapsed_ms)
        gone = self.read()[1]
        cause = "cancelled" if gone else "total_timeout" if limit_ms == remaining_ms else "per_call_timeout"
        kept = []
        for call in calls:
            line = known.get(call["id"])
            how, elapsed_ms = taken.get(call["id"], ("lost", 0)) if line is None else line["taken"]
            body = body_of(call) if how == "ended" and answer_of(call)["kept"] else None
            if line is None and body is not None:
                self.keep(body)
            kept.append((call, how, elapsed_ms, body))
        self.stored()
        for call, how, elapsed_ms, body in kept:
            outcome = self.judge(call, how, elapsed_ms, cause)
            self.calls.append(outcome)
            self.note("Called", call=call["id"], taken=(how, elapsed_ms), bodies=[body])
            self.charged += outcome[3] - PRICES[call["tool"]]
            self.tell("call_finished")

    def judge(self, call, how, elapsed_ms, cut_cause):
        price, name = PRICES[call["tool"]], call["id"]
        if how == "cut":
            self.signals.append(("TIMEOUT", cut_cause, name))
            return [name, "timed_out", None, price, elapsed_ms, 0, 0]
        if how == "lost":
            # R19: a write that was under way may have happened; it is not tried again.
            self.signals.append(("INTERNAL_INCONSISTENCY", "tool_error", name))
            return [name, "crashed", None, price, elapsed_ms, 0, 0]
        answer = answer_of(call)
        if answer["signal"]:
            self.signals.append((*answer["signal"], name))
            return [name, answer["status"], None, price, elapsed_ms, 0, 0]
        found = judge_items(answer["items"], name, self.sources)
        self.candidates += found["candidates"]
        if found["directives"]:
            self.signals.append(("INJECTION_DETECTED", "directive", name))
        self.sources = [*self.sources, *found["sources"]]
        self.rejections += found["rejections"]
        self.signals += found["signals"]
        counts = found["candidates"], len(found["sources"])
        return [name, answer["status"], answer["unavailable"], answer["spent"], elapsed_ms, *counts]

    def tell(self, what):
        self.remember("observer")
        if self.given["watched"] and self.strikes("observer_error", what=what):
            if self.told == self.given["observer_error"]["nth"]:
                self.failed("observer", "OSError", "unexpected_error")
            self.told += 1

    def strikes(self, name, **here):
        """Whether a fault is meant for this place, and for this life where it has one."""
        fault = {"life": self.lives, **(self.given.get(name) or {"life": None})}
        return fault["life"] == self.lives and all(fault[key] == value for key, value in here.items())

    def outcome(self, signals, sources, rejections, ended="stopped"):
        counted = [source for source in sources if source[2] in GROUNDS]
        stop, action = expected([reason for reason, _, _ in signals], not counted, self.given["clarified"], ORDER)
        leaving = sources if stop == "SUCCESS_COMPLETED" else []
        elapsed_ms = (self.last_ms() if self.off else self.read()[0]) - self.begun_ms
        return {
            "stop": stop,
            "action": action,
            "signals": [list(signal) for signal in signals],
            "calls": [list(call) for call in self.calls],
            "rejections": [list(one) for one in rejections],
            "sources": [[call, text] for call, text, _ in leaving],
            "withheld": len(sources) - len(leaving),
            "spent": self.spent,
            "started": self.begun_ms,
            "elapsed": elapsed_ms,
            "ended": ended,
            "retry_at": self.retry_at if stop == "RATE_LIMITED" else None,
        }


_BROKEN = {
    "twice": lambda: Fallen("ContractViolation"),
    "unlisted": lambda: Fallen("ContractViolation"),
    "beside": lambda: Fallen("ContractViolation"),
    "raises": lambda: Fallen("LookupError", "unexpected_error"),
    "socket": lambda: Fallen("OperationForbidden", "operation_forbidden", "SANDBOX_VIOLATION"),
}
