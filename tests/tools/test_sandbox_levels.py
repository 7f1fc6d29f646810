"""The level of the sandbox is found out, named, shown, and refused where it is lower than an operator requires."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.kernel.errors import OperationForbidden, StoreUnusable
from app.parsing.document import parse_document
from app.parsing.text.decoding import _TEXT_CODECS
from app.tools.sandbox.host.document_reading import ReaderProcess
from app.tools.sandbox.host.parsers import open_document_pool
from app.tools.sandbox.spec import ParserSpec
from app.tools.sandbox.walls.levels import SandboxLevel, SandboxState, Wall

ROOT = Path(__file__).parents[2]
LANDLOCK = "444,445,446"
SECCOMP = str(317 if os.uname().machine == "x86_64" else 277)
LEVELS = [
    ("", "full"),
    (LANDLOCK, "rlimits+seccomp"),
    (SECCOMP, "rlimits+landlock"),
    (f"{LANDLOCK},{SECCOMP}", "rlimits"),
]


def portcullis(tmp_path, hidden, *words, sandbox="any"):
    """The command line on a kernel without some calls."""
    weaker = ("-m", "tests.fixtures.weaker_kernel", hidden) if hidden else ()
    command = [sys.executable, *weaker, "-c", "from app.cli.main import main; main()", *words]
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PORTCULLIS_DATA": str(tmp_path / "data"),
        "PORTCULLIS_SANDBOX": sandbox,
    }
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("hidden", "level"), LEVELS)
def test_the_command_line_names_the_level_that_a_worker_reaches(tmp_path, hidden, level):
    shown = portcullis(tmp_path, hidden, "sandbox", "--json")
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["level"] == level
    strict = portcullis(tmp_path, hidden, "sandbox", sandbox="full")
    assert strict.returncode == (0 if level == "full" else 5)
    assert f"sandbox level {level}\n" in strict.stdout


@pytest.mark.parametrize("command", ["ask", "index"])
@pytest.mark.parametrize(("hidden", "level"), LEVELS[1:])
def test_a_weaker_machine_is_refused_where_the_full_level_is_required(tmp_path, hidden, level, command):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.md").write_text("Rye bread keeps for a week.")
    pages = str(tmp_path / "pages")
    words = ("index", pages) if command == "index" else ("ask", "rye", "--docs", pages)
    refused = portcullis(tmp_path, hidden, *words, sandbox="full")
    assert refused.returncode == 1
    assert f"this machine offers `{level}`" in refused.stderr.replace("\n", " ")
    allowed = portcullis(tmp_path, hidden, *words)
    assert allowed.returncode == 0, allowed.stderr
    assert f"sandbox of level `{level}`" in allowed.stderr.replace("\n", " ")


def test_a_switch_with_no_such_position_is_refused(tmp_path):
    refused = portcullis(tmp_path, "", "sandbox", sandbox="some")
    assert refused.returncode == 2
    assert "PORTCULLIS_SANDBOX must be `any` or `full`" in refused.stderr


@pytest.mark.parametrize("walls", [(), (Wall.LANDLOCK,), (Wall.SECCOMP,)])
def test_a_process_that_does_not_reach_the_level_reads_nothing(walls):
    spec = ParserSpec(walls=walls, required=SandboxLevel.FULL)
    with ReaderProcess(spec) as reader, pytest.raises(StoreUnusable, match="level `full` is required"):
        reader(b"x", "a.txt")

    async def on_a_loop():
        pool = open_document_pool(spec)
        try:
            with pytest.raises(OperationForbidden, match="level `full` is required"):
                await pool.parse(b"x", "a.txt")
        finally:
            await pool.aclose()

    asyncio.run(on_a_loop())


def test_every_choice_of_walls_has_its_name():
    named = {SandboxState(landlock_abi=abi, seccomp=seccomp).level for abi in (0, 1) for seccomp in (False, True)}
    assert named == set(SandboxLevel)


def test_every_encoding_that_the_parser_knows_is_loaded_before_the_walls_stand():
    with ReaderProcess(ParserSpec(required=SandboxLevel.FULL)) as reader:
        for codec in sorted(_TEXT_CODECS):
            page = f'<meta charset="{codec}"><p>Rye <b>keeps'.encode() + "é、д".encode(codec, "ignore")
            assert reader(page, "a.html") == parse_document(page, "a.html"), codec
        unknown = b'<meta charset="x-no-such-thing"><p>\xff'
        assert reader(unknown, "a.html") == parse_document(unknown, "a.html")
        assert reader.pid is not None
