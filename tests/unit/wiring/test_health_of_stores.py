"""Health looks at ledger, folders and indexes as they are used, and an index that is lost is told to the operator."""

from __future__ import annotations

import asyncio
import logging
import shutil
import sqlite3
from pathlib import Path

import pytest

from app import Principal, Settings, open_gate, read_request
from app.kernel.document_index import Collection
from app.system.stores.documents.index_health import index_fault
from app.system.stores.ledger.schema import ledger_file_fault

ROOT = Path(__file__).parents[3]
PRINCIPAL = Principal(tenant="local", user="local", tier="MAX", collections=("documents",))
QUESTION = read_request(question="how long does the dough rest?")
GARBAGE = b"\x07 no ledger and no index \x00" * 4000
STORES = ("content_store", "journal", "ledger")


def asked(data, meanwhile=lambda data: None, *, documents=ROOT / "samples" / "bread", first=True, then=True):
    """Health before and after what happens under an open gate, and the answer after it."""

    async def session():
        async with open_gate(documents, settings=Settings(data_dir=data)) as router:
            if first:
                await router.run(QUESTION, PRINCIPAL)
            before = router.health()
            meanwhile(data)
            after = router.health()
            return before, after, await router.run(QUESTION, PRINCIPAL) if then else None

    return asyncio.run(session())


def details(health):
    return {check.name: check.detail for check in health.checks if check.state == "failed"}


def overwrite(path):
    path.write_bytes(GARBAGE)


def databases(data):
    return sorted((data / "collections").rglob("documents.sqlite3"))


def every_file(data):
    return {path: path.read_bytes() for path in sorted(data.rglob("*")) if path.is_file()}


def test_a_ledger_that_is_garbage_fails_a_gate_that_is_opened_on_it(tmp_path):
    asked(tmp_path, then=False)
    overwrite(tmp_path / "ledger.sqlite3")
    before, _, _ = asked(tmp_path, documents=None, first=False, then=False)
    assert details(before) == {"ledger": "is damaged or not a ledger"}
    assert not before.healthy


@pytest.mark.parametrize("first", [True, False])
def test_a_ledger_that_is_garbage_fails_an_open_gate(first, tmp_path):
    asked(tmp_path, then=False)
    _, after, _ = asked(tmp_path, lambda data: overwrite(data / "ledger.sqlite3"), first=first, then=False)
    assert list(details(after)) == ["ledger"]


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("PRAGMA user_version = 99", "newer version"),
        ("PRAGMA application_id = 1", "another program"),
        ("DROP TABLE reservations", "is damaged"),
        ("DROP INDEX reservations_by_key; ALTER TABLE reservations RENAME COLUMN key TO k", "is unusable"),
    ],
)
def test_a_file_that_the_ledger_would_refuse_is_refused(statement, why, tmp_path):
    asked(tmp_path, then=False)
    path = tmp_path / "ledger.sqlite3"
    assert ledger_file_fault(path) == ""
    with sqlite3.connect(path) as link:
        link.executescript(statement)
    link.close()
    assert why in ledger_file_fault(path)


def test_a_ledger_that_is_still_to_be_made_is_fine(tmp_path):
    before, _, _ = asked(tmp_path, first=False, then=False)
    assert before.healthy
    assert not (tmp_path / "ledger.sqlite3").exists()
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    names = ("none", "empty", "folder")
    assert [ledger_file_fault(tmp_path / name) for name in names] == ["", "", "is a directory"]


def test_a_ledger_that_somebody_has_locked_is_no_fault(tmp_path):
    asked(tmp_path, then=False)
    with sqlite3.connect(tmp_path / "ledger.sqlite3", isolation_level=None) as link:
        link.execute("BEGIN EXCLUSIVE")
        assert ledger_file_fault(tmp_path / "ledger.sqlite3") == ""
        link.execute("ROLLBACK")
    link.close()


@pytest.mark.parametrize("first", [True, False])
def test_a_data_folder_that_vanished_fails_every_store(first, tmp_path):
    before, after, _ = asked(tmp_path / "data", shutil.rmtree, documents=None, first=first, then=False)
    assert before.healthy
    assert details(after) == dict.fromkeys(STORES, "the data folder is gone")


