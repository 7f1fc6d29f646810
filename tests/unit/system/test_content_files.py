"""The content store on disk: what was put comes back or is refused, never something else."""

from __future__ import annotations

import fcntl
import hashlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.fixtures.at_once import at_once

from app.kernel.errors import StoreUnusable
from app.system.stores.content import files as content_files
from app.system.stores.content.files import FileStore


def only_file(folder):
    (path,) = [path for path in folder.rglob("*") if path.is_file()]
    return path


def test_what_is_put_comes_back_under_its_digest_and_is_kept_once(tmp_path):
    store = FileStore(tmp_path)
    digest = store.put("acme", b"some words")
    assert digest == hashlib.sha256(b"some words").hexdigest()
    assert store.put("acme", b"some words") == digest
    assert store.get("acme", digest) == b"some words"
    assert only_file(tmp_path).name == digest


@pytest.mark.ruling("R20")
def test_one_tenant_does_not_see_the_objects_of_another(tmp_path):
    store = FileStore(tmp_path)
    digest = store.put("acme", b"some words")
    assert store.get("other", digest) is None
    assert store.remove("other", digest) is False
    assert store.remove("acme", digest) is True
    assert store.get("acme", digest) is None


def test_a_flipped_byte_anywhere_is_refused(tmp_path):
    store = FileStore(tmp_path)
    digest = store.put("acme", b"some words")
    path = only_file(tmp_path)
    for place in range(10):
        data = bytearray(b"some words")
        data[place] ^= 1
        path.write_bytes(data)
        with pytest.raises(StoreUnusable, match=f"{digest[:12]} is damaged"):
            store.get("acme", digest)
    path.write_bytes(b"")
    with pytest.raises(StoreUnusable, match="damaged"):
        store.get("acme", digest)
    assert store.put("acme", b"some words") == digest
    assert store.get("acme", digest) == b"some words"


def test_a_folder_that_cannot_be_written_is_said_so_and_leaves_nothing(tmp_path):
    (tmp_path / "store").write_text("a file, not a folder")
    store = FileStore(tmp_path / "store")
    digest = store.put("acme", b"some words")
    with pytest.raises(StoreUnusable, match="cannot be written"):
        at_once(store.flush("acme", [digest]))
    assert [path.name for path in tmp_path.iterdir()] == ["store"]


def test_what_cannot_be_moved_into_place_is_not_left_behind(tmp_path):
    store = FileStore(tmp_path)
    digest = hashlib.sha256(b"some words").hexdigest()
    beside = tmp_path / "acme" / digest[:2]
    store.put("acme", b"other words")
    (beside / digest).mkdir(parents=True)
    (beside / digest / "in the way").write_text("")
    assert store.put("acme", b"some words") == digest
    assert [path.name for path in beside.iterdir()] == [digest]
    with pytest.raises(StoreUnusable, match="cannot be written"):
        at_once(store.flush("acme", [digest]))
    with pytest.raises(StoreUnusable, match="cannot be read"):
        store.get("acme", digest)
    with pytest.raises(StoreUnusable, match="cannot be removed"):
        store.remove("acme", digest)


def test_a_folder_that_was_taken_away_is_made_again(tmp_path):
    store = FileStore(tmp_path)
    digest = store.put("acme", b"some words")
    path = only_file(tmp_path)
    path.unlink()
    path.parent.rmdir()
    assert store.put("acme", b"some words") == digest
    assert store.get("acme", digest) == b"some words"


def test_objects_are_for_their_owner_only_and_young_when_named_again(tmp_path):
    store = FileStore(tmp_path)
    digest = store.put("acme", b"some words")
    path = only_file(tmp_path)
    assert path.stat().st_mode & 0o077 == 0
    os.utime(path, (1, 1))
    store.put("acme", b"some words")
    assert path.stat().st_mtime > 1
    assert store.tenants() == ("acme",)
    assert list(store.digests("acme")) == [digest]


def test_many_hands_put_the_same_object_without_harm(tmp_path):
    store = FileStore(tmp_path)
    with ThreadPoolExecutor(4) as hands:
        for number in range(50):
            data = f"object {number}".encode()
            assert len(set(hands.map(store.put, ["acme"] * 4, [data] * 4))) == 1
    assert len(list(store.digests("acme"))) == 50


NOW_MS = 1_700_000_000_000


