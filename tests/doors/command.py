"""Running the real command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CLI = Path(sys.executable).with_name("portcullis")


def portcullis(*args, data_dir, env=None, cwd=ROOT, stdin=None, timeout=120):
    """The finished process; output as text."""
    given = {"PATH": os.environ["PATH"], "HOME": str(data_dir), "PORTCULLIS_DATA": str(data_dir), "NO_COLOR": "1"}
    return subprocess.run(
        [os.fsencode(CLI), *(arg if isinstance(arg, bytes) else str(arg) for arg in args)],
        capture_output=True,
        env={**given, **(env or {})},
        cwd=cwd,
        input=stdin,
        timeout=timeout,
    )


def unread(*words):
    """The finished module of the checkout whose output nobody reads any more."""
    reads, writes = os.pipe()
    os.close(reads)
    try:
        return subprocess.run([sys.executable, "-m", *words], cwd=ROOT, stdout=writes, stderr=subprocess.PIPE)
    finally:
        os.close(writes)
