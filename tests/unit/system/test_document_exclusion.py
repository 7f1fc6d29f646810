"""Files that the operator leaves out: what a pattern names, that it stays, and that it can be taken back."""

from __future__ import annotations

import pytest

from app.kernel.errors import RequestInvalid, StoreUnusable
from app.system.stores.documents.exclusion import change_exclusions, exclusions_of, pattern_of
from app.system.stores.documents.index import open_index, open_index_reader

FILES = ("a.md", "b.txt", "news/a.md", "news/march/week 1.md", "news/march/week[2].md", "notes/news.md")


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(FILES):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Number {number} is about the harbour and its mole.", encoding="utf-8")
    return tmp_path / "docs"


def _indexed(folder, state, *, exclude=(), include=()):
    index = open_index(folder, state)
    try:
        index.change_exclusions(exclude, include)
        report = index.refresh()
        hits = {hit.path for hit in index.search("harbour mole", 20)}
    finally:
        index.close()
    return report, hits


@pytest.mark.parametrize(
    ("pattern", "gone"),
    [
        ("a.md", {"a.md"}),
        ("*.md", {"a.md"}),
        ("**/*.md", set(FILES) - {"b.txt"}),
        ("**/a.md", {"a.md", "news/a.md"}),
        ("news", {"news/a.md", "news/march/week 1.md", "news/march/week[2].md"}),
        ("news/", {"news/a.md", "news/march/week 1.md", "news/march/week[2].md"}),
        ("news/*", {"news/a.md", "news/march/week 1.md", "news/march/week[2].md"}),
        ("news/?.md", {"news/a.md"}),
        ("news/**/week*", {"news/march/week 1.md", "news/march/week[2].md"}),
        ("[ab].*", {"a.md", "b.txt"}),
        ("[!a].*", {"b.txt"}),
        ("**", set(FILES)),
        ("[a-b].md", {"a.md"}),
        ("[^a].md", {"a.md"}),
        ("[a\\].md", {"a.md"}),
        ("[a--[&&||~~].md", {"a.md"}),
        ("gone.md", set()),
        ("news/march/week[", set()),
    ],
)
def test_a_pattern_names_a_file_or_a_folder_with_all_that_is_in_it(pattern, gone, folder, tmp_path):
    report, hits = _indexed(folder, tmp_path / "state", exclude=[pattern])
    assert hits == set(FILES) - gone
    assert [(one.pattern, one.files) for one in report.excluded] == [(pattern, len(gone))]
    assert report.documents == len(FILES) - len(gone)
    assert report.skipped == ()


@pytest.mark.parametrize("name", FILES)
def test_the_pattern_of_a_path_names_that_file_alone(name, folder, tmp_path):
    _, hits = _indexed(folder, tmp_path / "state", exclude=[pattern_of(name)])
    assert hits == set(FILES) - {name}


def test_later_refreshes_and_readers_honour_it_until_it_is_taken_back(folder, tmp_path):
    state = tmp_path / "state"
    _indexed(folder, state)
    report, _ = _indexed(folder, state, exclude=["news"])
    assert (report.removed, report.documents) == (3, 3)
    report, hits = _indexed(folder, state)
    assert len(hits) == 3
    assert [one.pattern for one in report.excluded] == ["news"]
    reader = open_index_reader(state)
    assert {hit.path for hit in reader.search("harbour mole", 20)} == hits
    reader.close()
    report, hits = _indexed(folder, state, include=["news"])
    assert (report.added, report.excluded, len(hits)) == (3, (), 6)


def test_an_index_that_is_built_again_still_honours_it(folder, tmp_path):
    state = tmp_path / "state"
    _indexed(folder, state, exclude=["news"])
    (state / "damaged").touch()
    report, hits = _indexed(folder, state)
    assert len(hits) == 3
    assert report.added == 3


def test_a_list_that_cannot_be_read_stops_the_refresh(folder, tmp_path):
    """Otherwise what the operator left out would be back without a word."""
    state = tmp_path / "state"
    _indexed(folder, state, exclude=["news"])
    (state / "excluded.json").write_text("{", encoding="utf-8")
    with pytest.raises(StoreUnusable, match="excluded files"):
        _indexed(folder, state)


def test_the_list_is_for_its_owner_alone(tmp_path):
    change_exclusions(tmp_path / "state", ["a"], [])
    assert (tmp_path / "state" / "excluded.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("pattern", ["", "/etc", "../up", "a/../b", "x\ny", "a" * 1_001, "[z-a]"])
def test_a_pattern_that_is_none_is_refused(pattern, tmp_path):
    with pytest.raises(RequestInvalid):
        change_exclusions(tmp_path, [pattern], [])
    assert exclusions_of(tmp_path) == ()


def test_a_pattern_that_was_never_given_cannot_be_taken_back(tmp_path):
    change_exclusions(tmp_path, ["a"], [])
    with pytest.raises(RequestInvalid, match="`b` is not among the excluded patterns"):
        change_exclusions(tmp_path, [], ["b"])


def test_there_are_not_more_patterns_than_can_be_matched(tmp_path):
    with pytest.raises(RequestInvalid, match="at most 1000"):
        change_exclusions(tmp_path, [f"{number}" for number in range(1_001)], [])


def test_a_list_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "state").write_text("", encoding="utf-8")
    with pytest.raises(StoreUnusable):
        change_exclusions(tmp_path / "state", ["a"], [])
