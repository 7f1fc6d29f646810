"""The help: every command in the order of use, in panels, readable on a narrow terminal; and options that must fit."""

from __future__ import annotations

import re

import pytest

from app.cli.listing import COMMANDS
from app.cli.options import ENVIRONMENTS, TIERS
from app.kernel.caps import CapsTable
from app.system.contract_files import read_contract
from app.system.version import VERSION
from tests.doors.command import portcullis

NARROW = 60


def test_commands_stand_in_the_order_of_use_and_proofs_apart(tmp_path):
    shown = portcullis("--help", data_dir=tmp_path, env={"COLUMNS": "120"}).stdout.decode()
    names = re.findall(r"^│ ([a-z][a-z-]+)  ", shown, re.MULTILINE)
    assert names == [listed.name for listed in COMMANDS]
    assert names[:4] == ["ask", "search", "scrape", "index"]
    last = shown.split("─ Certification and proofs ")[1]
    assert re.findall(r"^│ ([a-z]+)  ", last, re.MULTILINE) == ["certify", "simulate", "bench"]


@pytest.mark.parametrize("words", [(), ("ask",), ("scrape",), ("sessions", "list"), ("erase",), ("simulate",)], ids=str)
def test_the_help_fits_a_narrow_terminal_and_cuts_no_name(words, tmp_path):
    wide = portcullis(*words, "--help", data_dir=tmp_path, env={"COLUMNS": "200"}).stdout.decode()
    narrow = portcullis(*words, "--help", data_dir=tmp_path, env={"COLUMNS": str(NARROW)}).stdout.decode()
    assert max(map(len, narrow.splitlines())) <= NARROW
    options = set(re.findall(r"--[a-z][a-z-]+", wide))
    assert options
    assert {option for option in options if option not in narrow} == set()
    assert "…" not in narrow


def test_the_short_form_of_help_is_known_everywhere(tmp_path):
    for words in ((), ("ask",), ("sessions",), ("sessions", "list")):
        short, long = (portcullis(*words, option, data_dir=tmp_path) for option in ("-h", "--help"))
        assert (short.returncode, short.stdout) == (0, long.stdout)
        assert long.stdout


def test_the_version_alone(tmp_path):
    done = portcullis("--version", data_dir=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"portcullis {VERSION}\n".encode(), b"")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ask", "why?", "--tier", "GOLD"), "tier `GOLD` is not one of FREE, PRO, MAX"),
        (("search", "rye", "--tier", "pro"), "tier `pro` is not one of FREE, PRO, MAX"),
        (("ask", "why?", "--env", "moon"), "environment `moon` is not one of dev, staging, prod"),
        (("health", "--env", "moon"), "environment `moon` is not one of dev, staging, prod"),
        (("ask", "why?", "--view", "all"), "'all' is not one of 'caller', 'user', 'operator'"),
        (("scrape", "https://a.example/", "--mode", "half"), "'half' is not one of 'full', 'preview', 'raw'"),
        (("ask", "why?", "--limt", "3"), "No such option: --limt"),
        (("asc", "why?"), "Did you mean 'ask'"),
    ],
)
def test_a_choice_that_does_not_exist_is_told_with_those_that_do(words, message, tmp_path):
    done = portcullis(*words, data_dir=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert done.stdout == b""


def test_the_choices_are_those_of_the_contract():
    caps = read_contract().caps
    assert isinstance(caps, CapsTable)
    assert set(TIERS) == {entry.tier for entry in caps.entries}
    assert caps.environments == ENVIRONMENTS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_completion_is_printed(shell, tmp_path):
    env = {"_PORTCULLIS_COMPLETE": f"source_{shell}"}
    done = portcullis(data_dir=tmp_path, env=env)
    assert done.returncode == 0
    assert b"_PORTCULLIS_COMPLETE" in done.stdout


def test_the_values_of_an_option_are_completed(tmp_path):
    words = "portcullis ask why? --tier "
    env = {"COMP_WORDS": words, "COMP_CWORD": "4", "_PORTCULLIS_COMPLETE": "complete_bash"}
    assert portcullis(data_dir=tmp_path, env=env).stdout.decode().split() == list(TIERS)
