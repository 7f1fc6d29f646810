"""`portcullis extract`: a folder of pages in, one JSON document out."""

from __future__ import annotations

import gzip
import json

import pytest

from app.cli.exits import Exit
from tests.doors.command import portcullis

PAGE = """<!doctype html><html><head><title>Bees | Garden Weekly</title></head><body>
<nav><a href="/">Home</a> <a href="/news">News</a></nav>
<article><h1>Bees in winter</h1>
<p>A cluster of bees keeps its queen warm all winter, and it burns very little honey to do so.</p>
<p>On mild days some of them fly out for a moment, and the keeper sees specks on the snow.</p></article>
<footer>Garden Weekly, all rights reserved in every country that has gardens.</footer></body></html>"""
BODY = (
    "A cluster of bees keeps its queen warm all winter, and it burns very little honey to do so.\n\n"
    "On mild days some of them fly out for a moment, and the keeper sees specks on the snow."
)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "pages"
    made.mkdir()
    return made


def run(folder, tmp_path, out="out.json"):
    return portcullis("extract", "--html-dir", folder, "--out", tmp_path / out, data_dir=tmp_path)


def test_every_page_has_its_entry(folder, tmp_path):
    (folder / "plain.html").write_text(PAGE, encoding="utf-8")
    (folder / "packed.html.gz").write_bytes(gzip.compress(PAGE.encode()))
    (folder / "empty.html").write_bytes(b"")
    (folder / "broken.html.gz").write_bytes(gzip.compress(PAGE.encode())[:40])
    (folder / "note.txt").write_text("no page", encoding="utf-8")
    done = run(folder, tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert found == {
        "broken": {"articleBody": ""},
        "empty": {"articleBody": ""},
        "packed": {"articleBody": BODY},
        "plain": {"articleBody": BODY},
    }
    assert done.stdout == b""
    assert b"2 of 4 pages have text" in done.stderr
    assert b"broken.html.gz (unreadable)" in done.stderr


@pytest.mark.parametrize("missing", ["folder", "pages", "place"])
def test_bad_input_is_told_in_one_line(folder, tmp_path, missing):
    if missing == "folder":
        done = run(tmp_path / "nowhere", tmp_path)
    elif missing == "pages":
        done = run(folder, tmp_path)
    else:
        (folder / "a.html").write_text(PAGE, encoding="utf-8")
        done = run(folder, tmp_path, "no/such/place.json")
    assert done.returncode == Exit.INVALID
    assert done.stderr.startswith(b"portcullis: ")
    assert done.stderr.count(b"\n") == 1
    assert not (tmp_path / "out.json").exists()


def test_two_files_with_one_id_are_refused(folder, tmp_path):
    (folder / "a.html").write_text(PAGE, encoding="utf-8")
    (folder / "a.html.gz").write_bytes(gzip.compress(PAGE.encode()))
    done = run(folder, tmp_path)
    assert done.returncode == Exit.INVALID
    assert b"`a`" in done.stderr
