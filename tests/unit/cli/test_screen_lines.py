"""`portcullis screen --jsonl`: a bad line is told as a bad line, a crash of the screen as a crash."""

from __future__ import annotations

import json

import pytest
import typer

from app.cli.exits import Exit
from app.cli.main import main
from app.cli.screening import screen_lines
from app.research.injection import Screening

GOOD = {"id": "a", "text": "Bread is baked."}
CRASHES = (
    ValueError("inside"),
    UnicodeDecodeError("utf-8", b"\xf0", 0, 1, "inside"),
    json.JSONDecodeError("inside", "", 0),
    RecursionError("inside"),
    KeyError("inside"),
)


@pytest.fixture
def told(tmp_path, capsys, monkeypatch):
    """Screens lines with a function and returns the exit code and what was printed."""

    def run(lines, judge):
        path = tmp_path / "rows.jsonl"
        path.write_bytes(b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines))
        app = typer.Typer()

        @app.command()
        def command() -> None:
            raise typer.Exit(screen_lines(path, judge).value)

        monkeypatch.setattr("sys.argv", ["portcullis"])  # the arguments of the test run are not for this command
        with pytest.raises(SystemExit) as ended:
            main(app)
        shown = capsys.readouterr()
        return ended.value.code, [json.loads(line) for line in shown.out.splitlines()], shown.err

    return run


def _breaks(on, crash):
    def judge(text):
        if text == on:
            raise crash
        return Screening((), ())

    return judge


@pytest.mark.parametrize("crash", CRASHES, ids=lambda crash: type(crash).__name__)
def test_a_crash_of_the_screen_is_told_as_a_crash_with_its_line(told, crash):
    code, lines, err = told([GOOD, b"", {"id": "b", "text": "breaks"}, GOOD], _breaks("breaks", crash))
    name = type(crash).__name__
    assert code == Exit.UNEXPECTED
    assert lines == [
        {"id": "a", "flagged": False, "rules": [], "carriers": {}},
        {"line": 3, "error": f"unexpected error: {name}"},
    ]
    assert err == f"portcullis: unexpected error: {name}\n"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"no json", "not a JSON document"),
        (b"[" * 100_000, "not a JSON document"),
        (b'{"id": "a", "text": "\xff"}', "not a JSON document"),
        (b'{"id": ' + b"1" * 5_000 + b', "text": "x"}', "not a JSON document"),
        (b"[1]", "a line must be an object with `id` and `text`"),
        (b'{"id": "a", "text": 1}', "`text` must be a string"),
        (b'{"id": null, "text": "x"}', "`id` must be a string or a whole number"),
    ],
)
def test_a_bad_line_is_told_as_a_bad_line(told, line, error):
    code, lines, err = told([line, GOOD], _breaks("breaks", KeyError()))
    assert (code, err) == (Exit.INVALID, "")
    assert lines[0] == {"line": 1, "error": error}
    assert lines[1]["id"] == "a"


def test_a_crash_behind_a_bad_line_is_the_exit_code(told):
    code, lines, _ = told([b"no json", {"id": "b", "text": "breaks"}], _breaks("breaks", ValueError()))
    assert code == Exit.UNEXPECTED
    assert [line["line"] for line in lines] == [1, 2]
