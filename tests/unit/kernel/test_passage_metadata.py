"""What a passage's item says of its place."""

from __future__ import annotations

from app.kernel.document_index import passage_metadata


def test_columns_are_told_where_a_table_begins_above_the_passage():
    assert passage_metadata("Stock", "", "a.md") == (("heading", "Stock"), ("path", "a.md"))
    assert passage_metadata("", "| A | B |", "a.csv") == (("columns", "| A | B |"), ("heading", ""), ("path", "a.csv"))
