"""Copy the package, the contract and the samples into a host's tree: python -m scripts.vendor DEST."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
IGNORED = shutil.ignore_patterns("__pycache__")


def vendor(destination: Path) -> None:
    """The folder then works under whatever name it has."""
    if destination.exists():
        raise SystemExit(f"{destination} exists already")
    shutil.copytree(ROOT / "backend" / "app", destination, ignore=IGNORED)
    for name in ("contracts", "samples"):
        shutil.copytree(ROOT / name, destination / name, ignore=IGNORED)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1]:
        raise SystemExit("usage: make vendor DEST=path/to/gate")
    vendor(Path(sys.argv[1]))
