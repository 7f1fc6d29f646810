"""The index of a folder: what it finds, what it reads again, and in which order it answers."""

from __future__ import annotations

import hashlib
import os

import pytest

from app.kernel.errors import RequestInvalid, StoreUnusable
from app.system.stores.documents.index import open_index, open_index_reader


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "folder"
    made.mkdir()
    return made


@pytest.fixture
def index(folder, tmp_path):
    opened = open_index(folder, tmp_path / "state")
    yield opened
    opened.close()


def test_a_folder_of_one_tiny_file_answers(folder, index):
    (folder / "a.txt").write_text("Rye needs a long proof.")
    report = index.refresh()
    assert (report.documents, report.passages, report.added, report.skipped) == (1, 1, 1, ())
    (hit,) = index.search("Does rye need a long proof?", 5)
    assert (hit.path, hit.text, hit.start, hit.end) == ("a.txt", "Rye needs a long proof.", 0, 23)
    assert hit.coverage_milli == 1000
    assert hit.text_hash == hashlib.sha256(b"Rye needs a long proof.").hexdigest()


def test_an_empty_folder_is_an_empty_index(index):
    assert index.refresh().documents == 0
    assert index.search("anything", 5) == ()
    assert index.rank("anything", 5) == ()


def test_hits_are_exact_slices_under_their_heading(folder, index):
    text = "# Bread\n\nAbout bread.\n\n## Rye\n\nRye is dark.\n\n## Wheat\n\nWheat is light.\n"
    (folder / "bread.md").write_text(text)
    index.refresh()
    hit = index.search("dark rye", 1)[0]
    assert hit.heading == "Bread > Rye"
    assert text[hit.start : hit.end] == hit.text == "## Rye\n\nRye is dark."
    assert hit.title == "Bread"


def test_at_most_two_passages_of_a_document(folder, index):
    (folder / "long.txt").write_text("\n\n".join(f"Rye passage {n}. " + "filler " * 100 for n in range(9)))
    (folder / "other.txt").write_text("Rye once, among other words of no account.")
    index.refresh()
    paths = [hit.path for hit in index.search("rye", 10)]
    assert sorted(paths) == ["long.txt", "long.txt", "other.txt"]


def test_only_what_changed_is_counted_and_the_answers_follow(folder, index):
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"page {name} barley")
    assert index.refresh().added == 3
    (folder / "a.txt").write_text("page a spelt")
    (folder / "b.txt").unlink()
    (folder / "d.txt").write_text("page d barley")
    report = index.refresh()
    assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, 1)
    assert {hit.path for hit in index.search("barley", 9)} == {"c.txt", "d.txt"}
    assert {hit.path for hit in index.search("spelt", 9)} == {"a.txt"}


def test_a_second_refresh_changes_nothing(folder, index, tmp_path):
    (folder / "a.txt").write_text("barley")
    index.refresh()
    ranking = sorted(path.name for path in (tmp_path / "state").glob("ranking-*"))
    report = index.refresh()
    assert (report.added, report.changed, report.removed, report.unchanged) == (0, 0, 0, 1)
    assert sorted(path.name for path in (tmp_path / "state").glob("ranking-*")) == ranking


def test_a_change_of_the_same_size_and_time_is_noticed(folder, index):
    path = folder / "a.txt"
    path.write_text("barley")
    stamp = path.stat().st_mtime_ns
    index.refresh()
    path.write_text("millet")
    os.utime(path, ns=(stamp, stamp))
    assert index.refresh().changed == 1
    assert index.search("millet", 1)[0].path == "a.txt"


def test_settled_files_are_not_read_again(folder, tmp_path, index, monkeypatch):
    path = folder / "a.txt"
    path.write_text("barley")
    index.refresh()
    # The stamps of a settled file lie well before the refresh; set the lock's clock ahead of them.
    monkeypatch.setattr(index, "_now_ns", lambda: path.stat().st_ctime_ns + 60_000_000_000)
    index.refresh()
    read = []
    monkeypatch.setattr("app.system.stores.documents.refresh.read_found", lambda *a: read.append(a) or b"never")
    assert index.refresh().unchanged == 1
    assert read == []


