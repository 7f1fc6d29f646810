"""`portcullis call`, `portcullis capabilities` and `portcullis caps --check`, in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.capabilities.documents.ask_documents import ASK_DOCUMENTS
from app.system.contract_files import contract_dir

PORTCULLIS = Path(sys.executable).with_name("portcullis")
ASKED = json.dumps({"question": "How long should sourdough proof in the fridge?", "limit": 2})


def portcullis(*words, data=None, given=None):
    line = [PORTCULLIS, *words, *(["--data-dir", str(data)] if data else [])]
    return subprocess.run(line, input=given, capture_output=True, text=True, timeout=120)


def test_call_prints_the_output_object_itself(tmp_path):
    done = portcullis("call", "ask_documents", ASKED, data=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [set(passage) >= {"title", "locator", "text", "textHash"} for passage in told["passages"]] == [True]
    again = portcullis("call", "search_documents", "-", data=tmp_path, given=ASKED)
    assert len(json.loads(again.stdout)["passages"]) == 2


def test_nothing_found_is_an_output_with_hints(tmp_path):
    done = portcullis("call", "ask_documents", '{"question": "Who painted the ceiling of the chapel?"}', data=tmp_path)
    assert done.returncode == 0
    told = json.loads(done.stdout)
    assert told["passages"] == []
    assert told["hints"] == list(ASK_DOCUMENTS.hints)


@pytest.mark.parametrize(
    ("words", "code", "kind", "named"),
    [
        (("nothing", "{}"), 2, "validation", "capability `nothing` does not exist"),
        (("ask_documents", "{"), 2, "validation", "not JSON: line 1, column 2"),
        (("ask_documents", "[1]"), 2, "validation", "not an object"),
        (("ask_documents", b'{"question": "caf\xe9"}'), 2, "validation", "not valid UTF-8"),
        (("ask_documents", "{}"), 2, "validation", "argument `question` is wrong"),
        (("ask_documents", '{"question": "q", "limit": 99}'), 2, "validation", "argument `limit` is wrong"),
        (("scrape_page", '{"url": "a", "speed": "secret-value"}'), 2, "validation", "argument `speed` is wrong"),
        (("ask_documents", ASKED, "--tier", "FREE"), 5, "config", "Not available"),
        (("scrape_page", '{"url": "http://127.0.0.1/"}'), 3, "validation", "URL rejected"),
    ],
)
def test_errors_are_one_object_and_an_exit_code(words, code, kind, named, tmp_path):
    done = portcullis("call", *words, data=tmp_path)
    assert done.returncode == code, done.stderr
    told = json.loads(done.stdout)
    assert told["error"]["kind"] == kind
    assert named in told["message"]
    assert "secret-value" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("folder", "code", "kind", "named"),
    [
        ("/proc/nope", 7, "config", "data folder `/proc/nope` cannot be used"),
        ("", 2, "invalid_request", "the data folder has no name"),
    ],
)
def test_a_data_folder_that_cannot_be_used_is_an_error_object_too(folder, code, kind, named):
    done = portcullis("call", "ask_documents", ASKED, "--data-dir", folder)
    assert done.returncode == code, done.stderr
    assert named in (json.loads(done.stdout)["message"] if kind == "config" else done.stderr)


def test_an_environment_that_does_not_exist_is_refused_with_the_allowed_names(tmp_path):
    done = portcullis("call", "ask_documents", ASKED, "--env", "production", data=tmp_path)
    assert done.returncode == 2
    assert "environment `production` is not one of dev, staging, prod" in json.loads(done.stdout)["message"]


def test_every_capability_is_listed_and_shown_with_its_schemas():
    listed = json.loads(portcullis("capabilities", "--json").stdout)["capabilities"]
    names = [one["name"] for one in listed]
    assert {"ask_documents", "search_documents", "scrape_page"} <= set(names)
    table = portcullis("capabilities").stdout
    for name in names:
        assert name in table
        shown = json.loads(portcullis("capabilities", name).stdout)
        assert shown["input_schema"]["additionalProperties"] is False
        assert shown["output_schema"]["properties"]
    assert portcullis("capabilities", "nothing").returncode == 2


def test_a_caps_table_is_validated_and_named_by_its_digest(tmp_path):
    data = json.loads((contract_dir() / "caps.json").read_bytes())
    path = tmp_path / "caps.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    told = json.loads(portcullis("caps", "--check", str(path), "--json").stdout)
    assert (len(told["digest"]), told["custom_caps"]) == (64, False)
    for entry in data["entries"]:
        if entry["granted"]:
            entry["caps"]["budget_units_clamp"] += 1
    path.write_text(json.dumps(data), encoding="utf-8")
    shown = portcullis("caps", "--check", str(path))
    assert shown.returncode == 0
    assert "custom caps" in shown.stdout
    data["entries"][0]["granted"] = True
    path.write_text(json.dumps(data), encoding="utf-8")
    refused = portcullis("caps", "--check", str(path))
    assert refused.returncode == 2
    assert "cannot be used" in refused.stderr
