"""Limits of the process it runs in, lowered for good."""

from __future__ import annotations

import resource

__all__ = ["limit"]


def limit(what: int, value: int) -> None:
    """Lower a limit of this process for good."""
    _, hard = resource.getrlimit(what)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (value, value))
