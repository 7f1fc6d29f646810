"""The five search commands on the loopback world: what each prints, kept as a file, and how they stop."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app import Principal
from app.cli.main import create_app, main
from app.kernel.providers import Fault
from app.system.settings import settings_from
from app.wiring import open_archive
from tests.fixtures.web import response
from tests.fixtures.web_world import WEB_SERVICES, answer_in_world, open_world, world_gate

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


def _slow(host):
    async def script(asked, writer):
        await asyncio.sleep(0.4)
        writer.write(answer_in_world(host, asked))

    return script


def test_pages_that_come_in_another_order_give_the_same_bytes(run, tmp_path):
    hosts = ("millers-guild.example", "en.wikipedia.org", "journal-coastal.example")
    printed = []
    for number, host in enumerate(("", *hosts)):
        faults = {host: _slow(host)} if host else None
        folder = str(tmp_path / str(number))
        printed.append(run("gather", "rye bread keep", "-n", "3", "--json", faults=faults, PORTCULLIS_DATA=folder))
    assert len(printed[0][1]["sources"]) == 3
    texts = {json.dumps({**told, "summary": None}, ensure_ascii=False) for _, told in printed}
    assert len(texts) == 1


def test_sessions_replay_whatever_the_breakers_say_now(tmp_path):
    settings = settings_from({**WEB_SERVICES, "PORTCULLIS_DATA": str(tmp_path)})
    sessions, beside = asyncio.run(_sessions_while_one_service_is_down(settings))
    faults = [session.outcomes[0].rungs[0].fault for session in sessions]
    assert faults == [Fault.PROVIDER_DOWN] * 5 + [Fault.CIRCUIT_OPEN] * 2
    # The breakers of that gate are gone with it.
    after = [_replayed(settings, session) for session in sessions]
    assert beside == after == [True] * len(sessions)


async def _sessions_while_one_service_is_down(settings):
    user = Principal(tenant="acme", user="u1", tier="MAX")
    down = {"searx.internal": response(b"", 503)}
    async with open_world(down) as world, world_gate(None, settings=settings, world=world) as gate:
        answers = [await gate.call("web_search", {"query": f"rye bread {number}"}, user) for number in range(7)]
        sessions = [answer.outcomes[0] for answer in answers]
        return sessions, [await asyncio.to_thread(_replayed, settings, session) for session in sessions]


def _replayed(settings, session):
    return open_archive(settings).replay(session.session_id).identical
