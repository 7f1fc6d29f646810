"""Ctrl-C while the command line is still being loaded: one line, exit code 130, no traceback."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLI = Path(sys.executable).with_name("portcullis")
NOT_HUNG_S = 60


def _wait_for(begun, library):
    maps, deadline = Path(f"/proc/{begun.pid}/maps"), time.monotonic() + NOT_HUNG_S
    while library not in maps.read_text():
        assert time.monotonic() < deadline, f"`{library}` was never loaded"


def _interrupted(library, *words):
    """Interrupt a command when it has loaded a library; should it get so far, it waits for its input."""
    command = [CLI, "screen", *words]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as begun:
        _wait_for(begun, library)
        begun.send_signal(signal.SIGINT)
        out, err = begun.stdout.read(), begun.stderr.read()  # not `communicate`: its input stays open
        begun.stdin.close()
    return begun.returncode, out, err.decode()


# In the order in which they are loaded: with the list of commands, with the command, and the last.
@pytest.mark.parametrize("library", ["_json", "pydantic_core", "_re2"])
def test_an_interrupt_while_everything_is_loaded(library):
    code, out, err = _interrupted(library)
    assert (code, out, err) == (130, b"", "portcullis: interrupted\n")


def test_an_interrupt_while_everything_is_loaded_is_one_json_document():
    code, out, err = _interrupted("pydantic_core", "--json")
    assert code == 130
    assert json.loads(out) == {"error": {"kind": "interrupted", "message": "interrupted"}}
    assert err == "portcullis: interrupted\n"


def test_interrupts_that_a_shell_ignores_stay_ignored():
    """As in `portcullis screen &`; what is told to ignore it goes on with its work."""
    command = f'import os, signal; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv("{CLI}", ["{CLI}", "screen"])'
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", command], cwd=ROOT, **pipes) as it:
        _wait_for(it, "pydantic_core")
        it.send_signal(signal.SIGINT)
        out, _ = it.communicate(b"The oven is hot.", timeout=NOT_HUNG_S)
    assert it.returncode == 0
    assert out


def test_hardly_anything_is_loaded_before_interrupts_are_heard():
    code = "import portcullis.cli.start, sys; print(*sorted(sys.modules))"
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    assert [name for name in loaded if name.startswith("portcullis")] == [
        "portcullis",
        "portcullis.cli",
        "portcullis.cli.start",
    ]
    assert not {"pydantic", "rich", "typer", "typing"} & set(loaded)
