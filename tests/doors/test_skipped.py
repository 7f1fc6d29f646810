"""Files that cannot be searched: told once with a question, again when they change, and listed by `index --skipped`."""

from __future__ import annotations

import pytest

from tests.doors.command import portcullis


@pytest.fixture
def folder(tmp_path):
    found = tmp_path / "docs"
    found.mkdir()
    (found / "kettle.md").write_text("The copper kettle boils water in four minutes.\n", encoding="utf-8")
    for number in range(12):
        (found / f"image{number:02}.png").write_bytes(b"\x89PNG")
    return found


def _asked(folder, tmp_path):
    return portcullis("ask", "how fast is the kettle?", "--docs", folder, data_dir=tmp_path / "data").stderr.decode()


def test_skipped_files_are_told_once_until_they_change(folder, tmp_path):
    first = _asked(folder, tmp_path)
    assert "12 files of the folder cannot be searched: 12 unsupported" in first
    assert "--skipped" in first
    assert "image00.png" not in first
    assert "cannot be searched" not in _asked(folder, tmp_path)
    (folder / "blank.md").write_bytes(b"\x00\x01")
    assert "13 files of the folder cannot be searched: 1 binary, 12 unsupported" in _asked(folder, tmp_path)
    assert "cannot be searched" not in _asked(folder, tmp_path)


def test_a_folder_without_documents_says_so_every_time(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    for _ in range(2):
        assert "0 documents, 0 passages" in _asked(empty, tmp_path)


def test_index_lists_ten_of_them_or_all(folder, tmp_path):
    few = portcullis("index", folder, data_dir=tmp_path / "data").stdout.decode()
    assert few.count("skipped image") == 10
    assert "... and 2 more skipped files" in few
    every = portcullis("index", folder, "--skipped", data_dir=tmp_path / "data").stdout.decode()
    assert every.count("skipped image") == 12
