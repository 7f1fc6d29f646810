"""Copy the package and the data that ships with it into a host's tree: python -m scripts.vendor DEST."""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
IGNORED = shutil.ignore_patterns("__pycache__")


def shipped_folders() -> dict[str, str]:
    """Folders of data that a wheel holds, by their names in the repository, and where in the package they stand."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    table: dict[str, str] = told["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    return {name: place.partition("/")[2] for name, place in table.items()}


def vendor(destination: Path) -> None:
    """The folder then works under whatever name it has."""
    if destination.exists():
        raise SystemExit(f"{destination} exists already")
    shutil.copytree(ROOT / "backend" / "app", destination, ignore=IGNORED)
    for name, inside in shipped_folders().items():
        shutil.copytree(ROOT / name, destination / inside, ignore=IGNORED)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1]:
        raise SystemExit("usage: make vendor DEST=path/to/gate")
    vendor(Path(sys.argv[1]))
