"""A copy of the checkout in which a guide is followed, and the sessions that were recorded in it before."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

__all__ = ["ROOT", "Copy", "Past"]

ROOT = Path(__file__).parents[2]
QUESTION = "How long should sourdough proof in the fridge?"
KEY = "before the guide"
_PATIENCE_S = 60
_MADE = {".venv", "__pycache__", ".hypothesis", ".mypy_cache", ".ruff_cache", ".home"}


class Copy:
    """The tracked files, with this environment's interpreter behind `.venv`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
        for name in map(os.fsdecode, filter(None, names)):
            if os.path.lexists(ROOT / name):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
        # Links, so that nothing is installed; the stamp is the copy's own, so that `make` finds it newer.
        (folder / ".venv").mkdir()
        for name in ("bin", "lib", "pyvenv.cfg"):
            (folder / ".venv" / name).symlink_to(Path(sys.prefix) / name)
        (folder / ".venv" / ".ready").touch()
        self._before = self._hashes()

    @property
    def env(self) -> dict[str, str]:
        """What a command in the copy sees: the copy's code before that of this checkout, a data folder of its own."""
        home = self.folder / ".home"
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "NO_COLOR": "1",
            "COLUMNS": "200",
            "PORTCULLIS_DATA": str(home / "data"),
            "PYTHONPATH": str(self.folder / "backend"),
        }

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A finished command of the copy."""
        line = [self.folder / ".venv" / "bin" / words[0], *words[1:]]
        return subprocess.run(line, cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=300)

    def changed(self) -> list[str]:
        """Every file that was added, changed or removed since the copy was made."""
        now = self._hashes()
        return sorted(name for name in {*self._before, *now} if self._before.get(name) != now.get(name))

    def _hashes(self) -> dict[str, str]:
        found = {}
        for folder, below, names in os.walk(self.folder):
            below[:] = [name for name in below if name not in _MADE]
            for path in (Path(folder) / name for name in names):
                data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
                found[path.relative_to(self.folder).as_posix()] = hashlib.sha256(data).hexdigest()
        return found


class Past:
    """One finished session and one that was killed while its tool hung, both by real processes of the copy."""

    def __init__(self, copy: Copy) -> None:
        self._copy = copy
        asked = copy.run("portcullis", "ask", QUESTION, "--json")
        assert asked.returncode == 0, asked.stderr
        self.finished = json.loads(asked.stdout)["session_id"]
        self.killed = self._kill()

    def _kill(self) -> str:
        """Kill a keyed session between its reservation and its tool's answer."""
        copy = self._copy
        words = ["-m", "tests.fixtures.ask_with", "open_sleeping", "ask", QUESTION, "--session-key", KEY, "--json"]
        journals = Path(copy.env["PORTCULLIS_DATA"]) / "journal" / "open"
        ends = time.monotonic() + _PATIENCE_S
        with subprocess.Popen(
            [copy.folder / ".venv" / "bin" / "python", *words],
            cwd=copy.folder,
            env=copy.env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as asking:
            while not (under_way := [path for path in journals.rglob("*.jsonl") if _lines(path) >= 2]):
                assert asking.poll() is None, "the session ended before it could be killed"
                assert time.monotonic() < ends, "the session never came to its tool"
                time.sleep(0.01)
            asking.send_signal(signal.SIGKILL)
        (path,) = under_way
        return path.stem

    def check(self) -> None:
        """The finished session replays to the byte; the killed one goes on under its key, and replays, too."""
        replayed = self._copy.run("portcullis", "replay", self.finished, "--json")
        assert (replayed.returncode, json.loads(replayed.stdout)["result"]) == (0, "identical"), replayed.stdout
        resumed = self._copy.run("portcullis", "ask", QUESTION, "--session-key", KEY, "--json")
        told = json.loads(resumed.stdout)
        assert (resumed.returncode, told["action"], told["session_id"]) == (0, "GROUNDED", self.killed), resumed.stderr
        shown = json.loads(self._copy.run("portcullis", "sessions", "show", self.killed, "--json").stdout)
        kinds = [step["kind"] for step in shown["timeline"]]
        assert kinds == ["Opened", "ReserveDecided", "Resumed", "Called", "Closed"], kinds
        again = self._copy.run("portcullis", "replay", self.killed, "--json")
        assert (again.returncode, json.loads(again.stdout)["result"]) == (0, "identical"), again.stdout


def _lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except FileNotFoundError:  # it was moved to the closed ones meanwhile
        return 0
