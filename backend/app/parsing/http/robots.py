"""Reads a robots.txt for one agent: may a URL be fetched, and how far apart should requests be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protego import Protego

__all__ = ["ROBOTS_BYTES", "RobotsRules", "read_robots"]

ROBOTS_BYTES: Final = 512_000
# A file can name thousands of agents and then thousands of rules, and each rule is kept for each agent.
_HEAVIEST: Final = 400_000
_DELAY_MAX_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """One site's rules; without a file everything is allowed."""

    parsed: Protego | None = None
    refuses_all: bool = False

    def allows(self, url: str, agent: str) -> bool:
        """Whether the agent may fetch the URL."""
        return not self.refuses_all and (self.parsed is None or bool(self.parsed.can_fetch(url, agent)))

    def delay_ms(self, agent: str) -> int:
        """The pause that the site asks for between two requests; a minute is the longest that is believed."""
        delay_s = None if self.parsed is None else self.parsed.crawl_delay(agent)
        return 0 if delay_s is None else int(min(_DELAY_MAX_MS, max(0.0, delay_s * 1000)))


def read_robots(data: bytes) -> RobotsRules:
    """The rules in the first half megabyte; a file made to cost more than it says refuses everything."""
    text = data[:ROBOTS_BYTES].decode("utf-8-sig", "replace")
    if _weight(text) > _HEAVIEST:
        return RobotsRules(refuses_all=True)
    return RobotsRules(Protego.parse(text))


def _weight(text: str) -> int:
    """Rules times agents, group by group; whatever begins like an agent's line is counted as one."""
    weight = agents = rules = 0
    for line in text.splitlines():
        word = line.lstrip()[:4].lower()
        if word == "user":
            if rules:
                weight, agents, rules = weight + agents * rules, 0, 0
            agents += 1
        elif word and not word.startswith("#"):
            rules += 1
    return weight + agents * rules
