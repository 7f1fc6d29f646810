"""A start closes what a dead process left open, whatever format it was recorded in."""

from __future__ import annotations

import shutil
from pathlib import Path

from app import Settings, open_archive, open_gate

RECORDED = Path(__file__).parents[2] / "fixtures" / "records_format_1"


async def test_an_open_session_of_format_1_is_closed_and_not_discarded(tmp_path):
    data = tmp_path / "data"
    shutil.copytree(RECORDED, data)
    closed = next(
        path for path in (data / "journal" / "closed").rglob("*.jsonl") if b'"keyed":false' in path.read_bytes()
    )
    opened = data / "journal" / "open" / "local" / closed.name
    opened.parent.mkdir(parents=True, exist_ok=True)
    opened.write_bytes(b"".join(closed.read_bytes().splitlines(keepends=True)[:2]))
    closed.unlink()
    async with open_gate(settings=Settings(data_dir=data)):
        pass
    (row,) = [row for row in open_archive(Settings(data_dir=data)).sessions(9) if row.session_id == closed.stem]
    assert (row.state, row.stop) == ("recovered", "INTERNAL_INCONSISTENCY")
