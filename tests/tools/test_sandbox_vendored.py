"""Workers find the package where their host found it, also under another name inside a host with its own `app`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import app

TOOL = """
    from hostapp.vendored.kernel.results import RawResult

    def build(config):
        return lambda call, context: RawResult(status="empty", spent_units=len(config))
"""
HOST = """
    import asyncio
    import app
    from hostapp.vendored.kernel.calls import CallContext, ToolCall
    from hostapp.vendored.tools.sandbox.host.hosted_tool import ProcessTool, WorkerSpec

    async def main():
        tool = ProcessTool(WorkerSpec(factory="hosttool:build", config="seven.."))
        context = CallContext(tenant="acme", collection="docs", own_deadline_ms=1000, max_output_bytes=1000)
        result = await tool.call(ToolCall(call_id="c1", tool="doc_lookup"), context)
        await tool.aclose()
        print(app.WHOSE, result.spent_units)

    asyncio.run(main())
"""


def test_a_vendored_package_runs_its_workers(tmp_path):
    shutil.copytree(
        Path(app.__file__).parent, tmp_path / "hostapp" / "vendored", ignore=shutil.ignore_patterns("__pycache__")
    )
    (tmp_path / "hostapp" / "__init__.py").touch()
    (tmp_path / "app.py").write_text("WHOSE = 'host'\n")
    (tmp_path / "hosttool.py").write_text(textwrap.dedent(TOOL))
    (tmp_path / "main.py").write_text(textwrap.dedent(HOST))
    done = subprocess.run([sys.executable, "main.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("host 7\n", "")
