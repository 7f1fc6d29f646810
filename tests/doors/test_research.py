"""`portcullis research` and its neighbours, in processes of their own."""

from __future__ import annotations

import json
import re

import pytest

from app.system.contract_files import read_contract
from tests.doors.command import portcullis

QUESTION = "How long should sourdough proof in the fridge?"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("research")
    reports = ("--markdown", folder / "r.md", "--html", folder / "r.html", "--trace", folder / "t.jsonl")
    done = portcullis("research", QUESTION, "--documents-only", "--json", *reports, data_dir=folder)
    assert done.returncode == 0, done.stderr
    (folder / "r.json").write_bytes(done.stdout)
    return folder


def test_the_result_is_that_of_the_contract_and_holds(place):
    result = json.loads((place / "r.json").read_bytes())
    assert set(result) == {
        "answer", "citations", "gaps", "discovery_events", "open_questions", "confidence", "confidence_factors",
        "cost_metadata", "trace_id",
    }  # fmt: skip
    audited = portcullis("audit", place / "r.json", "--json", data_dir=place)
    assert audited.returncode == 0, audited.stdout
    assert json.loads(audited.stdout)["faults"] == []


def test_a_forged_result_does_not_hold(place, tmp_path):
    result = json.loads((place / "r.json").read_bytes())
    result["citations"][0]["raw_excerpt"] = result["citations"][0]["raw_excerpt"].replace("8", "9")
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(result))
    done = portcullis("audit", forged, data_dir=place)
    assert done.returncode == 8
    assert b"cannot be cut from the source again" in done.stdout
    assert portcullis("diff", place / "r.json", place / "r.json", data_dir=place).returncode == 0
    result["citations"][0]["evidence"]["content_hash"] = "0" * 64
    forged.write_text(json.dumps(result))
    changed = portcullis("diff", place / "r.json", forged, data_dir=place)
    assert changed.returncode == 8
    assert b"content changed: doc:documents/" in changed.stdout


def test_a_result_from_elsewhere_is_not_verified(place, tmp_path):
    result = json.loads((place / "r.json").read_bytes())
    foreign = tmp_path / "foreign.json"
    foreign.write_text(json.dumps({**result, "trace_id": "00000000-0000-4000-8000-000000000000"}))
    done = portcullis("audit", foreign, data_dir=place)
    assert done.returncode == 9
    assert done.stdout.startswith(b"not verified: 0 of ")
    assert b"not checked: there is no session" in done.stdout
    told = portcullis("audit", foreign, "--json", data_dir=place)
    assert told.returncode == 9
    assert len(json.loads(told.stdout)["unchecked"]) == 2
    foreign.write_text(json.dumps({**result, "confidence": 1.0}))
    done = portcullis("audit", foreign, data_dir=place)
    assert done.returncode == 8
    assert b"confidence: 1.0, and the session yields 0." in done.stdout


def test_reports_and_trace(place):
    page = (place / "r.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!#|https?://)', page) == []
    assert 'id="source-1"' in page
    assert "## Sources" in (place / "r.md").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in (place / "t.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == list(range(1, len(lines) + 1))
    read = [line for line in lines if line["action"] == "read_document"]
    assert read
    assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", line["content_hash"]) for line in read)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", read[0]["timestamp"])


def test_what_changes_under_other_caps(place, tmp_path):
    caps = json.loads(read_contract().caps.model_dump_json())
    for entry in caps["entries"]:
        if entry.get("caps"):
            entry["caps"]["budget_units_clamp"] = entry["caps"]["max_tool_calls_total"] = 1
    table = tmp_path / "caps.json"
    table.write_text(json.dumps(caps))
    done = portcullis("whatif", "--caps", table, "--json", data_dir=place)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["sessions"] >= 1
    assert portcullis("whatif", data_dir=place).returncode == 2


def test_discoveries_come_from_the_records(place):
    done = portcullis("discoveries", "--json", data_dir=place)
    assert done.returncode == 0, done.stderr
    assert "discoveries" in json.loads(done.stdout)


def test_reports_are_linted(place):
    text = b"A fact [1] and another [2].\n\n## Sources\n\n[1] A: https://a.example/\n"
    done = portcullis("lint-report", data_dir=place, stdin=text)
    assert done.returncode == 8
    assert b"line 1: dangling marker [2]" in done.stdout
    line = json.dumps({"id": "x", "article": text.decode()}).encode()
    rows = portcullis("lint-report", "--jsonl", data_dir=place, stdin=line)
    assert json.loads(rows.stdout)["id"] == "x"
    assert portcullis("lint-report", "--jsonl", data_dir=place, stdin=b"{}").returncode == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("research", "Who won the world cup?", "--documents-only"), 3),
        (("research", "x" * 501), 2),
        (("research", QUESTION, "--token-budget", "0"), 2),
        (("research", QUESTION, "--tier", "FREE"), 5),
        (("audit", "/nowhere.json"), 2),
    ],
)
def test_exit_codes(place, words, code):
    assert portcullis(*words, data_dir=place).returncode == code
