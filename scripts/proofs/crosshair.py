"""CrossHair on the pure functions: confirmed over all paths, searched without a find, or refuted; one JSON document."""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import sys
from pathlib import Path

from scripts.programs import ended

__all__ = ["SEARCHED", "check"]

ROOT = Path(__file__).parents[2]
CONTRACTS = "tests/proofs/pure.py"
# Arithmetic on bits has more paths than can be walked; there CrossHair searches for as long as it is given.
SEARCHED = frozenset({"private_addresses_are_never_public"})
# CrossHair's importer takes a `.py` before the extension of the same name, and of `backports.zstd` that is the form for
# another interpreter: so it is loaded before CrossHair is.
_START = "import backports.zstd, runpy; runpy.run_module('crosshair', run_name='__main__', alter_sys=True)"
_LINE = re.compile(r"^.*?:(\d+): (\w+): (.*)$", re.MULTILINE)


def check(package: Path, seconds: int, names: tuple[str, ...] = ()) -> dict[str, str]:
    """Function → `confirmed`, `searched` or what breaks it; `package` is the folder that holds `app`."""
    contracts = {
        node.name: (node.lineno, node.end_lineno or node.lineno)
        for node in ast.parse((ROOT / CONTRACTS).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    chosen = names or tuple(contracts)
    targets = [f"tests.proofs.pure.{name}" for name in chosen]
    options = ["--analysis_kind=asserts", "--report_all", f"--per_condition_timeout={seconds}"]
    environment = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{ROOT}"}
    line = [sys.executable, "-c", _START, "check", *targets, *options]
    done = ended(line, cwd=ROOT, env=environment)
    found = dict.fromkeys(chosen, f"nothing said: {done.stderr.strip()[-200:]}")
    for number, kind, message in _LINE.findall(done.stdout):
        name = next((name for name, (a, b) in contracts.items() if a <= int(number) <= b), message)
        words = {"Confirmed over all paths.": "confirmed", "Not confirmed.": "searched"}
        found[name] = words.get(message, f"{kind}: {message}")
    return found


def main() -> int:
    """0 where everything is confirmed, or searched where that is all that is claimed."""
    parser = argparse.ArgumentParser(prog="python -m scripts.proofs.crosshair", description=__doc__)
    parser.add_argument("--seconds", type=int, default=30, help="per function")
    found = check(ROOT / "backend", parser.parse_args().seconds)
    wrong = {name: end for name, end in found.items() if end != ("searched" if name in SEARCHED else "confirmed")}
    ends = list(found.values())
    told = {"confirmed": ends.count("confirmed"), "searched": ends.count("searched"), "problems": wrong}
    print(json.dumps(told, indent=2))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
