"""Only the owner can read a data folder: new files whatever the umask, those of an older version, or a refusal."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tantivy

from app import Principal, ResearchRequest, Settings, open_archive, open_gate
from app.kernel.errors import StoreUnusable
from app.parsing.http.exchange import StoredResponse
from app.system.contract_files import samples_dir
from app.system.data_folder import open_data_folder
from app.system.private_files import make_private, private_file, private_folder
from app.system.stores.documents.private_copy import part_of, private_copy
from app.system.stores.web_cache.sqlite import SqliteWebCache

WHO = Principal(tenant="acme", user="u", tier="PRO", collections=("documents",))


def open_to_others(folder):
    """What somebody else may read, write or enter, under a folder and at it."""
    every = [folder, *folder.rglob("*")]
    return sorted(str(path) for path in every if not path.is_symlink() and path.stat().st_mode & 0o077)


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


async def use(data):
    """A session over documents, with everything open that a gate keeps open; what others could read meanwhile."""
    documents = data.parent / "documents"
    if not documents.exists():
        shutil.copytree(samples_dir(), documents)
        documents.chmod(0o755)
    async with open_gate(documents, settings=Settings(data_dir=data)) as gate:
        outcome = await gate.run(ResearchRequest(question="Why is my sourdough loaf dense?"), WHO)
        assert outcome.verdict.stop.value == "SUCCESS_COMPLETED"
        response = StoredResponse("https://a.example/", (), b"body", 1, 2)
        SqliteWebCache(data / "cache").put("acme", "key", response)
        during = open_to_others(data)
    list(open_archive(Settings(data_dir=data)).sessions(9))
    return during


async def test_everything_new_is_private_whatever_the_umask(tmp_path, umask):
    data = tmp_path / "below" / "data"
    assert await use(data) == []
    names = {path.name for path in data.rglob("*")}
    assert {"FORMAT", "ledger.sqlite3", "documents.sqlite3", "refresh.lock", "order.bin", "responses.sqlite3"} <= names
    assert open_to_others(data) == []


def _umasks_below(parent):
    """The umask of every sandbox process that this one started, and of those that they started."""
    told = {}
    for path in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = dict(line.split(":\t", 1) for line in path.read_text().splitlines() if ":\t" in line)
            if b"sandbox.inside" not in path.with_name("cmdline").read_bytes():
                continue
        except OSError:
            continue
        told[int(lines["Pid"])] = (int(lines["PPid"]), lines["Umask"])
    below = {parent}
    while more := {pid for pid, (above, _) in told.items() if above in below} - below:
        below |= more
    return [told[pid][1] for pid in sorted(below - {parent})]


async def test_the_processes_of_a_gate_make_private_files_whatever_a_library_does(tmp_path, umask):
    async with open_gate(samples_dir(), settings=Settings(data_dir=tmp_path / "data")) as gate:
        await gate.run(ResearchRequest(question="Why is my sourdough loaf dense?"), WHO)
        masks = _umasks_below(os.getpid())
    assert len(masks) >= 2  # the nursery and a worker
    assert set(masks) == {"0077"}


def test_what_a_reader_makes_in_its_copy_of_the_ranking_is_private(tmp_path, umask):
    folder = tmp_path / "ranking"
    folder.mkdir()
    tantivy.Index(tantivy.SchemaBuilder().build(), path=str(folder))
    parts = [part_of(folder, path.name) for path in folder.iterdir() if path.name.endswith(".json")]
    with private_copy(folder, parts) as copy:
        tantivy.Index.open(str(copy)).searcher()
        assert (copy / ".tantivy-meta.lock").exists()
        assert open_to_others(copy) == []


async def test_a_folder_that_an_older_version_left_open_is_made_private(tmp_path):
    data = tmp_path / "data"
    await use(data)
    for path in (data, *data.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    outside = tmp_path / "elsewhere"
    outside.mkdir(mode=0o755)
    (data / "store" / "link").symlink_to(outside)
    assert await use(data) == []
    assert open_to_others(data) == []
    # What is not ours stays as it is: the documents, and whatever a link leads to.
    assert stat.S_IMODE(outside.stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "documents").stat().st_mode) == 0o755


def test_a_folder_on_a_file_system_that_takes_none_is_refused_with_a_reason():
    with pytest.raises(StoreUnusable, match=r"data folder `/proc/nope/data` cannot be used"):
        open_data_folder(Path("/proc/nope/data"))


def test_many_threads_may_make_folders_of_one_place_at_once(tmp_path):
    with ThreadPoolExecutor(16) as threads:
        for number in range(300):
            wanted = [tmp_path / str(number) / "store" / "acme" / str(thread) for thread in range(16)]
            list(threads.map(private_folder, wanted))  # raises where one of them could not be made
            assert all(folder.is_dir() for folder in wanted)


def test_a_folder_whose_parent_somebody_makes_just_after_our_first_try(tmp_path, monkeypatch):
    place, make = tmp_path / "store" / "acme", os.mkdir

    def late(path, mode=0o777, **more):
        if Path(path) == place and not place.parent.exists():
            make(place.parent, 0o700)
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))
        make(path, mode, **more)

    monkeypatch.setattr(os, "mkdir", late)
    private_folder(place)
    assert place.is_dir()


def test_an_empty_folder_that_was_there_before_is_made_private(tmp_path):
    tmp_path.chmod(0o755)
    open_data_folder(tmp_path)
    assert open_to_others(tmp_path) == []


def test_a_folder_with_other_things_in_it_keeps_its_rights_and_ours_are_private(tmp_path):
    tmp_path.chmod(0o755)
    (tmp_path / "thesis.txt").touch(mode=0o644)
    for _ in range(2):
        open_data_folder(tmp_path)
        assert open_to_others(tmp_path) == [str(tmp_path), str(tmp_path / "thesis.txt")]
        private_folder(tmp_path / "store" / "acme")
        (tmp_path / "store").chmod(0o755)
        (tmp_path / "ledger.sqlite3-wal").touch(mode=0o644)


def test_a_link_to_the_data_folder_is_followed_and_a_link_out_of_it_is_refused(tmp_path):
    real = tmp_path / "real"
    real.mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(real)
    open_data_folder(tmp_path / "link")
    assert open_to_others(real) == []
    (tmp_path / "other").mkdir(mode=0o755)
    (real / "store").symlink_to(tmp_path / "other")
    with pytest.raises(StoreUnusable, match="store` leads to a place that others can read"):
        open_data_folder(real)
    open_data_folder(real, to_look=True)
    assert stat.S_IMODE((tmp_path / "other").stat().st_mode) == 0o755
    (tmp_path / "other").chmod(0o700)
    open_data_folder(real)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of somebody else's")
def test_a_folder_of_another_user_that_stays_open_is_refused(tmp_path):
    folder = Path(tempfile.mkdtemp(prefix="portcullis-"))  # pytest keeps its own folders closed to other users
    open_data_folder(folder)
    try:
        folder.chmod(0o755)
        (folder / "FORMAT").chmod(0o644)
        child = os.fork()
        if child == 0:
            os.setuid(65_534)
            code = 1
            try:
                open_data_folder(folder)
            except StoreUnusable as exc:
                code = 0 if "others can read" in str(exc) and "not permitted" in str(exc) else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        shutil.rmtree(folder)


def test_a_file_in_the_place_of_a_folder_and_what_is_gone(tmp_path):
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match=r"exists|directory"):
            private_folder(place)
    make_private(tmp_path / "gone")
    private_file(tmp_path / "file")
    assert not (tmp_path / "gone").exists()
