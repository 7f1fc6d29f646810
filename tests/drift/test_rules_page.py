"""The rule catalogue ↔ rule file ↔ committed figures, and the character tables ↔ their script."""

from __future__ import annotations

import json

from scripts import fold_tables, rule_catalogue

from app.research.injection import RuleSet
from app.system.contract_files import read_rules


def test_the_catalogue_is_that_of_the_rules_and_figures():
    assert rule_catalogue.PAGE.read_text(encoding="utf-8") == rule_catalogue.rendered(), "run `make rules`"


def test_the_figures_are_those_of_the_rules():
    figures = json.loads(rule_catalogue.FIGURES.read_text(encoding="utf-8"))
    assert figures["digest"] == RuleSet.parse(read_rules()).digest, "run `python -m benchmarks.injection --write`"


def test_the_character_tables_are_those_of_the_script():
    assert fold_tables.TARGET.read_text(encoding="utf-8") == fold_tables.rendered(), "run `make rules`"
