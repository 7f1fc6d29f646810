"""Workers and parsers start under the name by which their host imported the package."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.tools.sandbox_bench import body, pool

import app
from app.parsing.document import ParsedDocument
from app.tools.sandbox.host.document_reading import ReaderProcess
from app.tools.sandbox.spec import ParserSpec, page_parser


def _program(pid):
    """The module that `boot` told the interpreter to run."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")[-3].decode()


def test_a_worker_has_the_name_of_its_host():
    async def scenario():
        async with pool() as tool:
            pid = int(await body(tool, "pid"))
            return _program(pid)

    assert asyncio.run(scenario()) == f"{app.__name__}.tools.sandbox.inside.nursery"


def test_a_parser_is_that_of_its_host():
    assert page_parser().startswith(f"{app.__name__}.parsing.")
    spec = ParserSpec()
    assert spec.parser.startswith(f"{app.__name__}.parsing.")
    with ReaderProcess(spec) as reader:
        assert isinstance(reader(b"rye bread", "a.txt"), ParsedDocument)
        assert _program(reader.pid) == f"{app.__name__}.tools.sandbox.inside.reader"
