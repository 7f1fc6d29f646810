"""Virtual time of a world: it jumps to the next timer, and a world that never ends is noticed."""

from __future__ import annotations

from tests.fixtures.virtual_time import START_MS, VirtualLoop

_WORLD_ENDS_S = 100_000


class EndlessWorld(AssertionError):
    """Something waits for ever that should have been cut."""


class WorldLoop(VirtualLoop):
    """A loop that gives up when more than a day has passed: no session may last that long."""

    def __init__(self) -> None:
        self._given_up = False
        super().__init__()

    def time(self) -> float:
        now = super().time()
        if now > _WORLD_ENDS_S and not self._given_up:
            self._given_up = True
            raise EndlessWorld("something was never cut")
        return now


class Clock:
    """The clock port: the loop's own time, and the jumps of the world."""

    def __init__(self, loop: VirtualLoop, jumps: list[dict[str, int]]) -> None:
        self._loop = loop
        self._jumps = [(jump["at"] * 100 + 20, jump["by"]) for jump in jumps]

    def tick(self) -> int:
        """Hundredths of a millisecond since the world began."""
        return round(self._loop.time() * 100_000)

    def now_ms(self) -> int:
        tick = self.tick()
        return START_MS + tick // 100 + sum([by for at, by in self._jumps if at <= tick])
