"""Documents ↔ code, both ways: commands, options, exit codes, settings, tools, make targets."""

from __future__ import annotations

import re
from pathlib import Path

from scripts.certify import results
from typer.main import get_command

from app.cli.exits import Exit
from app.cli.main import create_app
from app.system.catalog_files import read_catalog
from app.system.config_file import CONFIG_VARIABLE, SETTING_TABLES
from app.system.contract_files import read_contract
from app.system.serve_settings import ServeSettings

ROOT = Path(__file__).parents[2]
CLI = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
WORD = "[a-z]+(?:-[a-z]+)*"
SETTINGS = (ROOT / "backend" / "app" / "system" / "settings.py").read_text(encoding="utf-8")


def _commands():
    """Every command → its options, from the parameters that typer builds."""
    found = {}

    def walk(command, before):
        if hasattr(command, "commands"):
            for name in command.commands:
                below = command.resolve_command(None, [name])[1]  # loads it
                walk(below, f"{before} {name}".strip())
        else:
            options = {word for parameter in command.params for word in parameter.opts if word.startswith("--")}
            found[before] = options - {"--help"}

    walk(get_command(create_app()), "")
    return found


def _section(text, title):
    return text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def test_commands():
    code = set(_commands())
    named = set(re.findall(rf"^\| `portcullis ({WORD}(?: {WORD})*)", CLI, re.MULTILINE))
    assert len(code) >= 7
    assert named == code


def test_every_command_that_any_document_names_exists():
    code = set(_commands())
    named = set()
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        named |= set(re.findall(rf"portcullis ({WORD})\b(?=[^\n`]*`)", path.read_text(encoding="utf-8")))
    assert len(named) >= 7
    assert named <= {name.split()[0] for name in code}


def test_every_documented_option_belongs_to_its_commands():
    shown = _commands()
    rows = re.findall(r"^\| ((?:`--[^|]+`(?:, )?)+) \| ([^|]+) \|", _section(CLI, "Options"), re.MULTILINE)
    assert len(rows) >= 10
    documented = {}
    for options, owners in rows:
        names = set(re.findall(r"--[a-z-]+", options))
        for owner in _owners(owners.strip(), set(shown)):
            documented.setdefault(owner, set()).update(names)
    assert documented == {command: options for command, options in shown.items() if options}


def _owners(text, commands):
    """A list of commands, or all but those of a list; the name of a group stands for all of its commands."""
    names = text.removeprefix("all but ").split(", ")
    unknown = [name for name in names if not any(f"{one} ".startswith(f"{name} ") for one in commands)]
    assert unknown == []
    listed = {one for one in commands for name in names if f"{one} ".startswith(f"{name} ")}
    return commands - listed if text.startswith("all but ") else listed


def test_exit_codes():
    rows = dict(re.findall(r"^\| (\d+) \| ([a-z ]+) \|", _section(CLI, "Exit codes"), re.MULTILINE))
    assert rows == {str(code.value): code.name.lower().replace("_", " ") for code in Exit}


def test_the_gate_exits_like_the_command_line():
    """The gate keeps its own list, because it must be able to speak when the product cannot be loaded."""
    assert results.Exit.PASSED == Exit.GROUNDED
    assert results.Exit.INVALID == Exit.INVALID
    assert results.Exit.RED == Exit.DOES_NOT_HOLD
    assert results.Exit.NOT_EVALUATED == Exit.NOT_EVALUATED
    assert results.Exit.INTERRUPTED == Exit.INTERRUPTED


def test_settings():
    code = set(re.findall(r'"(PORTCULLIS_[A-Z_]+[A-Z])"', SETTINGS)) | {CONFIG_VARIABLE}
    code |= {f"PORTCULLIS_SERVE_{name.upper()}" for name in ServeSettings.model_fields}
    assert len(code) >= 7
    assert set(re.findall(r"^\| `(PORTCULLIS_[A-Z_]+[A-Z])` \|", OPERATIONS, re.MULTILINE)) == code


def test_the_configuration_file_has_every_setting_of_the_server():
    assert set(SETTING_TABLES["serve"]) == set(ServeSettings.model_fields)


def test_tools():
    section = README.split("<!-- tools -->", 1)[1].split("<!-- /tools -->", 1)[0]
    listed = re.findall(r"^\| `([a-z_]+)` \|", section, re.MULTILINE)
    assert listed == [tool.name for tool in read_catalog().tools.tools]


def test_stop_reasons_and_caps_of_the_readme_are_whole():
    contract = read_contract()
    stops = README.split("<!-- stop-reasons -->", 1)[1].split("<!-- /stop-reasons -->", 1)[0]
    assert re.findall(r"^\| \d+ \| `([A-Z_]+)` \|", stops, re.MULTILINE) == [
        code.value for code in contract.stops.order
    ]
    caps = README.split("<!-- caps -->", 1)[1].split("<!-- /caps -->", 1)[0]
    places = re.findall(r"^\| ([A-Z]+) \| ([a-z]+) \|", caps, re.MULTILINE)
    assert places == [(entry.tier, entry.environment) for entry in contract.caps.entries]


def test_every_make_target_is_documented():
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `make ([a-z-]+)", text, re.MULTILINE))
    assert len(targets) >= 15
    assert named == targets
