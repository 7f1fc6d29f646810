"""Lenses and host reputation: files of the catalogue, checked when they are read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.kernel.errors import ContractViolation
from app.system.catalog_files import catalog_dir
from app.system.lens_files import lens_engine_setting, read_lenses
from app.system.reputation_files import read_reputation

LENS = {"name": "bread", "title": "Bread", "description": "Bakeries.", "sites": ["bakery.example"]}
ENTRY = {"tier": "high", "basis": "its own records", "hosts": ["bakery.example"]}
PAGE = Path(__file__).parents[3] / "docs" / "search.md"


def _lens(folder, **changes):
    (folder / "lenses").mkdir(exist_ok=True)
    (folder / "lenses" / "bread.json").write_text(json.dumps({**LENS, **changes}))
    return read_lenses(folder)


def test_lenses_are_read_and_sorted(tmp_path):
    (one,) = _lens(tmp_path)
    assert (one.name, one.sites, one.cx) == ("bread", ("bakery.example",), "")
    assert lens_engine_setting("bread") == "PORTCULLIS_KEY_GOOGLE_CSE_ID_BREAD"
    assert read_lenses(tmp_path / "elsewhere") == ()


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "other"},
        {"name": "Bread"},
        {"sites": []},
        {"sites": ["https://bakery.example"]},
        {"sites": ["a.example"] * 21},
        {"cx": "a b"},
        {"more": 1},
    ],
)
def test_a_lens_that_is_wrong_is_named(tmp_path, changes):
    with pytest.raises(ContractViolation, match=r"lenses/bread\.json"):
        _lens(tmp_path, **changes)


def test_the_page_lists_the_lenses_of_the_catalogue():
    table = PAGE.read_text(encoding="utf-8").split("<!-- lenses -->")[1].split("<!-- /lenses -->")[0]
    told = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE))
    assert told == {lens.name: lens.description[0].lower() + lens.description[1:].rstrip(".") for lens in read_lenses()}


def test_every_host_has_a_basis():
    table = read_reputation()
    assert {entry.tier for entry in table.entries} == {"high", "mixed", "low"}
    assert all(len(entry.basis) > 20 for entry in table.entries)
    assert len(table.by_host()) > 80


@pytest.mark.parametrize(
    "entries",
    [
        [{**ENTRY, "tier": "good"}],
        [{**ENTRY, "hosts": []}],
        [{**ENTRY, "hosts": ["Bakery.example"]}],
        [ENTRY, ENTRY],
        "none",
    ],
)
def test_a_table_that_is_wrong_is_named(tmp_path, entries):
    (tmp_path / "reputation.json").write_text(json.dumps({"catalog_version": 1, "entries": entries}))
    with pytest.raises(ContractViolation, match=r"reputation\.json"):
        read_reputation(tmp_path)


def test_a_table_that_is_missing_is_named(tmp_path):
    with pytest.raises(ContractViolation, match=r"reputation\.json"):
        read_reputation(tmp_path)
    assert (catalog_dir() / "reputation.json").is_file()
