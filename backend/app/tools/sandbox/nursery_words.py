"""What a nursery and its host say to each other about workers: one number at a time."""

from __future__ import annotations

from struct import Struct
from typing import Final

__all__ = ["NO_ROOM", "NUMBER"]

NUMBER: Final = Struct("!i")
"""What a nursery says of a worker: its process id when it begins, its exit code when it has ended."""

NO_ROOM: Final = 0
"""Instead of a process id: the machine would not have another process."""
