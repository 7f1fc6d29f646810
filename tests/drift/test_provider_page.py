"""docs/providers.md ↔ the catalogue and the code of the providers."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.provider_page import PAGE, options, providers, rendered

from app.kernel.providers import Fault
from app.system.provider_files import read_providers

TEXT = PAGE.read_text(encoding="utf-8")
SOURCES = sorted((Path(__file__).parents[2] / "backend" / "app" / "providers").glob("[a-z]*.py"))
# Facts whose names are put together, or that stand in `parsing`.
ELSEWHERE = {"published_relative", "doi"}


def test_the_tables_are_those_of_the_catalogue():
    assert rendered(TEXT) == TEXT, "run `make provider-page`"


def test_every_provider_kind_and_option_is_told():
    table = read_providers()
    assert all(f"| `{entry.name}` |" in providers() for entry in table.providers)
    kinds = TEXT.partition("## Kinds")[2].partition("## Options")[0]
    told = set(re.findall(r"^\| `(\w+)` \|", kinds, re.MULTILINE))
    assert told == set(table.kinds)
    assert options().count("\n") >= 15


def test_every_fault_is_told():
    passed_over = TEXT.partition("passed over as |")[2]
    assert {fault.value for fault in Fault} <= set(re.findall(r"`(\w+)`", passed_over))


def test_every_fact_is_told_and_said_by_somebody():
    table = TEXT.partition("## Facts of a record")[2].partition("## A call")[0]
    told = {name for row in re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    code += (SOURCES[0].parents[1] / "parsing" / "services" / "pubmed_xml.py").read_text(encoding="utf-8")
    said = set(re.findall(r'^\s+\("(\w+)", ', code, re.MULTILINE)) | set(re.findall(r'\(\("(\w+)", ', code))
    assert len(told) >= 30
    assert told <= said | ELSEWHERE | {"update_to", "updated_by", "location"}
