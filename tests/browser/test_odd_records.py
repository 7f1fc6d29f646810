"""Records that are erased, damaged, incomplete, of an older format or somebody else's: each page says what to do."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.kernel.journal_records import Called
from app.wiring import open_archive
from tests.browser.demo_server import DemoServer
from tests.browser.demo_sessions import TENANT, demo_settings, erase

OLDER = Path(__file__).parents[1] / "fixtures" / "records_format_1"


@pytest.fixture(scope="module")
def odd(past, tmp_path_factory):
    folder, ids = past
    copy = tmp_path_factory.mktemp("odd")
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    ids = dict(ids)
    erase(copy, ids["first"])
    journal = copy / "data" / "journal" / "closed" / TENANT
    damaged = next(journal.rglob(f"{ids['ask']}.jsonl"))
    lines = damaged.read_bytes().split(b"\n")
    lines[2] = lines[2].replace(b'"accepted":', b'"accepted":1')
    damaged.write_bytes(b"\n".join(lines))
    next(journal.rglob(f"{ids['budget']}.jsonl")).write_bytes(b"not a journal\n")
    archive = open_archive(demo_settings(copy))
    called = next(line.record for line in archive.lines(ids["success"]) if isinstance(line.record, Called))
    archive.store.remove(TENANT, called.input.raw)
    day = journal / "2026-01-01"
    day.mkdir()
    for path in (OLDER / "journal" / "closed").rglob("*.jsonl"):
        shutil.copy(path, day / path.name)
        ids["older"] = path.stem
    with DemoServer(copy) as server:
        server.ids = ids
        yield server


@pytest.fixture
def here(visit, odd):
    return visit(odd).sign_in()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("first", "The content of this session was erased."),
        ("ask", "The journal of this session is damaged."),
        ("success", "The store has lost an object of this session"),
        ("older", "recorded in an older format"),
    ],
)
def test_the_page_says_what_is_missing(here, odd, name, says):
    assert here.open(f"/console/r/{odd.ids[name]}") == 200
    assert says in here.page.inner_text(".notice")
    assert here.page.locator("h1").inner_text()


def test_a_source_that_cannot_be_cut_again_is_red(here, odd):
    here.open(f"/console/r/{odd.ids['success']}")
    broken = here.page.locator(".source.broken")
    assert broken.count() >= 1
    assert "cannot be cut again: object" in broken.first.inner_text()
    assert here.page.locator(".source.ok").count() >= 1


def test_a_replay_of_an_erased_session_says_so(here, odd):
    here.open(f"/console/r/{odd.ids['first']}")
    here.page.keyboard.press("r")
    here.page.wait_for_selector("#replayed.bad")
    assert "erased" in here.page.inner_text("#replayed")


@pytest.mark.parametrize(
    ("path", "status", "says"),
    [
        ("r/{budget}", 500, "Restore its file from a back-up"),
        ("r/{other tenant}", 404, "There is no such request"),
        ("r/no-such-session", 404, "There is no such request"),
        ("r/..%2f..%2fkeys", 404, "There is no such"),
        ("nowhere", 404, "There is no such page"),
        ("ask/no-such-question", 404, "no longer kept"),
        ("r/{first}/bundle.json", 409, "no bundle to download"),
    ],
)
def test_refusals_are_pages_that_say_what_to_do(here, odd, path, status, says):
    for name, session in odd.ids.items():
        path = path.replace(f"{{{name}}}", session)
    assert here.open(f"/console/{path}") == status
    assert says in here.page.inner_text(".refused")
    assert here.page.locator(".refused a.button").count() == 2


def test_the_table_lists_them_all(here):
    here.open("/console/requests?state=damaged")
    assert here.page.locator("[data-row]").count() == 2
    here.open("/console/requests?state=erased")
    assert here.page.locator("[data-row]").inner_text() == "(erased)"
