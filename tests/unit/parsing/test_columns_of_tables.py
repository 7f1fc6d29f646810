"""Where tables lie, and the columns that a passage below their headings is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from app.parsing.text.data_files import read_csv
from app.parsing.text.passages import passages_of
from app.parsing.text.words.table_columns import TableColumns, cells_of, heads_in

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
    assert first.columns == ""
    assert len(later) > 5
    assert {passage.columns for passage in later} == {"| Boat | Berth | Colour |"}
    assert {passage.heading for passage in later} == {""}


def test_the_second_of_two_tables_has_its_own_columns():
    both = f"{HEAD}\n|---|---|\n| Petrel | 4 |\n\n| Quay | Depth |\n|---|---|\n| North | 3 m |\n"
    assert TableColumns(both).cut_at(both.index("| North")) == "| Quay | Depth |"


def test_rows_of_headings_are_found_in_a_passage():
    assert heads_in(SMALL) == (HEAD,)
    assert heads_in("| Petrel | 4 |\n| Tern | 9 |") == ()
    assert heads_in("") == ()


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| Petrel | 4 |", ["Petrel", "4"]),
        ("Petrel | 4", ["Petrel", "4"]),
        ("|  | 4 |  |", ["", "4", ""]),
        (r"| a \| b | > |", [r"a \| b", ">"]),
        ("|", []),
        ("", [""]),
    ],
)
def test_the_cells_of_a_row(row, cells):
    assert cells_of(row) == cells


def test_a_very_wide_table_is_told_as_far_as_there_is_room():
    wide = "|" + "|".join(f" column {number} " for number in range(90)) + "|"
    kept = TableColumns(f"{wide}\n{'|-' * 90}|\n| 1 |").cut_at(len(wide) + 184)
    assert wide.startswith(kept)
    assert kept.endswith(" |")
    assert 500 < len(kept) <= 600
    one = f"| {'x' * 700} |"
    assert TableColumns(f"{one}\n|-|\n| 1 |").cut_at(len(one) + 6) == ""


def test_many_bars_take_time_in_step_with_their_number():
    assert TableColumns("|" * 200_000 + "\n" + "|-" * 100_000).cut_at(5) == ""
    assert TableColumns("|\n" * 100_000).cut_at(5) == ""


def test_a_table_of_megabytes_takes_no_memory_for_each_of_its_rows():
    program = (
        "import resource, sys; from app.parsing.text.words.table_columns import TableColumns, heads_in\n"
        "texts = '| a |\\n|' + '-|' * 2_400_000 + 'x', '| a |\\n|-|' + '\\n|' * 2_400_000\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for text in texts: TableColumns(text), heads_in(text)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    where = {"PYTHONPATH": str(Path(__file__).parents[3] / "backend")}
    done = subprocess.run([sys.executable, "-c", program], env=where, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 100_000, done.stdout  # kilobytes; a gigabyte with a way back for every row
