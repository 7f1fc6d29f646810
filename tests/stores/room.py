"""A disk without room, by a limit of the operating system."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_room_on_disk"]


@contextmanager
def no_room_on_disk() -> Iterator[None]:
    """No file of this process grows while this lasts: the kernel itself refuses the write."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
