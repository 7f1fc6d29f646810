"""The cache of responses, erased under the hands of those who have it open."""

from __future__ import annotations

import sqlite3

import pytest

from app.parsing.http.exchange import StoredResponse
from app.system.stores.web_cache.sqlite import SqliteWebCache

SECRET = b"what nobody may read again " * 400


def _stored(body=SECRET):
    return StoredResponse("https://shop.example/", (("etag", '"a"'),), body, 1_000, 1_005)


@pytest.fixture
def handles(tmp_path):
    found = tuple(SqliteWebCache(tmp_path) for _ in range(2))
    yield found
    for handle in found:
        handle.close()


@pytest.mark.ruling("R20")
def test_what_one_handle_erases_no_other_serves(handles):
    backend, operator = handles
    backend.put("acme", "k", _stored())
    backend.put("other", "k", _stored(b"theirs"))
    assert backend.get("acme", "k").body == SECRET
    operator.forget("acme")
    assert backend.get("acme", "k") is None
    assert backend.get("other", "k").body == b"theirs"


@pytest.mark.ruling("R20")
def test_what_comes_after_an_erasing_is_found_by_the_next(handles):
    backend, operator = handles
    for _ in range(2):
        backend.put("acme", "k", _stored())
        assert operator.get("acme", "k").body == backend.get("acme", "k").body == SECRET
        operator.forget("acme")
        assert backend.get("acme", "k") is None


@pytest.mark.ruling("R20")
def test_an_open_file_holds_no_byte_of_what_was_erased(handles, tmp_path):
    backend, operator = handles
    backend.put("acme", "k", _stored())
    path = tmp_path / "acme" / "responses.sqlite3"
    reader = sqlite3.connect(path)
    assert reader.execute("SELECT count(*) FROM responses").fetchone() == (1,)
    with path.open("rb") as kept:
        assert SECRET[:40] in kept.read()
        operator.forget("acme")
        kept.seek(0)
        left = kept.read()
    assert SECRET[:40] not in left
    assert b"shop.example" not in left
    assert reader.execute("SELECT count(*) FROM responses").fetchone() == (0,)
    reader.close()
    assert not path.exists()


@pytest.mark.ruling("R20")
@pytest.mark.parametrize("damaged", [b"", b"this is no database" * 100], ids=["empty", "foreign"])
def test_a_file_that_cannot_be_emptied_goes_all_the_same(handles, tmp_path, damaged):
    backend, operator = handles
    backend.put("acme", "k", _stored())
    path = tmp_path / "acme" / "responses.sqlite3"
    path.unlink()
    path.write_bytes(damaged)
    operator.forget("acme")
    assert not path.exists()
    assert backend.get("acme", "k") is None
    operator.forget("nobody")
    assert not (tmp_path / "nobody").exists()
