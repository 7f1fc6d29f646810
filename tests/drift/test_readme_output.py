"""The README shows what `make run` prints, word for word but for the session's own numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.doors.command import portcullis

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = [line[4:] for line in README.partition("    $ make run\n")[2].partition("\n(The second")[0].splitlines()]
RUN = re.findall(r'portcullis (ask|research) "([^"]+)"(.*)$', (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    done = [portcullis(name, asked, *more.split(), data_dir=data, env={"COLUMNS": "120"}) for name, asked, more in RUN]
    assert [one.returncode for one in done] == [0, 0]
    return b"\n".join(one.stdout for one in done).decode().splitlines()


def test_the_readme_shows_what_make_run_prints(printed):
    telling = [line for line in SHOWN if line.strip() and "ms · session" not in line]
    assert len(telling) >= 15
    at = 0
    for line in telling:
        assert line in printed[at:], line
        at = printed.index(line, at) + 1
    assert sum("ms · session" in line for line in SHOWN) == sum("ms · session" in line for line in printed) == 2
