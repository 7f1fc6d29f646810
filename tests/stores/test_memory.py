"""The stores in memory do what their ports say; they have no second process, and no write of theirs fails."""

from __future__ import annotations

from app.system.stores.content.memory import MemoryStore
from app.system.stores.journal.memory import MemoryJournal
from tests.stores.archive_suite import ArchiveSuite
from tests.stores.content_suite import ContentSuite
from tests.stores.journal_suite import JournalSuite


def _last_put(store, tenant, digest, at_ms):
    data, _ = store._objects[tenant, digest]
    store._objects[tenant, digest] = (data, at_ms)


class TestMemoryJournal(JournalSuite):
    """Needs no folder."""

    def open_journal(self, folder):
        return MemoryJournal()


class TestMemoryStore(ContentSuite):
    """Reaches inside: nothing else says when an object was put."""

    def open_store(self, folder):
        return MemoryStore()

    def last_put(self, store, tenant, digest, at_ms):
        _last_put(store, tenant, digest, at_ms)


class TestMemoryArchive(ArchiveSuite):
    """Needs no folder."""

    def open_stores(self, folder):
        return MemoryJournal(), MemoryStore()

    def last_put(self, store, tenant, digest, at_ms):
        _last_put(store, tenant, digest, at_ms)
