"""Hold the MCP door against clients that nobody here wrote: the official conformance suite and the MCP inspector.

`python -m scripts.mcp_conformance` installs Node and both programs under `.conformance/`, starts the real server on
loopback, runs the scenarios that two revisions of the protocol require, once against the product's server and once
with the suite's fixtures added to it, and lets the inspector list and call every tool and read every resource over the
loopback world. `--smoke` runs a few scenarios and calls, and skips them, with a word to that effect, where the programs
cannot be fetched. Prints one JSON document; exit code 1 where something fails that is not listed with its reason, or
where a listed failure no longer fails.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from app.capabilities.registry import CAPABILITIES
from app.kernel.capability import Example
from scripts.mcp_programs import Programs, Unreachable, installed
from scripts.programs import ended

__all__ = ["CALLS", "main"]

ROOT = Path(__file__).parents[1]
CLIENTS = ROOT / "tests" / "mcp_door" / "conformance"
REVISIONS = ("2026-07-28", "2025-11-25")
_SUMMARY = re.compile(r"^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed$", re.MULTILINE)
_WHERE = re.compile(r"serving MCP on (http://\S+)")
_CLI = str(Path(sys.executable).with_name("portcullis"))
# The server that is examined, and how many checks have to pass at the least in each revision.
_SERVERS: dict[str, tuple[str, ...]] = {
    "product": (_CLI, "mcp", "--http", "--port", "0"),
    "fixtures": (sys.executable, "-m", "tests.mcp_door.conformance.fixture_server"),
}
_FEWEST = {
    ("product", "2026-07-28"): 113,
    ("product", "2025-11-25"): 45,
    ("fixtures", "2026-07-28"): 141,
    ("fixtures", "2025-11-25"): 64,
}
# A few scenarios that the product passes, and how many checks each has.
_SMOKE = {"server-initialize": 3, "tools-list": 3, "caching": 8, "dns-rebinding-protection": 2}
_SMOKE_CALLS = ("ask_documents", "lint_report")
_WORLD = (sys.executable, "-m", "tests.fixtures.web_world", "mcp")


# What the inspector calls each tool with; a tool of the list without an example is a failure.
CALLS: dict[str, Example] = {name: one.example for name, one in CAPABILITIES.items() if one.example is not None}


def main() -> int:
    """Run both and print what they found."""
    parser = argparse.ArgumentParser(description="Hold the MCP door against the official suite and the inspector.")
    parser.add_argument("--smoke", action="store_true", help="a few scenarios and calls")
    smoke = parser.parse_args().smoke
    try:
        programs = installed()
    except Unreachable as exc:
        # A merge does not wait for somebody else's registry; `make conformance`, which a release needs, does.
        told = "CONFORMANCE SKIPPED, nothing was checked" if smoke else "conformance cannot be checked"
        print(f"{told}: {exc}", file=sys.stderr)
        print(json.dumps({"skipped": str(exc)}))
        return int(not smoke)
    suite = _smoke(programs) if smoke else _whole(programs)
    inspected = _inspected(programs, _SMOKE_CALLS if smoke else tuple(CALLS), resources=not smoke)
    print(json.dumps({"conformance": suite, "inspector": inspected}, indent=2))
    rows = [row for server in suite.values() for row in server.values()]
    failed = [row for row in rows if row["exit_code"] or row["passed"] < row["at_least"]]
    return int(bool(failed or inspected["failures"]))


def _whole(programs: Programs) -> dict[str, Any]:
    return {
        server: {revision: _conformance(programs, server, revision) for revision in REVISIONS} for server in _SERVERS
    }


def _smoke(programs: Programs) -> dict[str, Any]:
    with _served(_SERVERS["product"]) as url:
        return {"product": {name: _scenario(programs, url, name, least) for name, least in _SMOKE.items()}}


def _scenario(programs: Programs, url: str, name: str, least: int) -> dict[str, Any]:
    done = _suite(programs, "--url", url, "--scenario", name)
    found = re.search(r"Passed: (\d+)/(\d+)", done.stdout)
    passed = int(found[1]) if found else 0
    said = {"said": done.stdout[-2_000:]} if done.returncode or passed < least else {}
    return {"passed": passed, "at_least": least, "exit_code": done.returncode, **said}


def _suite(programs: Programs, *words: str) -> subprocess.CompletedProcess[str]:
    return ended([programs.node, programs.conformance, "server", *words], cwd=programs.home)


def _conformance(programs: Programs, server: str, revision: str) -> dict[str, Any]:
    known = CLIENTS / f"expected-failures-{server}-{revision}.yml"
    with _served(_SERVERS[server]) as url:
        done = _suite(programs, "--url", url, "--requirements", revision, "--expected-failures", str(known))
    rows = _SUMMARY.findall(done.stdout)
    return {
        "scenarios": len(rows),
        "passed": sum(int(row[2]) for row in rows),
        "at_least": _FEWEST[server, revision],
        "failed": sum(int(row[3]) for row in rows),
        "failing_scenarios": [row[1] for row in rows if row[0] == "✗"],
        "exit_code": done.returncode,
        **({"said": done.stdout[-2_000:]} if done.returncode else {}),
    }


def _inspected(programs: Programs, called: tuple[str, ...], *, resources: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PORTCULLIS_DATA": folder}

        def ask(*words: str) -> dict[str, Any]:
            program = [programs.node, programs.inspector, "--cli"]
            done = ended([*program, *_WORLD, "--method", *words], cwd=ROOT, env=env)
            try:
                found = json.loads(done.stdout)
            except ValueError:
                return {"isError": True, "said": (done.stdout + done.stderr)[-500:]}
            return found if isinstance(found, dict) else {"isError": True}

        tools = [tool["name"] for tool in ask("tools/list").get("tools", [])]
        failures = [] if tools else ["tools/list"]
        failures += [name for name in tools if name not in CALLS]
        found: dict[str, int] = {}
        for name in sorted(set(tools) & set(called)):
            told = ask("tools/call", "--tool-name", name, *_words_of(CALLS[name]))
            found[name] = len((told.get("structuredContent") or {}).get(CALLS[name].finds) or ())
            failures += [name] if told.get("isError") or not found[name] else []
        uris = [one["uri"] for one in ask("resources/list").get("resources", [])] if resources else []
        failures += [uri for uri in uris if not ask("resources/read", "--uri", uri).get("contents")]
        return {"tools": tools, "found": found, "resources": uris, "failures": failures}


def _words_of(call: Example) -> list[str]:
    given = {key: one if isinstance(one, str) else json.dumps(one) for key, one in call.arguments.items()}
    return [word for key, value in given.items() for word in ("--tool-arg", f"{key}={value}")]


@contextmanager
def _served(program: Sequence[str]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(  # noqa: S603  our own command
            program,
            cwd=ROOT,
            env={**os.environ, "PORTCULLIS_DATA": folder},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        try:
            lines = iter(server.stderr or ())
            found = next((match for line in lines if (match := _WHERE.search(line))), None)
            if found is None:
                raise SystemExit("the MCP server did not start")
            yield found[1]
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)


if __name__ == "__main__":
    sys.exit(main())
