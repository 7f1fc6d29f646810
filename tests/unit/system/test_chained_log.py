"""The audit log of the doors: a chain that shows what was changed, cut or left out."""

from __future__ import annotations

import pytest

from app.kernel.errors import StoreUnusable
from app.system.door_events import DoorEvent
from app.system.stores.audit.chained_log import ChainedLog


def _event(number):
    return DoorEvent(
        at_ms=number,
        door="mcp",
        tenant_id="acme",
        user_id="u1",
        request_id=str(number),
        tool_name="ask_documents",
        duration_ms=1,
        success=True,
    )


@pytest.fixture
def log(tmp_path):
    log = ChainedLog(tmp_path / "audit.jsonl")
    for number in range(5):
        log.note(_event(number))
    return log


def test_a_whole_log_is_verified(log, tmp_path):
    assert log.verify() == (5, None)
    assert ChainedLog(tmp_path / "none").verify() == (0, None)


@pytest.mark.parametrize(
    "damage",
    [
        lambda lines: [*lines[:2], lines[2].replace(b"acme", b"evil"), *lines[3:]],
        lambda lines: [*lines[:2], *lines[3:]],
        lambda lines: [lines[1], lines[0], *lines[2:]],
        lambda lines: [*lines[:4], b"not json"],
        lambda lines: lines[1:],
    ],
)
def test_a_change_is_seen(log, tmp_path, damage):
    path = tmp_path / "audit.jsonl"
    path.write_bytes(b"\n".join(damage(path.read_bytes().splitlines())) + b"\n")
    assert log.verify()[1] is not None


def test_half_a_line_of_a_killed_writer_is_cut_off(log, tmp_path):
    path = tmp_path / "audit.jsonl"
    path.write_bytes(path.read_bytes() + b'{"event":{"at_ms')
    log.note(_event(5))
    assert log.verify() == (6, None)


def test_a_log_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "audit.jsonl").mkdir()
    with pytest.raises(StoreUnusable, match="audit log"):
        ChainedLog(tmp_path / "audit.jsonl").note(_event(1))
