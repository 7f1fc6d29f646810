"""Which files belong to the checkout, as git tells."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

__all__ = ["NoCheckoutListing", "checkout_files"]


class NoCheckoutListing(Exception):
    """Git is not here, or this is no repository."""


def checkout_files(root: Path) -> tuple[str, ...]:
    """Tracked files and links, and new ones that nobody ignores.

    Raises:
        NoCheckoutListing: git cannot tell.
    """
    line = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(line, cwd=root, capture_output=True, check=True)  # noqa: S603  our own command
    except (OSError, subprocess.CalledProcessError) as exc:
        raise NoCheckoutListing("the checkout's files can only be listed by git") from exc
    names = {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}
    return tuple(sorted(name for name in names if (root / name).is_file() or (root / name).is_symlink()))
