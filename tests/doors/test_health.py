"""`portcullis health`, as an operator and as a probe run it."""

from __future__ import annotations

import json

from tests.doors.command import portcullis


def test_a_gate_that_can_answer_is_healthy(tmp_path):
    done = portcullis("health", data_dir=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().startswith("healthy (dev)\nok       research\n")


def test_what_has_failed_is_named_and_tells_a_probe_by_the_exit_code(tmp_path):
    off = {"PORTCULLIS_RESEARCH": "off"}
    done = portcullis("health", data_dir=tmp_path, env=off)
    assert done.returncode == 6
    assert "failed   research: flag_off" in done.stdout.decode()
    told = portcullis("health", "--json", data_dir=tmp_path, env=off)
    health = json.loads(told.stdout)
    assert (told.returncode, health["healthy"]) == (6, False)
    assert {check["name"]: check["detail"] for check in health["checks"]}["research"] == "flag_off"


def test_a_gate_that_is_not_opened_is_told_once(tmp_path):
    (tmp_path / "FORMAT").write_text("99\n", encoding="utf-8")
    done = portcullis("health", "--json", data_dir=tmp_path)
    assert done.returncode == 7
    assert json.loads(done.stdout)["error"]["kind"] == "store_unusable"
    assert done.stderr.decode().count("newer version") == 1
