"""What is loaded before a command works: help, version and completion import no engine, fetcher, parser or sandbox."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from app.cli.listing import COMMANDS
from tests.doors.command import ROOT

# Packages of the work, and our own rooms that lead to them.
HEAVY = (
    "fastapi",
    "httpcore",
    "httpx",
    "jinja2",
    "mcp",
    "mcp_types",
    "starlette",
    "uvicorn",
    "opentelemetry.sdk",
    "pypdfium2",
    "re2",
    "selectolax",
    "tantivy",
)
ROOMS = ("portcullis.research.adapter", "portcullis.system.stores", "portcullis.tools", "portcullis.wiring.gate")
GROUPS = {
    "keys": ("create", "list", "revoke", "audit"),
    "sessions": ("list", "show"),
    "receipt": ("show", "verify"),
    "bench": ("retrieval",),
}
EVERY = [
    words
    for listed in COMMANDS
    for words in ((listed.name,), *((listed.name, sub) for sub in GROUPS.get(listed.name, ())))
]
_RUN = """
import atexit, sys
atexit.register(lambda: print("loaded", *sys.modules, file=sys.stderr))
from portcullis.cli.start import main
main()
"""


def _python(code, *words, env=None):
    given = {"PATH": os.environ["PATH"], "COLUMNS": "100", "NO_COLOR": "1", **(env or {})}
    return subprocess.run([sys.executable, "-c", code, *words], cwd=ROOT, env=given, capture_output=True, text=True)


def _heavy(modules):
    return [name for name in modules if any(f"{name}.".startswith(f"{one}.") for one in (*HEAVY, *ROOMS))]


def _loaded(done):
    told, _, modules = done.stderr.rpartition("loaded ")
    assert told == ""
    assert len(modules.split()) > 50, "the list of modules was not printed"
    return modules.split()


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("--version",), ("version",), ("version", "--json")])
def test_what_needs_no_work_loads_no_work(words):
    done = _python(_RUN, *words)
    assert done.returncode == 0
    assert done.stdout
    assert _heavy(_loaded(done)) == []


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_the_help_of_a_command_loads_no_work(words):
    done = _python(_RUN, *words, "--help")
    assert done.returncode == 0
    assert f"Usage: -c {' '.join(words)}" in done.stdout
    assert _heavy(_loaded(done)) == []


def test_completing_a_command_loads_no_work():
    env = {"COMP_WORDS": "portcullis s", "COMP_CWORD": "1", "_PORTCULLIS_COMPLETE": "complete_bash"}
    done = _python(_RUN.replace("main()", "sys.argv[0] = 'portcullis'; main()"), env=env)
    assert set(done.stdout.split()) == {name for name, _, _ in COMMANDS if name.startswith("s")}
    assert _heavy(_loaded(done)) == []


@pytest.mark.parametrize(
    "line",
    ["import portcullis", "from portcullis import Principal, ResearchRequest, StopReason, for_end_user, settings_from"],
)
def test_the_values_of_the_package_load_no_work(line):
    done = _python(f"{line}\nimport sys\nprint(*sys.modules)")
    assert done.returncode == 0, done.stderr
    assert _heavy(done.stdout.split()) == []


def test_the_list_of_heavy_modules_is_not_out_of_date():
    """A gate and a question do load them, so the tests above look for names that exist."""
    rooms = ("tools.scrape_page", "parsing.office.pdf", "mcp_server.transports", "chat.assembly")
    code = f"from portcullis import open_gate\nimport jinja2, sys, {', '.join(f'portcullis.{room}' for room in rooms)}"
    modules = set(_python(f"{code}\nprint(*sys.modules)").stdout.split())
    assert {*HEAVY, *ROOMS} - {"opentelemetry.sdk"} <= modules
