"""The search: seeded, bounded by examples; what it finds is shrunk and kept as a small data file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings

from tests.fuzz.targets import POOLED, TARGETS, Pool, Target

__all__ = ["FINDINGS", "keep", "names", "search", "target"]

FINDINGS = Path(__file__).with_name("findings")


def names() -> tuple[str, ...]:
    """Everything that is fuzzed."""
    return (*sorted(TARGETS), *sorted(POOLED))


def target(name: str, pool: Pool) -> Target:
    """The target of this name."""
    return TARGETS[name] if name in TARGETS else POOLED[name](pool)


def search(one: Target, number: int, examples: int) -> tuple[int, bytes | None]:
    """Look at so many inputs: how many it were, and the smallest that breaks the target, or None."""
    broken: list[bytes] = []
    looked = 0

    @seed(number)
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(one.inputs())
    def run(data: bytes) -> None:
        nonlocal looked
        looked += 1
        try:
            one.check(data)
        except BaseException:
            broken.append(data)
            raise

    try:
        run()
    except Exception:
        if not broken:
            raise
        return looked, broken[-1]  # hypothesis ends with the smallest
    return looked, None


def keep(name: str, data: bytes, folder: Path = FINDINGS) -> Path:
    """Write a finding down, to be replayed from now on."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{hashlib.sha256(data).hexdigest()[:12]}.json"
    path.write_text(json.dumps({"target": name, "hex": data.hex()}, indent=2) + "\n", encoding="utf-8")
    return path


def replay(path: Path, check: Callable[[str], Target]) -> None:
    """Run a finding again."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    check(kept["target"]).check(bytes.fromhex(kept["hex"]))
