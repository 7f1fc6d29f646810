"""The record of a session, modelled: what is known is given again, what is new is written behind it (R19).

It imports nothing of the product. A process may die while it writes a line, and a disk may be full for one.
"""

from __future__ import annotations


class Fallen(Exception):
    """A room or a port broke: the session falls shut (R12, R16)."""

    def __init__(self, code, cause="contract_violation", reason="INTERNAL_INCONSISTENCY"):
        super().__init__(code)
        self.code, self.signal = code, (reason, cause, "")


class Died(BaseException):
    """The process is gone."""


class RecordModel:
    """The lines of one session over all its lives; `world` has the clock."""

    def __init__(self, world):
        self.world, self.lines = world, []

    def begin(self, end):
        """A new life, which ends as `end` says: the lines that are there are its past."""
        self.past, self.end = list(self.lines), end
        self.place = self.used = self.away = self.appended = self.puts = 0
        self.reads, self.lost, self.gone, self.falling = [], False, False, False

    @property
    def repeating(self):
        return self.place < len(self.past)

    def now_ms(self):
        return self.world.clock(self.world.tick) - self.away

    def read(self):
        if self.repeating:
            reading = self.past[self.place]["reads"][self.used]
            self.used += 1
        else:
            self.anew()
            reading = [self.now_ms(), int(self.gone)]
        self.reads.append(reading)
        return reading

    def anew(self):
        if self.past and not self.away:
            moments = [reading[0] for line in self.past for reading in line["reads"]]
            self.away = max(1, self.world.clock(self.world.tick) - max(moments, default=0))
            self.write("Resumed", {})

    def note(self, kind, **facts):
        if self.repeating:
            self.advance()
            if self.repeating and self.past[self.place]["kind"] == "Resumed":
                self.advance()
            return
        self.anew()
        self.write(kind, facts)

    def advance(self):
        self.place, self.used, self.reads = self.place + 1, 0, []

    def write(self, kind, facts):
        line = {"kind": kind, "reads": self.reads, **facts}
        end = self.end
        if self.lost:
            raise Fallen("StoreUnusable")
        if end and end["where"] == "journal" and end["line"] == self.appended:
            whole = end["permille"] >= 1000
            if whole:
                self.lines.append(line)
            if end["kind"] == "kill":
                raise Died
            if not whole:
                self.lost = True
                raise Fallen("StoreUnusable")
        else:
            self.lines.append(line)
        self.appended += 1
        self.reads = []

    def keep(self):
        end = self.end
        self.puts += 1
        if end and end["where"] == "store" and end["line"] == self.puts - 1:
            if not self.falling:
                self.note("PortFailed")
            raise Fallen("StoreUnusable")
