"""The key store: keys are shown once, kept as digests, checked, listed and revoked."""

from __future__ import annotations

import json
import sqlite3

import pytest
from tests.fixtures.web import HandClock

from app.kernel.errors import RequestInvalid, StoreUnusable
from app.system.stores.keys.sqlite import KeyStore


@pytest.fixture
def store(tmp_path):
    return KeyStore(tmp_path / "data" / "keys.sqlite3", HandClock())


def _made(store, **more):
    given = {"tenant": "acme", "user": "u1", "tier": "PRO", "collections": ("documents",), "scopes": ("chat",), **more}
    return store.create(**given)


def test_a_key_is_known_by_its_text_alone(store):
    made, text = _made(store)
    assert store.check(text) == made
    assert store.check(text).principal.subject == "acme/u1"
    for wrong in ("", "pck", text[:-1], text + "x", text.replace("pck_", "pcx_"), text.upper(), "é" + text, text * 9):
        assert store.check(wrong) is None


def test_the_file_holds_no_secret_and_is_private(store, tmp_path):
    _, text = _made(store)
    path = tmp_path / "data" / "keys.sqlite3"
    assert text.rpartition("_")[2].encode() not in path.read_bytes()
    assert path.stat().st_mode & 0o077 == 0


def test_a_revoked_key_stays_listed_and_opens_nothing(store):
    made, text = _made(store)
    assert store.revoke(made.key_id)
    assert not store.revoke(made.key_id)
    assert store.check(text) is None
    assert [key.revoked_at_ms for key in store.all()] == [HandClock().now]


def test_nothing_is_made_by_looking(store, tmp_path):
    assert store.all() == ()
    assert store.check("pck_000000000000_x") is None
    assert not store.revoke("000000000000")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "wrong", [{"scopes": ()}, {"scopes": ("root",)}, {"tenant": "a b"}, {"user": ""}, {"collections": ("../x",)}]
)
def test_what_is_wrong_is_refused(store, wrong):
    with pytest.raises(RequestInvalid):
        _made(store, **wrong)


def test_a_file_that_is_no_database_is_named(store, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "keys.sqlite3").write_bytes(b"not a database at all, and long enough to be read as one")
    with pytest.raises(StoreUnusable, match="key store"):
        store.all()


def test_a_key_that_an_older_version_made_is_read_with_the_defaults(store, tmp_path):
    made, text = _made(store)
    with sqlite3.connect(tmp_path / "data" / "keys.sqlite3") as db:
        (facts,) = db.execute("SELECT facts FROM keys").fetchone()
        # What it wrote: every field that it knew, and none of what came later.
        assert not {"dialect", "sources_block"} & set(json.loads(facts))
        older = {**json.loads(facts), "revoked_at_ms": None}
        db.execute("UPDATE keys SET facts = ?", (json.dumps(older),))
    found = store.check(text)
    assert found == made
    assert (found.dialect, found.sources_block) == ("standard", True)


def test_a_key_keeps_how_its_client_wants_to_be_answered(store):
    made, text = _made(store, dialect="openwebui", sources_block=False)
    assert store.check(text) == made
    assert (made.dialect, made.sources_block) == ("openwebui", False)


def test_a_key_with_an_end_opens_nothing_from_then_on(tmp_path):
    clock = HandClock()
    store = KeyStore(tmp_path / "keys.sqlite3", clock)
    made, text = _made(store, lasts_ms=1_000)
    assert store.find(made.key_id) == made
    clock.now += 999
    assert store.check(text) == made
    clock.now += 1
    assert store.check(text) is None
    assert not store.find(made.key_id).valid_at(clock.now)
    assert store.find("000000000000") is None
