"""The sabotage test: every sabotage of the table, on the real gate in a copy of the checkout, must be noticed by name.

`python -m scripts.certify.sabotage [ID ...]` runs all or some; exit code 8 when one goes unnoticed.
"""

from __future__ import annotations

import hashlib
import os
import queue
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .copies import Slot, reseal
from .results import Exit, Found, NotEvaluated
from .sabotages import SABOTAGES, Sabotage

__all__ = ["Said", "control", "noticed", "run_all"]

ROOT = Path(__file__).resolve().parents[2]
# More copies than cores only make each other slow.
SLOTS = min(2, os.cpu_count() or 1)


@dataclass(frozen=True)
class Said:
    """What went wrong, or the line that shows that nothing did."""

    problem: str
    line: str = ""


def control(slot: Slot, check: str) -> Said:
    """The check on a copy that nobody touched: it has to pass."""
    slot.fresh()
    done = slot.run("certify", "--check", check)
    if done.returncode != Exit.PASSED:
        return Said(f"{check} is red without a sabotage: {_told(done.stdout, done.stderr)}")
    return Said("", f"control {check}: passes")


def honest(slot: Slot, check: str) -> Said:
    """A copy with evidence of this check from a real run: the quick form has to agree with it."""
    slot.fresh()
    done = slot.run("certify", "--check", check, "--write")
    if done.returncode == Exit.PASSED:
        done = slot.run("certify", "--quick", "--check", check)
    if done.returncode != Exit.PASSED:
        return Said(f"{check} is red without a sabotage: {_told(done.stdout, done.stderr)}")
    return Said("", f"control {check}: honest evidence passes")


def noticed(slot: Slot, sabotage: Sabotage) -> Said:
    """The check on a copy after the sabotage: it has to be red, and to say what."""
    if sabotage.forges:
        first = honest(slot, sabotage.check)
        if first.problem:
            return first
    place = slot.place if sabotage.forges else slot.fresh()
    sabotage.edit(place)
    if sabotage.reseal:
        reseal(place)
    done = slot.run("certify", *(["--quick"] if sabotage.forges else []), "--check", sabotage.check)
    if done.returncode != Exit.RED:
        return Said(
            f"{sabotage.id}: `{sabotage.check}` exits with {done.returncode}: {_told(done.stdout, done.stderr)}"
        )
    why = [line.strip() for line in done.stdout.splitlines() if sabotage.names in line]
    if not why or sabotage.check not in done.stdout:
        return Said(f"{sabotage.id}: `{sabotage.check}` does not say `{sabotage.names}`: {_told(done.stdout, '')}")
    return Said("", f"{sabotage.id}: {why[0][:160]}")


def _told(out: str, err: str) -> str:
    lines = [line.strip() for line in (*err.splitlines()[-3:], *out.splitlines()) if line.strip()]
    return " / ".join(lines)[-700:]


def run_all(root: Path, chosen: Sequence[Sabotage] = SABOTAGES, say: Callable[[str], None] | None = None) -> Found:
    """Controls first, then the sabotages, over a few copies at once."""
    tell = say or (lambda line: print(f"  {line}", file=sys.stderr, flush=True))
    checks = tuple(dict.fromkeys(sabotage.check for sabotage in chosen))
    with tempfile.TemporaryDirectory(prefix="portcullis-sabotage-") as scratch:
        slots: queue.Queue[Slot] = queue.Queue()
        for number in range(SLOTS):
            slots.put(Slot(root, Path(scratch).resolve() / f"copy-{number}"))

        def within(act: Callable[[Slot], Said], name: str) -> str:
            slot = slots.get()
            try:
                said = act(slot)
            except (LookupError, OSError) as exc:
                said = Said(f"{name} could not be tried: {exc}")
            finally:
                slots.put(slot)
            tell(said.problem or said.line)
            return said.problem

        with ThreadPoolExecutor(max_workers=SLOTS) as pool:
            passed = list(pool.map(lambda name: within(lambda slot: control(slot, name), name), checks))
            seen = list(pool.map(lambda one: within(lambda slot: noticed(slot, one), one.id), chosen))
    table = "\n".join(sorted(f"{one.id} {one.check} {one.reseal} {one.forges}" for one in chosen))
    return Found(
        {"controls": passed.count(""), "sabotages": seen.count(""), "resealed": sum(one.reseal for one in chosen)},
        {"table": hashlib.sha256(table.encode()).hexdigest()},
        tuple(problem for problem in (*passed, *seen) if problem),
    )


def main(words: Sequence[str] | None = None) -> int:
    """Run all or the named ones."""
    names = list(sys.argv[1:] if words is None else words)
    unknown = [name for name in names if name not in {one.id for one in SABOTAGES}]
    if unknown:
        print(
            f"no sabotage is called `{unknown[0]}`; there are: {', '.join(one.id for one in SABOTAGES)}",
            file=sys.stderr,
        )
        return Exit.INVALID
    try:
        found = run_all(ROOT, [one for one in SABOTAGES if not names or one.id in names])
    except NotEvaluated as exc:
        print(f"not evaluated: {exc}", file=sys.stderr)
        return Exit.NOT_EVALUATED
    print(f"{found.counts['controls']} controls pass, {found.counts['sabotages']} sabotages noticed by name")
    for problem in found.problems:
        print(problem)
    return Exit.RED if found.problems else Exit.PASSED


if __name__ == "__main__":
    sys.exit(main())
