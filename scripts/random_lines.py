"""Print random lines of the product with the floor plan: can a reader who knows only the plan name the room of each?

`python -m scripts.random_lines --seed N` prints the lines, `--answers` where each of them stands.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path

from .seeded_chance import seeded_chance

__all__ = ["drawn_lines", "floor_plan"]

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "backend" / "app"
LINES = 30
_SAYS_ENOUGH = 25
_PLAN = re.compile(r"^\| floor \|.*?(?=^\s*$)", re.MULTILINE | re.DOTALL)


def floor_plan(readme: str) -> str:
    """The table of floors in the README.

    Raises:
        SystemExit: there is none.
    """
    found = _PLAN.search(readme)
    if found is None:
        raise SystemExit("README.md has no floor plan")
    return found.group().rstrip()


def drawn_lines(package: Path, seed: int, count: int = LINES) -> tuple[tuple[str, int, str], ...]:
    """File, number and text of random lines of code, without imports, lists of names and very short lines."""
    lines = [line for path in sorted(package.rglob("*.py")) for line in _telling(package, path)]
    return tuple(seeded_chance(seed).sample(lines, count))


def _telling(package: Path, path: Path) -> list[tuple[str, int, str]]:
    text = path.read_text(encoding="utf-8")
    silent: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        listed = isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__all__" for target in node.targets)
        if isinstance(node, ast.Import | ast.ImportFrom) or listed:
            silent.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    name = path.relative_to(package).as_posix()
    rows = enumerate(text.splitlines(), start=1)
    return [(name, at, row.strip()) for at, row in rows if at not in silent and len(row.strip()) >= _SAYS_ENOUGH]


def main(words: list[str]) -> int:
    """Print plan and lines, and with `--answers` the places."""
    parser = argparse.ArgumentParser(prog="python -m scripts.random_lines", description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="the same seed draws the same lines")
    parser.add_argument("--answers", action="store_true", help="print where each line stands as well")
    given = parser.parse_args(words)
    sys.stdout.write(floor_plan((ROOT / "README.md").read_text(encoding="utf-8")) + "\n\n")
    for number, (name, at, text) in enumerate(drawn_lines(PACKAGE, given.seed), start=1):
        sys.stdout.write(f"{number:2}. {text}\n" + (f"    {name}:{at}\n" if given.answers else ""))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
