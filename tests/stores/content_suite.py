"""What every content store does: each sentence of the port `kernel.ports.ContentStore`, as tests that a store inherits.

class TestMyStore(ContentSuite):
    def open_store(self, folder):
        return MyStore(folder)

    def last_put(self, store, tenant, digest, at_ms):
        store.set_time(tenant, digest, at_ms)
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from app.kernel.errors import StoreUnusable
from app.kernel.ports import ContentStore
from tests.stores.moments import HOUR_MS, now_ms

__all__ = ["ContentSuite"]

WORDS = b"some words"
NAME = hashlib.sha256(WORDS).hexdigest()


class ContentSuite(ABC):
    """Subclass it, say how a store is opened and aged, and where they apply override the two other hooks."""

    @abstractmethod
    def open_store(self, folder: Path) -> ContentStore:
        """An empty store; `folder` is the test's own."""

    @abstractmethod
    def last_put(self, store: Any, tenant: str, digest: str, at_ms: int) -> None:
        """Make it so that an object was last put at this time of day."""

    def no_room(self) -> AbstractContextManager[None]:
        """While it lasts, no object can be written; a store whose writes cannot fail leaves the hook as it is."""
        pytest.skip("no write of this store can fail")

    def damage(self, store: Any, tenant: str, digest: str) -> None:
        """Change what is held under a digest; a store whose objects nobody else can reach leaves the hook as it is."""
        pytest.skip("nobody can change the objects of this store")

    @pytest.fixture
    def store(self, tmp_path: Path) -> ContentStore:
        return self.open_store(tmp_path)

    # Keeping

    @pytest.mark.parametrize("data", [b"", b"\x00\n\xff", WORDS, WORDS * 100_000])
    async def test_what_is_put_comes_back_under_its_sha256(self, data, store):
        digest = store.put("acme", data)
        await store.flush("acme", [digest])
        assert digest == hashlib.sha256(data).hexdigest()
        assert store.get("acme", digest) == data

    async def test_the_same_bytes_are_kept_once(self, store):
        assert [store.put("acme", WORDS) for _ in range(3)] == [NAME] * 3
        await store.flush("acme", [NAME, NAME])
        assert (list(store.digests("acme")), store.count("acme")) == ([NAME], 1)

    async def test_there_is_nothing_under_a_digest_that_nobody_put(self, store):
        assert store.get("acme", NAME) is None
        await store.flush("acme", [])
        assert (store.tenants(), list(store.digests("acme")), store.count("acme")) == ((), [], 0)

    async def test_what_is_something_else_than_its_digest_says_is_refused(self, store):
        await store.flush("acme", [store.put("acme", WORDS)])
        self.damage(store, "acme", NAME)
        with pytest.raises(StoreUnusable):
            store.get("acme", NAME)

    # Failing

    async def test_a_put_never_fails_and_the_flush_says_what_could_not_be_written(self, store):
        with self.no_room():
            assert store.put("acme", WORDS) == NAME
        with pytest.raises(StoreUnusable):
            await store.flush("acme", [NAME])
        assert store.get("acme", NAME) is None

    async def test_an_object_that_could_not_be_written_is_the_trouble_of_whoever_put_it(self, store):
        with self.no_room():
            store.put("acme", WORDS)
        theirs = [store.put("acme", b"other words"), store.put("acme", b"more words")]
        await store.flush("acme", theirs)
        await store.flush("birch", [store.put("birch", WORDS)])
        with pytest.raises(StoreUnusable):
            await store.flush("acme", [*theirs, NAME])

    async def test_each_of_two_who_could_not_put_the_same_object_learns_of_it(self, store):
        with self.no_room():
            for _ in range(2):
                store.put("acme", WORDS)
        for _ in range(2):
            with pytest.raises(StoreUnusable):
                await store.flush("acme", [NAME])

    async def test_an_object_that_is_put_again_when_there_is_room_is_safe(self, store):
        with self.no_room():
            store.put("acme", WORDS)
        assert store.put("acme", WORDS) == NAME
        await store.flush("acme", [NAME])
        assert store.get("acme", NAME) == WORDS

    # Looking over and removing

    @pytest.mark.ruling("R20")
    async def test_one_tenant_does_not_see_the_objects_of_another(self, store):
        for tenant in ("birch", "acme"):
            await store.flush(tenant, [store.put(tenant, WORDS)])
        await store.flush("acme", [store.put("acme", b"only here")])
        assert store.tenants() == ("acme", "birch")
        assert (store.count("acme"), store.count("birch"), store.count("cedar")) == (2, 1, 0)
        assert list(store.digests("birch")) == [NAME]
        assert store.get("birch", hashlib.sha256(b"only here").hexdigest()) is None
        assert store.get("cedar", NAME) is None
        assert (store.remove("cedar", NAME), store.remove("acme", NAME)) == (False, True)
        assert (store.get("acme", NAME), store.get("birch", NAME)) == (None, WORDS)

    async def test_every_object_is_listed_by_its_name(self, store):
        names = {store.put("acme", f"object {number}".encode()) for number in range(50)}
        await store.flush("acme", sorted(names))
        assert sorted(store.digests("acme")) == sorted(names)
        assert store.count("acme") == 50

    async def test_a_removed_object_is_gone_until_it_is_put_again(self, store):
        await store.flush("acme", [store.put("acme", WORDS)])
        assert (store.remove("acme", NAME), store.remove("acme", NAME)) == (True, False)
        assert (store.get("acme", NAME), store.count("acme")) == (None, 0)
        await store.flush("acme", [store.put("acme", WORDS)])
        assert store.get("acme", NAME) == WORDS

    async def test_an_object_of_the_last_hour_stays_however_late_the_moment(self, store):
        await store.flush("acme", [store.put("acme", WORDS)])
        for age_ms, removed in ((0, False), (HOUR_MS - 10_000, False), (HOUR_MS + 10_000, True)):
            self.last_put(store, "acme", NAME, now_ms() - age_ms)
            assert store.remove_unused("acme", NAME, now_ms() + HOUR_MS) is removed
        assert store.get("acme", NAME) is None

    async def test_only_an_object_that_nobody_has_put_since_is_removed(self, store):
        await store.flush("acme", [store.put("acme", WORDS)])
        then = now_ms() - 5 * HOUR_MS
        self.last_put(store, "acme", NAME, then)
        assert store.remove_unused("acme", NAME, then - 1_000) is False
        assert store.remove_unused("birch", NAME, then + 1_000) is False
        assert store.get("acme", NAME) == WORDS
        assert store.remove_unused("acme", NAME, then + 1_000) is True
        assert store.remove_unused("acme", NAME, then + 1_000) is False
        assert (store.get("acme", NAME), store.count("acme")) == (None, 0)

    async def test_an_old_object_that_is_put_again_is_young(self, store):
        await store.flush("acme", [store.put("acme", WORDS)])
        self.last_put(store, "acme", NAME, now_ms() - 5 * HOUR_MS)
        await store.flush("acme", [store.put("acme", WORDS)])
        assert store.remove_unused("acme", NAME, now_ms()) is False
        assert store.get("acme", NAME) == WORDS
