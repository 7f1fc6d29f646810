"""A row of a long table is cited together with the row that holds its headings, however far apart they stand."""

from __future__ import annotations

import asyncio

from app import Principal, Researcher, Settings, open_archive, open_gate

WHO = Principal(tenant="acme", user="u1", tier="MAX", collections=("documents",))
TOWNS = ("Aldermoor", "Brackwell", "Corfield", "Dunmere", "Eastholt", "Farleigh", "Garsdale", "Hollins", "Ivermark")


def test_the_headings_of_a_long_table_are_a_citation_of_their_own(tmp_path):
    rows = [f"| {town} | {17 + 3 * at} euros | leaves at {6 + at} in the morning |" for at, town in enumerate(TOWNS)]
    folder = tmp_path / "docs"
    folder.mkdir()
    table = ["| Town | Price of a ticket | Remarks |", "|---|---|---|", *rows]
    (folder / "coaches.md").write_text("# Coach tickets\n\n" + "\n".join(table) + "\n", encoding="utf-8")
    settings = Settings(data_dir=tmp_path / "data")

    async def asked():
        async with open_gate(folder, settings=settings) as gate:
            return await Researcher(gate, WHO).research("What does a ticket to Ivermark cost?")

    result = asyncio.run(asked())
    assert "Ivermark | 41 euros" in result.answer
    assert [one.raw_excerpt for one in result.citations if "Ivermark" not in one.raw_excerpt] == [
        "Town | Price of a ticket | Remarks"
    ]
    archive = open_archive(settings)
    assert archive.audit(result.model_dump_json().encode()).holds
