"""The frozen files beside `LOCK`."""

from __future__ import annotations

from pathlib import Path

from scripts.certify.results import Found
from scripts.seal import differing, fresh_lock

__all__ = ["lock"]


def lock(root: Path) -> Found:
    """Every sealed file has the bytes that `LOCK` says."""
    fresh = fresh_lock(root)
    return Found(
        {"runtime_files": len(fresh.runtime.files), "files": len(fresh.full.files)},
        {"runtime": fresh.runtime.digest, "full": fresh.full.digest},
        tuple(f"differs from the lock: {name}" for name in differing(root)),
    )
