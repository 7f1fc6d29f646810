"""`python -m scripts.guard [--tree PATH]`: one line per finding, exit code 1 when there is any."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .judge import check_tree

ROOT = Path(__file__).parents[2]


def main(words: list[str] | None = None) -> int:
    """Check a tree and print what was found."""
    options = argparse.ArgumentParser(prog="guard", description=__doc__)
    options.add_argument("--tree", type=Path, default=ROOT, help="root of the repository to read")
    report = check_tree(options.parse_args(words).tree)
    for finding in report.findings:
        print(finding)
    print(f"guard: {report.files} files, {len(report.findings)} findings", file=sys.stderr)
    # A guard that reads nothing proves nothing.
    return 1 if report.findings or not report.files else 0


if __name__ == "__main__":
    sys.exit(main())
