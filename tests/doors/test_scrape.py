"""`portcullis scrape` as a process: what it prints, for people and for programs, and how it ends."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli.exits import Exit

ROOT = Path(__file__).parents[2]
SHOP = "http://shop.example"


ON_LOOPBACK = (sys.executable, "-m", "tests.fixtures.scrape_with")
INSTALLED = (str(Path(sys.executable).with_name("portcullis")),)


def _run(folder, *words, program=ON_LOOPBACK):
    command = [*program, "scrape", *words, "--data-dir", str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def test_a_page_for_people(tmp_path):
    done = _run(tmp_path, f"{SHOP}/a")
    assert done.returncode == Exit.GROUNDED, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == ["Cold proofing", f"{SHOP}/a"]
    assert lines[2].startswith("html · unknown, authority ")
    assert lines[3].startswith("Cite as: Cold proofing. (n.d.).")
    assert "A long rest in the cold gives the crust its colour and its flavour." in lines


def test_a_page_for_programs(tmp_path):
    done = _run(tmp_path, f"{SHOP}/a", "--json", "--mode", "preview", "--max-length", "60", "--markdown")
    got = json.loads(done.stdout)
    assert (got["contentType"], got["trust"]) == ("html", "untrusted-external-content")
    assert done.returncode == Exit.GROUNDED


def test_the_operator_sees_the_whole_outcome(tmp_path):
    done = _run(tmp_path, f"{SHOP}/inject", "--view", "operator")
    outcome = json.loads(done.stdout)
    assert outcome["verdict"]["stop"] == "INJECTION_DETECTED"
    assert done.returncode == Exit.NOT_AVAILABLE


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        ((f"{SHOP}/inject",), Exit.NOT_AVAILABLE, "upstream_unavailable"),
        ((f"{SHOP}/none",), Exit.NO_SOURCES, "not_found"),
        ((f"{SHOP}/busy",), Exit.RETRY_LATER, "rate_limited"),
        (("http://127.0.0.1/",), Exit.NO_SOURCES, "validation"),
        ((f"{SHOP}/a", "--tier", "FREE"), Exit.NOT_ALLOWED, "config"),
        ((f"{SHOP}/a", "--env", "nowhere"), Exit.INVALID, "invalid_request"),
        (("",), Exit.INVALID, "invalid_request"),
        ((f"{SHOP}/a", "--mode", "all"), Exit.INVALID, "invalid_request"),
        ((f"{SHOP}/a", "--max-length", "0"), Exit.INVALID, "invalid_request"),
        ((f"{SHOP}/a", "--mode", "raw", "--markdown"), Exit.INVALID, "invalid_request"),
        ((f"{SHOP}/a", "--max-length", "many"), Exit.INVALID, "invalid_request"),
    ],
)
def test_failures_have_a_kind_and_an_exit_code(words, code, kind, tmp_path):
    done = _run(tmp_path, *words, "--json")
    assert json.loads(done.stdout)["error"]["kind"] == kind
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_page_cannot_drive_the_terminal(tmp_path):
    for mode in ("full", "raw"):
        done = _run(tmp_path, f"{SHOP}/terminal", "--mode", mode)
        assert done.returncode == Exit.GROUNDED
        assert "\x1b" not in done.stdout


def test_without_a_network_the_real_command_says_so(tmp_path):
    done = _run(tmp_path, "http://no-such-name.example/", "--json", program=INSTALLED)
    assert json.loads(done.stdout)["error"] == {"kind": "network", "retryable": True, "suggestedAction": "retry"}
    assert done.returncode == Exit.RETRY_LATER