def test_a_renamed_file_and_a_copy_are_not_parsed_again(folder, index, monkeypatch):
    (folder / "a.txt").write_text("barley")
    index.refresh()
    monkeypatch.setattr(index, "_parse", lambda *a: pytest.fail("parsed again"))
    (folder / "a.txt").rename(folder / "b.txt")
    (folder / "c.txt").write_text("barley")
    report = index.refresh()
    assert (report.added, report.removed) == (2, 1)
    assert [hit.path for hit in index.search("barley", 5)] == ["b.txt", "c.txt"]


def test_ties_stand_in_order_of_path(folder, index):
    for name in ("z", "m", "a", "b/c", "B"):
        (folder / f"{name}.txt").parent.mkdir(exist_ok=True)
        # Same words, other bytes; the names have no part in the ranking's tie.
        (folder / f"{name}.txt").write_text("barley soup" + "\n" * len(name))
    index.refresh()
    paths = [hit.path for hit in index.search("barley soup", 9)]
    assert paths == sorted(paths)
    assert len(paths) == 5


def test_the_title_weighs_more(folder, index):
    (folder / "1.md").write_text("# Soup\n\nBarley and other words here.")
    (folder / "2.md").write_text("# Barley\n\nSoup and other words here.")
    index.refresh()
    assert [hit.path for hit in index.search("barley", 2)] == ["2.md", "1.md"]


def test_coverage_is_the_share_of_the_words_the_document_has(folder, index):
    (folder / "a.txt").write_text("barley soup with leeks")
    index.refresh()
    assert index.search("barley leeks", 1)[0].coverage_milli == 1000
    assert 300 < index.search("barley zeppelin", 1)[0].coverage_milli < 700
    assert index.search("zeppelin", 1) == ()


def test_hidden_parts_come_with_the_hit_and_are_not_searched(folder, index):
    (folder / "a.html").write_text("<p>Barley</p><p hidden>obey zeppelin</p>")
    index.refresh()
    assert index.search("barley", 1)[0].hidden == ("obey zeppelin",)
    assert index.search("zeppelin", 1) == ()


@pytest.mark.parametrize("query", ["", "   ", "?!", "\U0001f600", '" OR 1=1; -- *', "a" * 5000, "\x00"])
def test_odd_questions_are_answered_without_a_fault(folder, index, query):
    (folder / "a.txt").write_text("barley")
    index.refresh()
    assert index.search(query, 3) == ()


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_out_of_range_is_the_caller_s_mistake(index, limit):
    with pytest.raises(RequestInvalid, match="1 to 1000"):
        index.search("x", limit)


def test_a_folder_that_is_none_is_the_caller_s_mistake(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RequestInvalid, match="does not exist"):
        open_index(tmp_path / "nowhere", tmp_path / "state")
    with pytest.raises(RequestInvalid, match="is not a folder"):
        open_index(tmp_path / "file", tmp_path / "state")


def test_a_folder_that_goes_away_is_the_caller_s_mistake(folder, index):
    index.refresh()
    folder.rmdir()
    with pytest.raises(RequestInvalid, match="does not exist"):
        index.refresh()


def test_searching_before_indexing_says_so(index, tmp_path):
    with pytest.raises(StoreUnusable, match="never indexed"):
        index.search("x", 1)
    with pytest.raises(StoreUnusable):
        open_index_reader(tmp_path / "elsewhere")


def test_a_reader_sees_each_refresh_and_writes_nothing(folder, index, tmp_path):
    (folder / "a.txt").write_text("barley")
    index.refresh()
    index.close()
    reader = open_index_reader(tmp_path / "state")
    assert [hit.path for hit in reader.search("barley", 3)] == ["a.txt"]
    for round_ in range(4):
        (folder / f"b{round_}.txt").write_text("barley again")
        index.refresh()
        assert len(reader.search("barley", 9)) == round_ + 2
    reader.close()


def test_a_state_folder_inside_the_folder_is_left_alone(folder):
    (folder / "a.txt").write_text("barley")
    index = open_index(folder, folder / "state")
    index.refresh()
    report = index.refresh()
    assert (report.documents, report.skipped) == (1, ())
    index.close()
