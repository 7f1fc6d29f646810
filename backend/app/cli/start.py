"""The first lines of the command line: from here on Ctrl-C ends it in one line, also while the rest is being loaded."""

from __future__ import annotations

import gc
import os
import signal
import sys

__all__ = ["main"]

_INTERRUPTED = 130
_JSON = b'{"error":{"kind":"interrupted","message":"interrupted"}}\n'


def main() -> None:
    """Load the command line and run it; nothing is open yet, so an interrupt has nothing to close."""
    # Where interrupts are ignored, as in the background of a shell, they stay ignored.
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, _leave)
    # What is loaded stays: looking through it for garbage takes a tenth of the time that loading takes.
    gc.disable()
    from .main import main as run

    def when_loaded() -> None:
        """From here on something may be open, and an interrupt closes it first."""
        gc.freeze()
        gc.enable()
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    run(when_loaded=when_loaded)


def _leave(*_: object) -> None:
    """Say it and end. An exception could be swallowed by the import that it interrupts."""
    if "--json" in sys.argv:
        os.write(1, _JSON)
    os.write(2, b"portcullis: interrupted\n")
    os._exit(_INTERRUPTED)
