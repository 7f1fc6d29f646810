"""Every call leaves a line in the audit log, without its words; a command finds the first line that was changed."""

from __future__ import annotations

import json

from app.cli.exits import Exit
from tests.doors.command import portcullis
from tests.mcp_door.serving import stdio_client

CANARY = "canary-4711"


def _audited(data_dir):
    done = portcullis("keys", "audit", "--json", data_dir=data_dir)
    return done.returncode, json.loads(done.stdout)


async def test_the_audit_log_is_a_chain_that_a_command_checks(tmp_path):
    assert _audited(tmp_path) == (Exit.GROUNDED, {"lines": 0, "first_changed": None})
    async with stdio_client(tmp_path) as client:
        await client.call_tool("lint_report", {"text": CANARY})
        await client.call_tool("lint_report", {"text": 5, CANARY: CANARY})
        await client.call_tool(CANARY, {})
    log = tmp_path / "audit.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    events = [json.loads(line)["event"] for line in lines]
    assert [event["tool_name"] for event in events] == ["lint_report", "lint_report", "unknown"]
    assert [event["success"] for event in events] == [True, False, False]
    assert [event["error_code"] for event in events][:2] == ["", "validation"]
    assert CANARY.encode() not in b"".join(lines)
    assert _audited(tmp_path) == (Exit.GROUNDED, {"lines": 3, "first_changed": None})
    for changed, first in (
        (lines[0] + lines[1].replace(b"lint_report", b"ask_reports") + lines[2], 2),
        (lines[0] + lines[2], 2),
        (lines[1] + lines[2], 1),
        (lines[0] + lines[2] + lines[1], 2),
        (lines[0] + b"no line at all\n" + lines[1] + lines[2], 2),
    ):
        log.write_bytes(changed)
        assert _audited(tmp_path) == (Exit.DOES_NOT_HOLD, {"lines": first, "first_changed": first}), changed
