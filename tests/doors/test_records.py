"""The record of past sessions at the command line: replay offline, list, show, receipts, erasing, pruning."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.kernel.errors import RequestInvalid
from app.system.settings import Settings
from app.wiring import open_archive
from tests.doors.command import portcullis

QUESTION = "How long should sourdough proof in the fridge?"
NO_NETWORK = """
import sys
def refuse(event, args):
    if event.startswith("socket."):
        print("a socket was asked for", event, file=sys.stderr)
        raise OSError("no network here")
sys.addaudithook(refuse)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A data folder with one session whose documents are gone."""
    folder = tmp_path_factory.mktemp("records")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "bread.md").write_text(
        "# Cold proof\n\nSourdough may proof in the fridge for twelve to sixteen hours before it is baked.\n"
    )
    data = folder / "data"
    asked = portcullis("ask", QUESTION, "--docs", docs, "--json", data_dir=data)
    assert asked.returncode == 0, asked.stderr
    docs.rename(folder / "moved away")
    return data, json.loads(asked.stdout)["session_id"], folder


@pytest.fixture
def past(made, tmp_path):
    """The same, to be spoilt."""
    data, session, _ = made
    shutil.copytree(data, tmp_path / "data")
    return tmp_path / "data", session


def offline(folder: Path) -> dict[str, str]:
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(NO_NETWORK)
    return {"PYTHONPATH": str(site)}


def journal_of(data: Path) -> Path:
    (path,) = data.glob("journal/closed/*/*/*.jsonl")
    return path


@pytest.mark.clause("4.2")
def test_a_session_just_made_replays_to_the_byte_without_documents_and_network(made):
    data, session, folder = made
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file() and "collections" not in path.parts}
    done = portcullis("replay", session, "--json", data_dir=data, env=offline(folder))
    assert (done.returncode, done.stderr) == (0, b"")
    found = json.loads(done.stdout)
    assert (found["result"], found["steps"], found["stop"]) == ("identical", 4, "SUCCESS_COMPLETED")
    assert found["journal_head"] == json.loads(journal_of(data).read_bytes().splitlines()[-1])["sum"]
    assert {path: path.read_bytes() for path in before} == before
    said = portcullis("replay", session, data_dir=data)
    assert said.stdout.startswith(b"identical: 4 steps, SUCCESS_COMPLETED")


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_one_flipped_byte_in_the_journal_is_named(past, step):
    data, session = past
    path = journal_of(data)
    lines = path.read_bytes().splitlines(keepends=True)
    middle = len(lines[step - 1]) // 2
    lines[step - 1] = lines[step - 1][:middle] + bytes([lines[step - 1][middle] ^ 1]) + lines[step - 1][middle + 1 :]
    path.write_bytes(b"".join(lines))
    done = portcullis("replay", session, data_dir=data)
    assert done.returncode == 8
    assert f"step {step} is damaged".encode() in done.stdout
    shown = portcullis("sessions", "show", session, data_dir=data)
    assert shown.returncode == (7 if step == 1 else 8)
    assert portcullis("receipt", "show", session, data_dir=data).returncode == 7


def test_a_flipped_byte_and_a_missing_object_in_the_store_are_named(past):
    data, session = past
    for path in data.glob("store/*/*/*"):
        whole = path.read_bytes()
        path.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
        done = portcullis("replay", session, "--json", data_dir=data)
        assert (done.returncode, json.loads(done.stdout)["result"]) == (8, "missing")
        assert f"{path.name[:12]} is damaged".encode() in done.stdout
        path.unlink()
        done = portcullis("replay", session, data_dir=data)
        assert (done.returncode, path.name[:12].encode() in done.stdout) == (8, True)
        path.write_bytes(whole)
    assert portcullis("replay", session, data_dir=data).returncode == 0


@pytest.mark.ruling("R14")
def test_question_and_sources_stand_only_in_the_content_store(made):
    data, _, _ = made
    stored = b"".join(path.read_bytes() for path in data.glob("store/*/*/*"))
    assert b"sourdough proof in the fridge?" in stored
    assert b"twelve to sixteen hours" in stored
    journal = journal_of(data).read_bytes()
    for word in (b"fridge", b"sourdough", b"twelve", b"bread"):
        assert word not in journal.lower()


def test_list_and_show_give_the_operator_the_id_first(made):
    data, session, _ = made
    (row,) = json.loads(portcullis("sessions", "list", "--json", data_dir=data).stdout)["sessions"]
    assert next(iter(row)) == "session_id"
    assert (row["session_id"], row["stop"], row["calls"], row["spent_units"]) == (session, "SUCCESS_COMPLETED", 1, 1)
    assert session in portcullis("sessions", "list", data_dir=data).stdout.decode()
    assert portcullis("sessions", "list", "--tenant", "nobody", data_dir=data).stdout == b"no sessions\n"
    shown = json.loads(portcullis("sessions", "show", session, "--json", data_dir=data).stdout)
    assert [step["kind"] for step in shown["timeline"]] == ["Opened", "ReserveDecided", "Called", "Closed"]
    text = portcullis("sessions", "show", session, data_dir=data).stdout.decode()
    assert text.startswith(f"session {session}\n")
    assert "SUCCESS_COMPLETED → GROUNDED" in text


def test_signals_are_shown_with_their_numbers(tmp_path):
    asked = portcullis("ask", QUESTION, "--json", "--timeout-ms", "1", data_dir=tmp_path)
    session = json.loads(asked.stdout)["session_id"]
    shown = json.loads(portcullis("sessions", "show", session, "--json", data_dir=tmp_path).stdout)
    signal = shown["signals"][0]
    # The first millisecond may be over before the call: then nothing is left for it, and that is its limit.
    assert (signal["reason"], signal["limit"] in (0, 1)) == ("TIMEOUT", True)
    assert signal["value"] > signal["limit"]
    assert b"signal TIMEOUT" in portcullis("sessions", "show", session, data_dir=tmp_path).stdout
    assert portcullis("replay", session, data_dir=tmp_path).returncode == 0


def test_a_receipt_is_verified_by_itself_and_by_the_journal(past, tmp_path):
    data, session = past
    receipt = portcullis("receipt", "show", session, data_dir=data).stdout
    assert portcullis("receipt", "verify", "-", data_dir=data, stdin=receipt).stdout == b"valid: as in the journal\n"
    file = tmp_path / "receipt.json"
    file.write_bytes(receipt)
    assert portcullis("receipt", "verify", file, data_dir=data).returncode == 0
    elsewhere = portcullis("receipt", "verify", file, "--json", data_dir=tmp_path / "another machine")
    assert elsewhere.returncode == 8
    assert "not in this data folder" in json.loads(elsewhere.stdout)["why"]
    forged = {**json.loads(receipt), "spent_units": 0}
    changed = portcullis("receipt", "verify", "-", data_dir=data, stdin=json.dumps(forged).encode())
    assert (changed.returncode, b"was changed" in changed.stdout) == (8, True)
    refused = portcullis("receipt", "verify", "-", data_dir=data, stdin=receipt[:-20])
    assert (refused.returncode, b"not a receipt" in refused.stderr) == (2, True)
    for bad in (b"", b"{}", b"nonsense", b"\xff\xfe", b"[" * 5000):
        with pytest.raises(RequestInvalid, match="not a receipt"):
            open_archive(Settings(data_dir=data)).verify(bad)
    assert portcullis("receipt", "verify", tmp_path / "none", data_dir=data).returncode == 2


@pytest.mark.ruling("R20")
def test_erased_content_is_gone_and_the_chain_stays_valid(past):
    data, session = past
    receipt = portcullis("receipt", "show", session, data_dir=data).stdout
    report = json.loads(portcullis("erase", session, "--json", data_dir=data).stdout)
    assert (report["sessions"], report["objects"], report["shared"]) == (1, 3, 0)
    assert list(data.glob("store/*/*/*")) == []
    done = portcullis("replay", session, "--json", data_dir=data)
    assert (done.returncode, json.loads(done.stdout)["result"]) == (8, "erased")
    assert portcullis("receipt", "verify", "-", data_dir=data, stdin=receipt).returncode == 0
    assert portcullis("erase", session, data_dir=data).returncode == 0
    assert b"erased" in portcullis("sessions", "list", data_dir=data).stdout


@pytest.mark.ruling("R20")
def test_objects_that_another_session_names_stay_for_it(tmp_path):
    asked = [portcullis("ask", QUESTION, "--json", data_dir=tmp_path).stdout for _ in range(2)]
    first, second = (json.loads(answer)["session_id"] for answer in asked)
    assert b"3 kept" in portcullis("erase", first, data_dir=tmp_path).stdout
    assert portcullis("replay", first, data_dir=tmp_path).stdout.startswith(b"erased")
    assert portcullis("replay", second, data_dir=tmp_path).returncode == 0
    assert b"erased 3 objects" in portcullis("erase", second, data_dir=tmp_path).stdout


def test_a_tenant_is_erased_only_on_purpose(past):
    data, session = past
    for wrong in ((), (session, "--tenant", "local"), ("--tenant", "local")):
        assert portcullis("erase", *wrong, data_dir=data).returncode == 2
    assert len(list(data.glob("store/*/*/*"))) == 3
    assert b"erased 3 objects" in portcullis("erase", "--tenant", "local", "--yes", data_dir=data).stdout
    assert portcullis("replay", session, data_dir=data).stdout.startswith(b"erased")


def test_pruning_forgets_old_sessions_and_what_only_they_named(past):
    data, session = past
    assert b"pruned 0 sessions" in portcullis("prune", "--older-than", "1d", data_dir=data).stdout
    assert portcullis("replay", session, data_dir=data).returncode == 0
    for path in (*data.glob("store/*/*/*"), journal_of(data)):
        os.utime(path, (1, 1))
    report = json.loads(portcullis("prune", "--older-than", "1d", "--json", data_dir=data).stdout)
    assert (report["sessions"], report["objects"]) == (1, 3)
    assert portcullis("replay", session, data_dir=data).returncode == 2
    for age in ("1", "0d", "9999999d"):
        assert portcullis("prune", "--older-than", age, data_dir=data).returncode == 2


def test_a_session_that_is_none_is_refused_plainly(made):
    records = open_archive(Settings(data_dir=made[0]))
    odd = ("", "none", "../../etc/passwd", "a/b", "..", "\x01", "long" * 2000)
    looks = (records.replay, records.show, records.receipt, records.erase)
    for look, session in ((look, session) for look in looks for session in odd):
        with pytest.raises(RequestInvalid, match="there is no session"):
            look(session)


@pytest.mark.parametrize("command", [["replay"], ["sessions", "show"], ["receipt", "show"], ["erase"]])
def test_every_command_says_so_in_one_line(made, command):
    done = portcullis(*command, "../../etc/passwd", data_dir=made[0])
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)


@pytest.mark.ruling("R19")
def test_a_key_answers_again_from_the_record_and_is_refused_for_another_question(tmp_path):
    def ask(question):
        return portcullis("ask", question, "--session-key", "once", "--json", data_dir=tmp_path)

    first, second, other = ask(QUESTION), ask(QUESTION), ask("What is a poolish?")
    assert first.stdout == second.stdout
    assert (other.returncode, b"another request" in other.stderr) == (2, True)
    assert len(json.loads(portcullis("sessions", "list", "--json", data_dir=tmp_path).stdout)["sessions"]) == 1


def test_a_data_folder_of_a_newer_version_is_left_alone(tmp_path):
    (tmp_path / "FORMAT").write_text("2\n")
    for command in (["ask", QUESTION], ["sessions", "list"], ["replay", "x"], ["prune", "--older-than", "1s"]):
        done = portcullis(*command, data_dir=tmp_path)
        assert (done.returncode, b"newer version" in done.stderr) == (7, True)
    assert [path.name for path in tmp_path.iterdir()] == ["FORMAT"]


def test_an_edited_rule_file_is_found_at_the_first_step(made, tmp_path):
    """In a copy of the package, so that the real one stays as it is."""
    data, session, _ = made
    root = Path(__file__).parents[2]
    for part in ("backend", "catalog", "contracts", "samples"):
        shutil.copytree(root / part, tmp_path / "copy" / part, symlinks=True)
    (rules,) = (tmp_path / "copy" / "backend" / "app" / "screen" / "rules").glob("injection-*.json")
    rules.write_text(rules.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    code = "import sys; sys.argv[0] = 'portcullis'; from app.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "replay", session, "--data-dir", str(data)],
        capture_output=True,
        env={"PYTHONPATH": str(tmp_path / "copy" / "backend"), "HOME": str(tmp_path), "PATH": ""},
        cwd=tmp_path,
        timeout=60,
    )
    assert done.returncode == 8, done.stderr
    assert done.stdout.startswith(b"differs: step 1 (Opened)")
    assert b"the rules changed since" in done.stdout


def test_a_journal_that_cannot_be_read_is_listed_and_not_called_erased(past):
    data, session = past
    path = journal_of(data)
    path.write_bytes(b"{}\n" + path.read_bytes().split(b"\n", 1)[1])
    (row,) = json.loads(portcullis("sessions", "list", "--json", data_dir=data).stdout)["sessions"]
    assert (row["session_id"], row["state"]) == (session, "damaged")
    done = portcullis("erase", session, data_dir=data)
    assert (done.returncode, b"damaged at step 1" in done.stderr) == (7, True)
    assert len(list(data.glob("store/*/*/*"))) == 3
    assert portcullis("erase", "--tenant", "local", "--yes", data_dir=data).returncode == 0
    assert list(data.glob("store/*/*/*")) == []
    assert portcullis("erase", "--tenant", "nobody", "--yes", data_dir=data).returncode == 2


def test_a_closed_session_that_lost_its_end_is_damaged(past):
    data, session = past
    path = journal_of(data)
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:2]) + b"\n")
    done = portcullis("replay", session, data_dir=data)
    assert (done.returncode, b"step 3 is damaged" in done.stdout) == (8, True)


def test_erasing_leaves_what_an_open_session_needs(past):
    data, session = past
    journal = journal_of(data)
    other = data / "journal" / "open" / "local" / "00000000-0000-4000-8000-000000000001.jsonl"
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_bytes(journal.read_bytes().split(b"\n")[0] + b"\n")
    report = open_archive(Settings(data_dir=data)).erase(session)
    assert (report.objects, report.shared) == (1, 2)


def test_what_a_kill_left_without_a_session_is_pruned(past):
    data, _ = past
    orphan = data / "store" / "someone" / "ab" / ("ab" * 32)
    orphan.parent.mkdir(parents=True)
    orphan.write_bytes(b"a question that nobody asked")
    os.utime(orphan, (1, 1))
    assert b"1 object" in portcullis("prune", "--older-than", "1d", data_dir=data).stdout
    assert not orphan.exists()
