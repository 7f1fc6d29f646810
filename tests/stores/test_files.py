"""The stores on disk do what their ports say."""

from __future__ import annotations

import os

from app.system.stores.content.files import FileStore
from app.system.stores.journal.files import FileJournal
from tests.stores.archive_suite import ArchiveSuite
from tests.stores.content_suite import ContentSuite
from tests.stores.journal_suite import JournalSuite
from tests.stores.room import no_room_on_disk


def _place(store, tenant, digest):
    return store._folder / tenant / digest[:2] / digest


def _last_put(store, tenant, digest, at_ms):
    os.utime(_place(store, tenant, digest), (at_ms / 1000, at_ms / 1000))


class TestFileJournal(JournalSuite):
    """Another process is another journal on the same folder: the locks belong to the open files."""

    def open_journal(self, folder):
        return FileJournal(folder)

    def another_process(self, journal, folder):
        return FileJournal(folder)

    def no_room(self):
        return no_room_on_disk()


class TestFileStore(ContentSuite):
    """Reaches for its files: only they say when an object was put."""

    def open_store(self, folder):
        return FileStore(folder)

    def last_put(self, store, tenant, digest, at_ms):
        _last_put(store, tenant, digest, at_ms)

    def no_room(self):
        return no_room_on_disk()

    def damage(self, store, tenant, digest):
        _place(store, tenant, digest).write_bytes(b"something else")


class TestFileArchive(ArchiveSuite):
    """Journal and content store in one folder, as a host has them."""

    def open_stores(self, folder):
        return FileJournal(folder / "journal"), FileStore(folder / "store")

    def last_put(self, store, tenant, digest, at_ms):
        _last_put(store, tenant, digest, at_ms)
