"""Live progress on a real terminal, and silence where there is none."""

from __future__ import annotations

import os
import pty
import re
import sys

from tests.doors.command import CLI, ROOT, portcullis


def _on_a_terminal(command, env):
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        os.execve(command[0], command, env)  # noqa: S606  our own command
    shown = b""
    while True:
        try:
            part = os.read(terminal, 65_536)
        except OSError:  # the terminal closes with its last process
            break
        if not part:
            break
        shown += part
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), shown.decode()


def test_calls_units_and_time_left_are_shown(tmp_path):
    command = [sys.executable, "-m", "tests.fixtures.ask_with", "open_sleeping", "ask", "why?", "--timeout-ms", "900"]
    env = {"PATH": os.environ["PATH"], "PORTCULLIS_DATA": str(tmp_path), "TERM": "xterm", "COLUMNS": "120"}
    code, shown = _on_a_terminal(command, env)
    assert code == 4
    assert "calls left 9/10" in shown
    assert "units left 1000/1000" in shown
    assert len(set(re.findall(r"(\d\.\d) s left", shown))) > 2, "the time counts down"


def test_without_a_terminal_nothing_but_the_answer_is_printed(tmp_path):
    done = portcullis("ask", "Can I freeze bread?", "--json", data_dir=tmp_path)
    assert b"calls left" not in done.stderr + done.stdout
    assert done.stdout.count(b"\n") == 1


def test_files_are_counted_while_they_are_read_and_the_line_is_gone_afterwards(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(2_000):
        (folder / f"{number:04}.md").write_text(
            f"# Page {number}\n\nBread number {number} is baked.\n", encoding="utf-8"
        )
    command = [str(CLI), "index", str(folder), "--data-dir", str(tmp_path / "data")]
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "xterm", "COLUMNS": "60"}
    code, shown = _on_a_terminal(command, env)
    assert code == 0
    assert re.search(r"read [\d,]+ of 2,000 files", shown)
    assert "2,000 documents, 2,000 passages" in shown
    assert shown.rindex("\x1b[2K") > shown.rindex("of 2,000 files"), "the line is wiped at the end"


def test_an_excerpt_fits_a_narrow_terminal(tmp_path):
    command = [str(CLI), "ask", "Can I freeze bread?"]
    env = {
        "PATH": os.environ["PATH"],
        "PORTCULLIS_DATA": str(tmp_path),
        "TERM": "xterm",
        "COLUMNS": "60",
    }
    code, shown = _on_a_terminal(command, env)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert code == 0
    sources = re.split(r"^\[1\] ", shown, maxsplit=1, flags=re.MULTILINE)[1].partition("\ncalls ")[0]
    excerpt = [line for line in sources.splitlines() if not line.lstrip().startswith("doc:")]
    assert len(excerpt) > 5
    assert max(map(len, excerpt)) <= 60
    assert "    Bread has two enemies after baking" in shown
