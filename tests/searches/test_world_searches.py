"""The five search commands on the loopback world: what each prints, kept as a file, and how they stop."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.cli.main import create_app, main
from tests.fixtures.web import response
from tests.fixtures.web_world import WEB_SERVICES, open_world, world_gate

FOLDER = Path(__file__).parent / "world"
COMMANDS = {
    "web": ("web", "rye bread", "--claim", "rye keeps for ten days"),
    "news": ("news", "railway line reopening", "--sort-by", "date"),
    "images": ("images", "loaf"),
    "papers": ("papers", "seagrass recovery behind a barrage"),
    "gather": ("gather", "rye bread keep", "-n", "2", "--claim", "rye keeps for ten days"),
}
# What depends on the clock and not on the world.
_OF_THE_CLOCK = {"_meta", "processingTimeMs", "recommendations", "scores"}
_AWAY = response(b"", 302, [("Location", "http://10.0.0.1/")])
_NOTHING = response(b'{"results": [], "unresponsive_engines": []}', fields=[("Content-Type", "application/json")])


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    for name, value in {**WEB_SERVICES, "PORTCULLIS_DATA": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)

    def ran(*words, faults=None, **env):
        for name, value in env.items():
            monkeypatch.setenv(name, value)

        @asynccontextmanager
        async def gate(documents, *, settings):
            async with open_world(faults) as world, world_gate(documents, settings=settings, world=world) as router:
                yield router

        app = create_app(gate)
        monkeypatch.setattr("sys.argv", ["portcullis", *words])
        with pytest.raises(SystemExit) as ended:
            main(app)
        return ended.value.code, json.loads(capsys.readouterr().out)

    return ran


def _lasting(value):
    if isinstance(value, dict):
        return {name: _lasting(inner) for name, inner in value.items() if name not in _OF_THE_CLOCK}
    return [_lasting(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_prints(name, run):
    code, printed = run(*COMMANDS[name], "--json")
    kept = FOLDER / f"{name}.json"
    assert (code, _lasting(printed)) == (0, json.loads(kept.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("stop", "code", "words", "more"),
    [
        ("SUCCESS_COMPLETED", 0, ("images", "loaf"), {}),
        ("NO_SOURCE", 3, ("web", "rye", "--provider", "searxng"), {"faults": {"searx.internal": _NOTHING}}),
        ("SANDBOX_VIOLATION", 6, ("gather", "rye bread keep"), {"faults": {"millers-guild.example": _AWAY}}),
        ("INJECTION_DETECTED", 6, ("gather", "best power plants megawatts", "-n", "4"), {}),
        ("ENTITLEMENT_CAP", 5, ("papers", "rye", "--tier", "FREE"), {}),
        ("POLICY_DISABLED", 5, ("news", "rye"), {"PORTCULLIS_RESEARCH": "off"}),
        ("BUDGET_EXHAUSTED", 4, ("web", "rye", "--max-units", "1"), {}),
        ("TIMEOUT", 4, ("images", "loaf", "--timeout-ms", "1"), {}),
    ],
)
def test_how_a_command_stops(stop, code, words, more, run):
    ended, printed = run(*words, "--view", "operator", **more)
    assert (printed["verdict"]["stop"], ended) == (stop, code)
