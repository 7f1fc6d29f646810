"""Random generators for scripts and benchmarks: always with a seed, so that a run can be repeated."""

from __future__ import annotations

from random import Random

__all__ = ["seeded_chance"]


def seeded_chance(seed: int) -> Random:
    """The same numbers for the same seed, on every machine."""
    return Random(seed)  # noqa: S311  a seeded generator is what is wanted