@pytest.mark.parametrize(("name", "place"), [("content_store", "store"), ("journal", "journal")])
def test_a_folder_that_vanished_is_failed_and_one_that_is_made_again_is_not(name, place, tmp_path):
    async def session():
        async with open_gate(ROOT / "samples" / "bread", settings=Settings(data_dir=tmp_path)) as router:
            await router.run(QUESTION, PRINCIPAL)
            assert router.health().healthy
            shutil.rmtree(tmp_path / place)
            lost = router.health()
            await router.run(QUESTION, PRINCIPAL)
            return lost, router.health()

    lost, made = asyncio.run(session())
    assert details(lost) == {name: "gone since the gate was opened"}
    assert made.healthy


def test_a_ledger_that_vanished_or_was_replaced_is_failed(tmp_path):
    def replaced(data):
        shutil.copy(data / "ledger.sqlite3", data / "other")
        (data / "other").replace(data / "ledger.sqlite3")

    _, gone, _ = asked(tmp_path, lambda data: (data / "ledger.sqlite3").unlink(), then=False)
    assert details(gone) == {"ledger": "gone since the gate was opened"}
    _, other, _ = asked(tmp_path, replaced, then=False)
    assert "replaced" in details(other)["ledger"]


def test_looking_changes_nothing_whether_the_gate_was_asked_or_not(tmp_path):
    seen = []

    def look(data):
        seen.append(every_file(data))

    async def session(first):
        async with open_gate(ROOT / "samples" / "bread", settings=Settings(data_dir=tmp_path)) as router:
            if first:
                await router.run(QUESTION, PRINCIPAL)
            look(tmp_path)
            assert router.health().healthy
            look(tmp_path)

    asyncio.run(session(True))
    asyncio.run(session(False))
    with_log, then, without_log, at_last = seen
    assert list(with_log) == list(then)
    assert without_log == at_last


INDEX_DAMAGE = {
    "folder": lambda data: shutil.rmtree(data / "collections"),
    "file": lambda data: [path.unlink() for path in databases(data)],
    "garbage": lambda data: [overwrite(path) for path in databases(data)],
    "ranking": lambda data: [shutil.rmtree(path) for path in (data / "collections").rglob("ranking-*")],
}


@pytest.mark.parametrize("damage", INDEX_DAMAGE.values(), ids=INDEX_DAMAGE)
@pytest.mark.parametrize("first", [True, False])
def test_an_index_that_is_lost_under_an_open_gate_is_unavailable_and_told_in_the_log(first, damage, tmp_path, caplog):
    caplog.set_level(logging.INFO, logger="portcullis")
    _, _, result = asked(tmp_path, damage, first=first)
    assert [(one.status, one.unavailable) for one in result.outcomes] == [("unavailable", "unreadable")]
    assert [gap.detail for gap in result.gaps] == ["unreadable"]
    (line,) = [one for one in caplog.records if one.name == "portcullis" and "cannot be searched" in one.getMessage()]
    assert line.levelno == logging.ERROR
    assert line.getMessage().startswith("documents of collection `documents` cannot be searched: the ")
    assert line.getMessage().endswith("opening the gate again builds it again")
    healed, _, result = asked(tmp_path)
    assert (healed.healthy, result.verdict.stop) == (True, "SUCCESS_COMPLETED")


@pytest.mark.parametrize("damage", INDEX_DAMAGE.values(), ids=INDEX_DAMAGE)
def test_an_index_that_is_lost_under_an_open_gate_is_failed(damage, tmp_path):
    before, after, _ = asked(tmp_path, damage, first=False, then=False)
    assert before.healthy
    assert details(after)["documents"].startswith("documents: the ")


def test_an_empty_index_is_empty_and_no_fault(tmp_path, caplog):
    (tmp_path / "none").mkdir()
    before, _, result = asked(tmp_path / "data", documents=tmp_path / "none")
    assert before.healthy
    assert [(one.status, one.unavailable) for one in result.outcomes] == [("empty", None)]
    assert "cannot be searched" not in caplog.text


def test_a_search_that_found_damage_is_seen_by_health(tmp_path):
    _, _, _ = asked(tmp_path, then=False)
    (state,) = [path.parent for path in databases(tmp_path)]
    assert index_fault(state) == ""
    (state / "damaged").touch()
    assert index_fault(state) == "a search found the document index damaged"
    assert index_fault(tmp_path / "none") == "the document index is gone"


def test_a_collection_that_was_never_there_is_no_news_for_the_operator(tmp_path, caplog):
    place = Collection(name="other", folder=str(tmp_path), state_dir=str(tmp_path / "none"), tenant="somebody")
    _, after, result = asked(tmp_path / "data", documents=place)
    assert [one.unavailable for one in result.outcomes] == ["unreadable"]
    assert "cannot be searched" not in caplog.text
    assert details(after)["documents"] == "other: the document index is gone"
