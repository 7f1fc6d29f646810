"""Where tables lie, and the columns that a passage below their headings is told."""

from __future__ import annotations

import pytest

from app.parsing.text.data_files import read_csv
from app.parsing.text.passages import passages_of
from app.parsing.text.words.table_columns import TableColumns, column_headings, with_columns

HEAD = "| Boat | Berth |"
SMALL = f"# Harbour\n\n{HEAD}\n|:---|---:|\n| Petrel | 4 |\n| Tern | 9 |\n\nEnd | of | it.\n"


def test_a_row_is_in_its_table_and_nothing_else_is():
    tables = TableColumns(SMALL)
    assert tables.cut_at(SMALL.index("| Tern")) == HEAD
    assert tables.cut_at(SMALL.index("| Petrel")) == HEAD
    assert tables.cut_at(SMALL.index(HEAD)) == ""
    assert tables.cut_at(SMALL.index("End")) == ""
    assert tables.cut_at(0) == ""


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n| 1 | 2 |\n| 3 | 4 |",  # no line under a row of headings
        "a | b\n---|---\n1 | 2",
        "no table",
        "| a |",
        "",
    ],
)
def test_what_is_no_table(text):
    assert {TableColumns(text).cut_at(at) for at in range(len(text) + 1)} == {""}


def test_every_passage_of_a_long_table_knows_its_columns():
    rows = "\n".join(f"Petrel {number},{number},blue" for number in range(200))
    parts = read_csv(f"Boat,Berth,Colour\n{rows}\n")
    first, *later = passages_of(parts.text, parts.headings)
    assert "| Boat | Berth | Colour |" in parts.text[first.start : first.end]
    assert len(later) > 5
    assert {passage.heading for passage in later} == {"| Boat | Berth | Colour |"}


def test_the_second_of_two_tables_has_its_own_columns():
    both = f"{HEAD}\n|---|---|\n| Petrel | 4 |\n\n| Quay | Depth |\n|---|---|\n| North | 3 m |\n"
    assert TableColumns(both).cut_at(both.index("| North")) == "| Quay | Depth |"


def test_columns_stand_at_the_end_of_the_path():
    assert with_columns("Harbour", "") == "Harbour"
    assert with_columns("", HEAD) == HEAD
    assert with_columns("Harbour", HEAD) == f"Harbour > {HEAD}"
    assert column_headings(f"Harbour > {HEAD}") == HEAD
    assert column_headings(HEAD) == HEAD
    assert column_headings("Harbour > Boats") == ""
    assert column_headings("") == ""
    assert column_headings("Harbour", SMALL) == HEAD


def test_a_very_wide_table_is_told_as_far_as_there_is_room():
    wide = "|" + "|".join(f" column {number} " for number in range(90)) + "|"
    kept = column_headings(with_columns("Harbour", wide))
    assert wide.startswith(kept[:-1])
    assert kept.endswith("|")
    assert len(kept) <= 300


def test_a_title_with_a_bar_is_no_row():
    assert column_headings("Notes > a | b") == ""
    assert column_headings("a | b |") == ""


def test_many_bars_take_time_in_step_with_their_number():
    assert TableColumns("|" * 200_000 + "\n" + "|-" * 100_000).cut_at(5) == ""
    assert TableColumns("|\n" * 100_000).cut_at(5) == ""
