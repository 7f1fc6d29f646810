"""`portcullis judge-url` as a process: one verdict per line, in order, whatever the line is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.doors.command import ROOT, portcullis

CASES = Path(os.environ.get("PORTCULLIS_CORPORA", ROOT.parent / "shared" / "corpora")) / "ssrf" / "cases.jsonl"


def _verdicts(data: bytes, tmp_path):
    done = portcullis("judge-url", "--jsonl", data_dir=tmp_path, stdin=data)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.split(b"\n")[:-1]]


def test_every_line_has_its_verdict_in_order(tmp_path):
    lines = [
        b'{"url": "https://shop.example/"}',
        b"",
        b"no json",
        b"[1]",
        b'{"url": 7}',
        b"\xff\xfe",
        b'{"url": "https://shop.example/", "resolves_to": []}',
        b'{"url": "https://shop.example/", "resolves_to": ["10.0.0.1"]}',
        b'{"url": "https://shop.example/", "resolves_to": {"a": 1}}',
        b'{"url": "https://shop.example/", "resolves_to": ["9.9.9.9"], "resolves_to_then": ["10.0.0.1"]}',
        b'{"url": "https://a.example/", "redirect_to": "//b.example", "resolves_to_by_host": {"B.example.": []}}',
        b'{"url": "https://a.example/", "redirect_to": "//b.example", "resolves_to_by_host": {"c.example": []}}',
        b'{"url": "https://shop.example/", "redirect_to": "https://shop.example/#x"}',
        b'{"url": "https://shop.example/", "redirect_to": null, "resolves_to": null, "resolves_to_by_host": null}',
        '{"url": "https://shop.example/a\u2028b"}'.encode(),
        b'{"url": "https://\\ud800.example/"}',
        b'{"url": "https://shop.example/"}',
    ]
    verdicts = _verdicts(b"\n".join(lines), tmp_path)
    accepted = [number for number, verdict in enumerate(verdicts) if verdict["verdict"] == "accept"]
    assert len(verdicts) == len(lines)
    assert accepted == [0, 9, 11, 13, 14, 16]
    assert all(set(verdict) == {"url", "verdict", "reason"} and verdict["reason"] for verdict in verdicts)
    assert verdicts[7]["reason"] == "address_not_public: private"


def test_one_url_and_its_exit_code(tmp_path):
    good = portcullis("judge-url", "https://shop.example/", data_dir=tmp_path)
    bad = portcullis("judge-url", "http://127.1/", data_dir=tmp_path)
    assert (good.returncode, json.loads(good.stdout)["verdict"]) == (0, "accept")
    assert (bad.returncode, json.loads(bad.stdout)["reason"]) == (3, "address_not_public: loopback")
    for wrong in ((), ("https://shop.example/", "--jsonl")):
        assert portcullis("judge-url", *wrong, data_dir=tmp_path).returncode == 2


@pytest.mark.skipif(not CASES.is_file(), reason="the corpora are not beside this clone")
def test_every_case_of_the_corpus_is_judged_right(tmp_path):
    data = CASES.read_bytes()
    cases = [json.loads(line) for line in data.splitlines()]
    assert len(cases) > 300
    verdicts = _verdicts(data, tmp_path)
    wrong = [
        (case["url"], verdict["reason"])
        for case, verdict in zip(cases, verdicts, strict=True)
        if case["expect"] != verdict["verdict"]
    ]
    assert wrong == []
