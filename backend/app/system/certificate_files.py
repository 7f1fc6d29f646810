"""The certificate of a checkout: what it says was checked, and whether it speaks of the files that are sealed now."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, Literal

from ..kernel.models import FrozenModel
from .contract_files import contract_dir
from .lock_files import LOCK_NAME, read_lock

__all__ = ["CertificateState", "read_certificate"]

_FILE: Final = "CERTIFICATION.md"
_ROOT: Final = Path(__file__).resolve().parents[3]
_CHECKS: Final = re.compile(r"(\d+) checks executed, (\d+) passed")
_SEALED: Final = re.compile(r"Sealed files: `([0-9a-f]{64})`")


class CertificateState(FrozenModel):
    """`absent` in an installed package, which brings none; `other_files` where the lock was written again since."""

    state: Literal["absent", "current", "other_files", "unreadable"]
    checks: int = 0
    passed: int = 0


def read_certificate(root: Path = _ROOT) -> CertificateState:
    """Compare the certificate with the lock; whether each check is still fresh is what `make stale` says."""
    try:
        text = (root / _FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return CertificateState(state="absent")
    checks, sealed, lock = _CHECKS.search(text), _SEALED.search(text), read_lock(contract_dir() / LOCK_NAME)
    if checks is None or sealed is None:
        return CertificateState(state="unreadable")
    same = lock is not None and lock.full.digest == sealed[1]
    return CertificateState(state="current" if same else "other_files", checks=int(checks[1]), passed=int(checks[2]))
