"""The first lines of the command line: from here on Ctrl-C ends it in one line, also while the rest is being loaded."""

from __future__ import annotations

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
    from .main import create_app
    from .main import main as run

    app = create_app()
    if ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run(app)


def _leave(*_: object) -> None:
    """Say it and end. An exception could be swallowed by the import that it interrupts."""
    if "--json" in sys.argv:
        os.write(1, _JSON)
    os.write(2, b"portcullis: interrupted\n")
    os._exit(_INTERRUPTED)
