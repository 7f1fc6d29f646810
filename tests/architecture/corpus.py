"""The bypass corpus: small files that try to get round the adapter, kept as text that no tool takes for code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "bypasses"
_HEADER = re.compile(r"# (id|mechanism|place|reaches|static|run-time): (.+)")


@dataclass(frozen=True)
class Bypass:
    """One way round: where it would stand, what it reaches, which rule refuses it, what happens when it runs."""

    id: str
    mechanism: str
    place: str
    reaches: str
    static: str
    run_time: str
    source: str


def read_corpus() -> tuple[Bypass, ...]:
    """Every bypass, by its id."""
    found = []
    for path in sorted(FOLDER.glob("*.py.txt"), key=lambda path: int(path.name.partition("-")[0])):
        text = path.read_text(encoding="utf-8")
        header = {key.replace("-", "_"): value for key, value in _HEADER.findall(text)}
        found.append(Bypass(**header, source=text))
    return tuple(found)
