"""The data folder: made, marked, and refused where it belongs to somebody else."""

from __future__ import annotations

import pytest

from app.kernel.errors import StoreUnusable
from app.system.data_folder import DATA_FORMAT, open_data_folder


def test_a_new_folder_is_made_and_marked(tmp_path):
    folder = open_data_folder(tmp_path / "a" / "b")
    assert (folder / "FORMAT").read_text() == f"{DATA_FORMAT}\n"
    assert open_data_folder(folder) == folder


def test_an_unfinished_mark_is_finished(tmp_path):
    (tmp_path / "FORMAT").write_text("")
    open_data_folder(tmp_path)
    assert (tmp_path / "FORMAT").read_text() == f"{DATA_FORMAT}\n"


@pytest.mark.parametrize(
    ("mark", "said"), [("2", "newer version"), ("99999999", "newer version"), ("x", "no version"), ("-1", "no version")]
)
def test_a_folder_of_another_version_is_refused(tmp_path, mark, said):
    (tmp_path / "FORMAT").write_text(mark)
    with pytest.raises(StoreUnusable, match=said):
        open_data_folder(tmp_path)
    assert (tmp_path / "FORMAT").read_text() == mark


def test_a_file_in_its_place_is_refused(tmp_path):
    (tmp_path / "data").write_text("")
    with pytest.raises(StoreUnusable, match="cannot be used"):
        open_data_folder(tmp_path / "data")
