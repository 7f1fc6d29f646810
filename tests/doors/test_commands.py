"""The other commands: index, search, caps, version, bench, help."""

from __future__ import annotations

import json
import re

import pytest

from app.cli.exits import Exit
from app.system.contract_files import read_contract, samples_dir
from tests.doors.command import ROOT, portcullis


def test_index_reports_what_it_did(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("A page about rye and how it is baked.", encoding="utf-8")
    (folder / "b.bin").write_bytes(b"\x00\x01\x02")
    first = json.loads(portcullis("index", folder, "--json", data_dir=tmp_path / "data").stdout)
    assert (first["documents"], first["added"]) == (1, 1)
    assert [skipped["path"] for skipped in first["skipped"]] == ["b.bin"]
    second = json.loads(portcullis("index", folder, "--json", data_dir=tmp_path / "data").stdout)
    assert (second["added"], second["unchanged"]) == (0, 1)
    printed = portcullis("index", folder, data_dir=tmp_path / "data")
    assert b"1 document, 1 passage\n" in printed.stdout
    assert b"b.bin" in printed.stdout


def test_search_lists_passages(tmp_path):
    done = portcullis("search", "rye flour", "--json", "--limit", 3, data_dir=tmp_path)
    found = json.loads(done.stdout)
    assert 1 <= len(found["sources"]) <= 3
    assert found["capability"] == "search_documents"


def test_caps_are_those_of_the_contract(tmp_path):
    shown = json.loads(portcullis("caps", "--json", data_dir=tmp_path).stdout)
    assert shown == json.loads(read_contract().caps.model_dump_json())
    table = portcullis("caps", data_dir=tmp_path).stdout.decode()
    assert "15000" in table
    assert "PRO" in table


def test_version(tmp_path):
    assert json.loads(portcullis("version", "--json", data_dir=tmp_path).stdout)["contract"] == "18.0.0"
    assert b"contract 18.0.0" in portcullis("version", data_dir=tmp_path).stdout


def test_help_and_wrong_usage(tmp_path):
    helped = portcullis("--help", data_dir=tmp_path)
    assert helped.returncode == 0
    for command in ("ask", "search", "index", "extract", "caps", "version", "certify", "simulate", "bench"):
        assert command in helped.stdout.decode()
    assert portcullis("dance", data_dir=tmp_path).returncode == 2
    assert portcullis("ask", data_dir=tmp_path).returncode == 2


def test_bench_retrieval_on_a_small_collection(tmp_path):
    beir = tmp_path / "beir"
    beir.mkdir()
    pages = [
        {"_id": path.stem, "title": "", "text": path.read_text(encoding="utf-8")} for path in samples_dir().iterdir()
    ]
    (beir / "corpus.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
    (beir / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "sourdough in the fridge"}) + "\n")
    (beir / "qrels.tsv").write_text("q1\tcold-proof-in-the-fridge\t1\n", encoding="utf-8")
    done = portcullis("bench", "retrieval", "--beir", beir, "--run", tmp_path / "run.txt", data_dir=tmp_path)
    figures = json.loads(done.stdout)
    assert figures["docs"] == len(pages)
    assert figures["ndcg_at_10"] == 1.0
    assert (tmp_path / "run.txt").read_text(encoding="utf-8").startswith("q1 Q0 cold-proof-in-the-fridge 1 ")
    assert portcullis("bench", "retrieval", "--beir", tmp_path / "none", data_dir=tmp_path).returncode == 2


COMMANDS = (
    ["ask"],
    ["search"],
    ["index"],
    ["replay"],
    ["sessions", "list"],
    ["sessions", "show"],
    ["receipt", "show"],
    ["receipt", "verify"],
    ["erase"],
    ["prune"],
    ["judge-url"],
    ["screen"],
    ["certify"],
    ["simulate"],
    ["sandbox"],
    ["extract"],
    ["caps"],
    ["version"],
    ["bench", "retrieval"],
)


@pytest.mark.parametrize("code", list(Exit))
def test_every_exit_code_is_documented(code):
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert re.search(rf"^\| {code.value} \|", text, re.MULTILINE), code


def test_every_command_and_option_is_documented(tmp_path):
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    found = 0
    for command in COMMANDS:
        assert f"portcullis {' '.join(command)}" in text, command
        shown = portcullis(*command, "--help", data_dir=tmp_path, env={"COLUMNS": "200"}).stdout.decode()
        for option in set(re.findall(r"--[a-z-]+", shown)) - {"--help"}:
            found += 1
            assert f"`{option}" in text, (command, option)
    assert found > 15
