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
        self.world, self.lines, self.lives = world, [], -1

    def begin(self, end):
        """A new life, which ends as `end` says: the lines that are there are its past."""
        if self.lines and self.lines[0]["kind"] != "Opened":
            self.lines = []  # R19: it ended before it was opened, so it asked nothing of anybody
        self.past, self.end = list(self.lines), end
        self.lives, self.back, self.off = self.lives + 1, False, False
        self.place = self.used = self.away = self.appended = self.puts = 0
        self.reads, self.lost, self.gone, self.falling = [], False, False, False
        self.unkept = False

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
            self.away = max(1, self.world.clock(self.world.tick) - self.last_ms())
            self.write("Resumed", {})

    def last_ms(self):
        return max((reading[0] for line in self.past for reading in line["reads"]), default=0)

    def note(self, kind, **facts):
        if self.repeating:
            assert self.past[self.place]["kind"] == kind, "the model does not repeat itself"
            self.advance()
            self.back = not self.repeating
            while self.repeating and self.past[self.place]["kind"] == "Resumed":
                self.advance()
                self.back = True
            return
        self.anew()
        self.write(kind, facts)

    def failed(self, port, code, cause="contract_violation"):
        """A port broke: that goes on record, and the session falls; inside the record it breaks off, and all stands."""
        if not self.repeating or self.past[self.place].get("port") == port:
            self.note("PortFailed", port=port, failure=(code, cause))
        raise Fallen(code, cause)

    def remember(self, port):
        """R19: where the record says that a port broke, it breaks again."""
        if self.repeating and self.past[self.place].get("port") == port:
            self.failed(port, *self.past[self.place]["failure"])

    def advance(self):
        self.place, self.used, self.reads = self.place + 1, 0, []

    def write(self, kind, facts):
        line = {"kind": kind, "reads": self.reads, **facts}
        end = self.end
        whole = not self.lost
        if whole and end and end["where"] == "journal" and end["line"] == self.appended:
            whole = end["permille"] >= 1000
        if whole:
            self.lines.append(line)
        if end and end["where"] == "journal" and end["kind"] == "kill" and end["line"] == self.appended:
            raise Died
        # Behind a line that does not fit there is never another; `written` tells.
        self.lost = not whole
        self.appended += 1
        self.reads, self.back = [], False

    def keep(self, body=None):
        if body is not None and any(body in line.get("bodies", ()) for line in self.past):
            return  # R19: what the record names is there, and nobody puts it there again
        self.puts += 1
        if self.end and self.puts - 1 == (self.end["line"] if self.end["where"] == "store" else self.end.get("put")):
            self.unkept = True

    def stored(self):
        """All that was kept is safe, or one object is not: that goes on record like the failure of any port."""
        unkept, self.unkept = self.unkept, False
        if not self.falling:
            self.remember("content.put")
        if unkept and self.falling:
            raise Fallen("StoreUnusable")
        if unkept:
            self.failed("content.put", "StoreUnusable")

    def written(self):
        """All lines are safe, or one did not fit."""
        if self.lost and not self.repeating:
            raise Fallen("StoreUnusable")
