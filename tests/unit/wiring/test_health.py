"""The gate's own log lines and its health, on real folders."""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from pathlib import Path

import pytest

from app import Principal, Settings, open_gate, read_request
from app.kernel.errors import ContractViolation, RequestInvalid, StoreUnusable
from app.system.writable import unwritable

ROOT = Path(__file__).parents[3]
PRINCIPAL = Principal(tenant="local", user="local", tier="MAX", collections=("documents",))


def _open(**words):
    async def opened():
        async with open_gate(**words) as router:
            return router.health(), router

    return asyncio.run(opened())


def _checks(health):
    return {check.name: check for check in health.checks}


def _refusals(caplog):
    return [record for record in caplog.records if record.name == "portcullis" and hasattr(record, "notice")]


@pytest.mark.parametrize("what", ["folder", "environment", "caps", "data", "newer", "tool", "sandbox"])
def test_every_gate_that_is_not_opened_leaves_one_line_with_its_reason(what, tmp_path, caplog, monkeypatch):
    caplog.set_level(logging.INFO, logger="portcullis")
    (tmp_path / "file").write_text("{}", encoding="utf-8")
    words = {"settings": Settings(data_dir=tmp_path / "data")}
    match what:
        case "folder":
            words["documents"] = tmp_path / "gone"
        case "environment":
            words["settings"] = Settings(data_dir=tmp_path / "data", environment="moon")
        case "caps":
            words["caps"] = tmp_path / "file"
        case "data":
            words["settings"] = Settings(data_dir=tmp_path / "file" / "data")
        case "newer":
            (tmp_path / "data").mkdir(mode=0o700)
            (tmp_path / "data" / "FORMAT").write_text("99\n", encoding="utf-8")
        case "tool":
            words["tools"] = [object()]
        case "sandbox":
            words["settings"] = Settings(data_dir=tmp_path / "data", sandbox="full")
            weak = type("Weak", (), {"level": "limits"})()
            monkeypatch.setattr("app.wiring.sandbox.ToolOpener.sandbox_offered", lambda: weak)
    with pytest.raises((RequestInvalid, StoreUnusable, ContractViolation)) as caught:
        _open(**words)
    (line,) = _refusals(caplog)
    assert line.levelno == logging.ERROR
    assert line.getMessage() == f"gate not opened: {caught.value}"


def test_a_request_that_is_refused_leaves_a_line_on_the_logger_of_the_product(tmp_path, caplog):
    caplog.set_level(logging.INFO, logger="portcullis")

    async def asked():
        async with open_gate(settings=Settings(data_dir=tmp_path)) as router:
            with pytest.raises(RequestInvalid):
                await router.run(read_request(question="?", capability="marmalade"), PRINCIPAL)

    asyncio.run(asked())
    (line,) = _refusals(caplog)
    assert line.levelno == logging.INFO
    assert line.getMessage().startswith("request refused: there is no such capability")


def test_an_open_gate_is_healthy_and_one_that_was_left_is_not(tmp_path):
    health, router = _open(settings=Settings(data_dir=tmp_path / "data"))
    checks = _checks(health)
    assert health.healthy
    assert set(checks) == {"research", "gate", "lock", "catalogue", "sandbox", "content_store", "journal", "ledger"}
    assert "ask_documents" in health.capabilities
    assert _checks(router.health())["gate"].detail == "closed"
    assert not router.health().healthy


def test_a_flag_that_is_off_is_named(tmp_path):
    health, _ = _open(settings=Settings(data_dir=tmp_path, research_enabled=False))
    assert (health.healthy, _checks(health)["research"].detail) == (False, "flag_off")


def test_workers_are_counted_and_health_starts_none(tmp_path):
    async def asked():
        async with open_gate(ROOT / "samples" / "bread", settings=Settings(data_dir=tmp_path)) as router:
            before = router.health().workers
            await router.run(read_request(question="how long does the dough rest?"), PRINCIPAL)
            return before, router.health().workers

    before, after = asyncio.run(asked())
    assert before <= after
    assert after >= 1


def test_health_changes_nothing(tmp_path):
    _, router = _open(settings=Settings(data_dir=tmp_path))

    def all_of_it():
        return {path: path.stat().st_mtime_ns for path in sorted(tmp_path.rglob("*"))}

    before = all_of_it()
    router.health()
    assert all_of_it() == before


def _as_nobody(work):
    """What `work` says in a child without rights, because root may write everywhere."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        if os.getuid() == 0:
            os.setgroups([])
            os.setuid(65534)
        os.write(writes, work().encode())
        os._exit(0)
    os.close(writes)
    os.waitpid(child, 0)
    with os.fdopen(reads) as told:
        return told.read()


@pytest.mark.parametrize(
    ("mode", "place", "why"),
    [(0o555, "", "no permission to write"), (0o555, "new", "no permission to write"), (0o700, "new", "")],
)
def test_a_store_that_cannot_be_written_is_named(mode, place, why):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(mode)
        told = _as_nobody(lambda: unwritable(Path(folder) / place))
        if mode == 0o700 and os.getuid() == 0:
            why = "Permission denied"  # it may not even look
        assert told == why


def test_a_store_that_can_be_written_or_made_is_fine(tmp_path):
    (tmp_path / "file").touch()
    assert [unwritable(tmp_path / name) for name in ("", "file", "new/deeper")] == ["", "", ""]