@pytest.fixture
def old(tmp_path):
    """An object that nobody has put since a second before `NOW_MS`."""
    store = FileStore(tmp_path)
    digest = store.put("acme", b"some words")
    os.utime(only_file(tmp_path), (NOW_MS // 1000 - 1, NOW_MS // 1000 - 1))
    return store, digest


def test_only_an_object_that_nobody_has_put_since_is_forgotten(old, tmp_path):
    store, digest = old
    assert store.remove_unused("acme", digest, NOW_MS - 1000) is False
    assert store.remove_unused("other", digest, NOW_MS) is False
    assert store.get("acme", digest) == b"some words"
    assert store.remove_unused("acme", digest, NOW_MS - 999) is True
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert store.remove_unused("acme", digest, NOW_MS) is False


def test_an_object_of_the_last_hour_is_never_forgotten(tmp_path):
    store = FileStore(tmp_path)
    digest = store.put("acme", b"some words")
    assert store.remove_unused("acme", digest, 2 * NOW_MS) is False
    hour_ago = time.time() - 3_590
    os.utime(only_file(tmp_path), (hour_ago, hour_ago))
    assert store.remove_unused("acme", digest, 2 * NOW_MS) is False
    os.utime(only_file(tmp_path), (hour_ago - 20, hour_ago - 20))
    assert store.remove_unused("acme", digest, 2 * NOW_MS) is True


def test_who_puts_an_old_object_and_who_forgets_it_wait_for_each_other(old, tmp_path):
    """The folder's lock decides: shared by those who put, alone for who prunes; a new or young object needs none."""
    store, digest = old
    folder = only_file(tmp_path).parent
    with ThreadPoolExecutor(3) as others:
        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        putting = others.submit(store.put, "acme", b"some words")
        assert store.put("acme", b"other words")
        assert only_file(folder).stat().st_mtime == NOW_MS // 1000 - 1
        assert not putting.done()
        fcntl.flock(handle, fcntl.LOCK_SH)
        assert putting.result(60) == digest
        assert store.put("acme", b"some words") == digest
        os.utime(only_file(folder), (1, 1))
        forgetting = others.submit(store.remove_unused, "acme", digest, NOW_MS)
        assert store.put("acme", b"some words") == digest  # it is young again when its turn comes
        os.close(handle)
        assert forgetting.result(60) is False
    assert store.get("acme", digest) == b"some words"


def test_an_object_that_is_forgotten_while_it_is_put_is_written_anew(old, tmp_path, monkeypatch):
    """Patched, since the moment between looking at a file and renewing it is too short to meet."""
    store, digest = old

    def gone(path):
        Path(path).unlink()
        raise FileNotFoundError(2, "gone", path)

    monkeypatch.setattr(content_files.os, "utime", gone)
    assert store.put("acme", b"some words") == digest
    assert store.get("acme", digest) == b"some words"


def test_an_object_that_cannot_be_forgotten_is_said(tmp_path):
    store = FileStore(tmp_path)
    digest = store.put("acme", b"some words")
    path = only_file(tmp_path)
    path.unlink()
    path.mkdir()
    os.utime(path, (1, 1))
    with pytest.raises(StoreUnusable, match="cannot be removed"):
        store.remove_unused("acme", digest, NOW_MS)


def test_what_goes_while_objects_are_listed_does_no_harm(old, tmp_path):
    """A file that was listed and is gone is not there to be removed, and a folder that is gone is passed over."""
    store, digest = old
    folder = only_file(tmp_path).parent
    (folder / f"{digest}.new1").touch()
    emptied = tmp_path / "acme" / "ff"
    emptied.mkdir()
    listed = store.digests("acme")
    assert next(listed) == digest
    (folder / f"{digest}.new1").unlink()
    emptied.rmdir()
    assert [store.remove_unused("acme", name, NOW_MS) for name in listed] == [False]
    assert store.get("acme", digest) == b"some words"


def test_what_a_killed_writer_left_is_listed_and_removed_and_is_no_object(old, tmp_path):
    store, digest = old
    half = only_file(tmp_path).with_name(f"{digest}.new1")
    half.touch()
    os.utime(half, (1, 1))
    assert list(store.digests("acme")) == [digest, half.name]
    assert store.count("acme") == 1
    assert store.remove_unused("acme", half.name, NOW_MS) is True
    assert list(store.digests("acme")) == [digest]
