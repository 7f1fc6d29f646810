"""Files that are refused or skipped, each with its reason."""

from __future__ import annotations

import os
import socket

import pytest

from app.parsing.document import LARGEST_FILE
from app.system.stores.documents.folder import FolderLimits, FoundFile, read_found, scan_folder
from app.system.stores.documents.index import open_index


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "folder"
    made.mkdir()
    (made / "good.txt").write_text("good barley")
    return made


def skipped(folder, tmp_path, **limits):
    index = open_index(folder, tmp_path / "state", limits=FolderLimits(**limits))
    try:
        report = index.refresh()
        assert index.refresh().skipped == report.skipped
        assert {hit.path for hit in index.search("good barley", 9)} >= {"good.txt"}
        assert index.search("secret", 9) == ()
        return {skip.path: skip.reason for skip in report.skipped}
    finally:
        index.close()


def test_links_that_lead_out_are_refused(folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (folder / "file.txt").symlink_to(outside / "secret.txt")
    (folder / "dir").symlink_to(outside)
    (folder / "up.txt").symlink_to("../outside/secret.txt")
    (folder / "chain.txt").symlink_to("file.txt")
    (folder / "far.txt").symlink_to("/etc/passwd")
    (folder / "gone.txt").symlink_to("/nowhere/at-all.txt")
    (folder / "twin").symlink_to(tmp_path / "folder-twin")
    (tmp_path / "folder-twin").mkdir()
    assert skipped(folder, tmp_path) == dict.fromkeys(
        ("chain.txt", "dir", "far.txt", "file.txt", "gone.txt", "twin", "up.txt"), "outside_folder"
    )


def test_links_inside_the_folder_lead_to_documents_but_not_in_circles(folder, tmp_path):
    (folder / "sub").mkdir()
    (folder / "sub" / "page.txt").write_text("good page")
    (folder / "link.txt").symlink_to("sub/page.txt")
    (folder / "sub" / "round").symlink_to("..")
    (folder / "self.txt").symlink_to("self.txt")
    (folder / "dangling.txt").symlink_to("missing.txt")
    assert skipped(folder, tmp_path) == {
        "dangling.txt": "unreadable",
        "self.txt": "not_a_file",
        "sub/round": "linked_folder",
    }


def test_what_is_no_file_is_never_opened(folder, tmp_path):
    os.mkfifo(folder / "pipe.txt")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "sock.md"))
    (folder / "pipe-link.txt").symlink_to("pipe.txt")
    try:
        assert skipped(folder, tmp_path) == dict.fromkeys(("pipe-link.txt", "pipe.txt", "sock.md"), "not_a_file")
    finally:
        listener.close()


def test_contents_that_are_no_text_have_their_reason(folder, tmp_path):
    (folder / "binary.txt").write_bytes(b"\x00\x01secret")
    (folder / "latin.txt").write_bytes(b"secret caf\xe9")
    (folder / "empty.md").write_bytes(b"")
    (folder / "image.png").write_bytes(b"secret")
    (folder / "big.txt").write_bytes(b"secret " * (LARGEST_FILE // 7 + 1))
    assert skipped(folder, tmp_path) == {
        "big.txt": "too_large",
        "binary.txt": "binary",
        "empty.md": "empty",
        "image.png": "unsupported",
        "latin.txt": "undecodable",
    }


def test_names_that_are_no_text_are_skipped(folder, tmp_path):
    with open(os.fsencode(folder) + b"/b\xff.txt", "wb") as stream:
        stream.write(b"secret")
    assert skipped(folder, tmp_path) == {"b\\xff.txt": "undecodable"}


def test_dot_folders_and_dot_files_are_passed_over(folder, tmp_path):
    (folder / ".git").mkdir()
    (folder / ".git" / "a.txt").write_text("secret")
    (folder / ".hidden.txt").write_text("secret")
    assert skipped(folder, tmp_path) == {}


def test_depth_and_number_are_limited(folder, tmp_path):
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "deep.txt").write_text("secret")
    (folder / "z.txt").write_text("secret")
    assert skipped(folder, tmp_path, max_depth=1, max_files=1) == {"a/b": "too_deep", "z.txt": "too_many_files"}


def test_a_file_that_vanishes_or_turns_into_a_link_between_looking_and_reading(folder, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    (folder / "sub").mkdir()
    (folder / "sub" / "secret.txt").write_text("x")
    files = {file.path: file for file in scan_folder(folder, FolderLimits(), tmp_path / "state").files}
    (folder / "good.txt").unlink()
    assert read_found(folder, files["good.txt"]) == "unreadable"
    (folder / "good.txt").symlink_to(tmp_path / "secret.txt")
    assert read_found(folder, files["good.txt"]) == "outside_folder"
    (folder / "sub" / "secret.txt").unlink()
    (folder / "sub").rmdir()
    (folder / "sub").symlink_to(tmp_path)
    assert read_found(folder, files["sub/secret.txt"]) in ("outside_folder", "unreadable")
    (folder / "good.txt").unlink()
    os.mkfifo(folder / "good.txt")
    assert read_found(folder, files["good.txt"]) == "not_a_file"


def test_a_file_that_may_not_be_read_is_unreadable(folder, tmp_path):
    if os.geteuid() != 0:
        (folder / "closed.txt").write_text("secret")
        (folder / "closed.txt").chmod(0)
        assert skipped(folder, tmp_path) == {"closed.txt": "unreadable"}
    lost = FoundFile("lost/x.txt", "lost/x.txt", "text", "", 0)
    assert read_found(folder, lost) == "unreadable"


def test_a_file_that_becomes_unfit_leaves_the_index(folder, tmp_path):
    index = open_index(folder, tmp_path / "state")
    index.refresh()
    (folder / "good.txt").write_bytes(b"\x00")
    report = index.refresh()
    assert (report.removed, report.documents) == (1, 0)
    assert index.search("barley", 3) == ()
    (folder / "good.txt").write_text("good barley")
    assert index.refresh().added == 1
    index.close()


def test_names_that_no_locator_holds_or_that_a_terminal_would_obey_are_skipped(folder, tmp_path):
    deep = folder / ("\u7c89" * 80) / ("\u7c89" * 80) / ("\u7c89" * 80)
    deep.mkdir(parents=True)
    (deep / "a.txt").write_text("bread")
    (folder / "a\x1b[31m\nb.txt").write_text("bread")
    found = skipped(folder, tmp_path)
    assert found.pop("a\\x1b[31m\\x0ab.txt") == "undecodable"
    assert list(found.values()) == ["name_too_long"]
