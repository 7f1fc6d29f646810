"""The simulation itself: a sample holds, its digest depends on the seed alone, failures shrink and can be played."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from scripts.simulation_digest import problems_of

from tests.doors.command import CLI, ROOT, portcullis, unread
from tests.reference.session_model import ORDER
from tests.simulation.__main__ import fails
from tests.simulation.case_files import read_case, why_no_world
from tests.simulation.matrix import compare, rarest, read_matrix
from tests.simulation.runs import judged
from tests.simulation.scenario.faults import FAULTS
from tests.simulation.scenario.generate import FLAVOURS, make_world
from tests.simulation.shrink import shrink

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))
ON_DISK = Path(__file__).parent / "cases" / "a-content-store-that-fails-behind-calls-on-record.json"
SAMPLE = 120


@pytest.fixture(scope="module")
def sample():
    return [one for number in range(SAMPLE) for one in judged(make_world(7, number))]


@pytest.mark.clause("4.3")
@pytest.mark.clause("3.3")
@pytest.mark.ruling("R1")
def test_every_session_of_a_sample_is_as_the_oracle_says(sample, capsys):
    with capsys.disabled():
        print(f"\n{len(sample)} simulated sessions")
    assert [one for one in sample if one["wrong"]] == []
    assert set(Counter(one["stop"] for one in sample)) == set(ORDER)
    assert {flavour for number in range(SAMPLE) for flavour in [make_world(7, number)["flavour"]]} == set(FLAVOURS)


def test_the_sample_meets_most_faults_and_no_cell_that_cannot_be(sample):
    pairs = Counter((fault, one["stop"]) for one in sample for fault in one["happened"])
    assert compare(pairs)["reached_though_infeasible"] == []
    assert len({fault for fault, _ in pairs}) >= 35


def test_the_matrix_declares_every_cell_once_with_a_reason_where_it_cannot_be():
    matrix = read_matrix()
    assert set(matrix) == set(FAULTS)
    assert len(FAULTS) >= 20
    for fault, row in matrix.items():
        assert sorted([*row["reached"], *row["infeasible"]]) == sorted(ORDER), fault
        assert all(len(why) > 20 for why in row["infeasible"].values()), fault


def test_the_cells_that_are_met_least_are_named_and_those_that_cannot_be_are_not():
    pairs = Counter({(fault, stop): 9 for fault, row in read_matrix().items() for stop in row["reached"]})
    pairs["empty", "TIMEOUT"], pairs["hang", "NO_SOURCE"] = 2, 1
    del pairs["kill", "SUCCESS_COMPLETED"]
    found = rarest(pairs)
    assert list(found.items())[:2] == [("kill x SUCCESS_COMPLETED", 0), ("empty x TIMEOUT", 2)]
    assert set(list(found.values())[2:]) == {9}
    assert len(found) == 5


def _simulate(tmp_path, *words):
    done = portcullis("simulate", "--json", *words, data_dir=tmp_path)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.clause("4.2")
def test_the_digest_depends_on_the_seed_and_not_on_the_processes(tmp_path):
    code, one = _simulate(tmp_path, "--seed", 3, "--sessions", 63, "--jobs", 1)
    _, two = _simulate(tmp_path, "--seed", 3, "--sessions", 63, "--jobs", 2)
    _, other = _simulate(tmp_path, "--seed", 4, "--sessions", 63, "--jobs", 2)
    assert (code, one["sessions"], one["broken"], sum(one["histogram"].values())) == (0, 63, 0, 63)
    assert one["digest"] == two["digest"] != other["digest"]
    assert (one["matrix"]["judged"], one["matrix"]["rarest"]) == ("infeasible cells only", {})


def test_a_case_can_be_played_by_hand(tmp_path):
    code, found = _simulate(tmp_path, "--case", ON_DISK)
    assert (code, found["broken"]) == (0, 0)
    _, one = _simulate(tmp_path, "--seed", 3, "--only", 8)
    assert [session["n"] for session in one["found"]] == [5, 6, 7, 8, 9]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "cannot read the case"),
        (b"\xff\xfe", "is not JSON"),
        (b"{", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is not a world"),
        (b'{"case": 7}', "is not a world"),
        (b'{"sessions": []}', "is not a world"),
        (ON_DISK.read_bytes().replace(b'"tier"', b'"tear"'), "has a session that is none"),
        (ON_DISK.read_bytes().replace(b'"calls"', b'"cells"'), "has a session that is none"),
        (ON_DISK.read_bytes().replace(b'"takes"', b'"tokes"'), "`sessions.0.plan.batches.0.calls.0.takes`"),
        (ON_DISK.read_bytes().replace(b'"answer"', b'"dances"'), "`sessions.0.plan.batches.0.calls.0.does`"),
        (ON_DISK.read_bytes().replace(b'"files"', b'"rocks"'), "is not a world: `flavour` does not fit"),
    ],
)
def test_a_file_that_is_no_case_is_told_in_one_line(text, why, tmp_path):
    path = tmp_path / "case.json"
    if text is not None:
        path.write_bytes(text)
    done = portcullis("simulate", "--json", "--case", path, data_dir=tmp_path)
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["kind"] == "invalid_request"
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("portcullis: ")
    assert why in line
    assert why in json.loads(done.stdout)["error"]["message"]


_END = {"kind": "kill", "where": "journal", "line": 3, "permille": 0, "back": 8}
_CALL = ("sessions", 0, "plan", "batches", 0, "calls", 0)
_GONE = object()


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        ((*_CALL, "takes"), _GONE, "takes"),
        ((*_CALL, "takes"), None, "takes"),
        ((*_CALL, "takes"), -8, "takes"),
        ((*_CALL, "items"), _GONE, "items"),
        ((*_CALL, "items", 0, "as"), "huge", "items"),
        ((*_CALL, "items", 0, "text"), True, "text"),
        ((*_CALL, "items", 0, "wrong"), "substitute", "wrong"),
        ((*_CALL, "does"), "dances", "does"),
        ((*_CALL, "does"), "blocked", "outage"),
        ((*_CALL, "does"), "wrong_type", "how"),
        ((*_CALL, "tool"), "gamma", "tool"),
        ((*_CALL, "tool"), "writer", "batches.0.calls"),
        ((*_CALL, "id"), "c1", "batches"),
        ((*_CALL, "spent"), 4, "spent"),
        ((*_CALL[:-2], "wait"), _GONE, "wait"),
        ((*_CALL[:-2], "calls"), [], "calls"),
        (("sessions", 0, "plan", "why"), "tired", "why"),
        (("sessions", 0, "start"), -5, "start"),
        (("sessions", 0, "tier"), "", "tier"),
        (("sessions", 0, "environment"), 7, "environment"),
        (("sessions", 0, "cancle"), 8, "cancle"),
        (("sessions", 0, "narrow", "patience"), 8, "patience"),
        (("sessions", 0, "ends"), [7], "ends.0"),
        (("sessions", 0, "ends"), [{**_END, "kind": "yawn"}], "ends.0.kind"),
        (("sessions", 0, "ends"), [{**_END, "where": "attic"}], "ends.0.where"),
        (("sessions", 0, "ends"), [{**_END, "where": "store"}], "ends.0.kind"),
        (("sessions", 0, "ends"), [{**_END, "line": -1}], "ends.0.line"),
        (("sessions", 0, "ends"), [{**_END, "permille": 1_001}], "ends.0.permille"),
        (("sessions", 0, "ends"), [{**_END, "back": None}], "ends.0.back"),
        (("sessions", 0, "ends"), [{**_END, "kind": "full", "where": "store", "put": 1}], "ends.0.put"),
        (("sessions", 0, "ends"), [{name: _END[name] for name in _END if name != "back"}], "ends.0.back"),
        (("flavour",), "nonsense", "flavour"),
        (("flavour",), "plain", "ends"),
        (("locks",), [{"at": 8, "until": 16}], "locks"),
        (("jumps",), [{"at": 8}], "jumps.0.by"),
        (("sessions",), [7], "sessions.0"),
    ],
)
def test_a_world_that_is_nearly_right_is_refused_where_it_is_wrong(path, value, where):
    world = copy.deepcopy(json.loads(ON_DISK.read_bytes())["case"])
    assert why_no_world(world) is None
    at = world
    for step in path[:-1]:
        at = at[step]
    if value is _GONE:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    why = why_no_world(world)
    assert why is not None
    assert why.endswith(f"{where}` does not fit")


def test_sessions_that_cannot_be_told_apart_are_no_world():
    world = json.loads(ON_DISK.read_bytes())["case"]
    other = {**world["sessions"][0], "n": 1}
    same_number = {**world["sessions"][0], "key": "another"}
    for twin, name in ((other, "key"), (same_number, "n")):
        assert why_no_world({**world, "sessions": [*world["sessions"], twin]}) == f"has two sessions with one `{name}`"
    assert why_no_world({**world, "sessions": [*world["sessions"], {**other, "key": "another"}]}) is None


def test_every_kept_case_and_every_generated_world_can_be_played_from_a_file(tmp_path):
    for path in CASES:
        assert read_case(path) == json.loads(path.read_bytes())["case"]
    path = tmp_path / "world.json"
    for number in range(100):
        path.write_text(json.dumps(make_world(5, number)), encoding="utf-8")
        assert read_case(path) == make_world(5, number)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--only", 3, "--case", ON_DISK), "take one"),
        (("--jobs", 65), "from 1 to 64"),
    ],
)
def test_options_that_make_no_sense_are_told_in_one_line(words, why, tmp_path):
    done = portcullis("simulate", "--json", "--sessions", 5, *words, data_dir=tmp_path)
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"]) == (2, "invalid_request")
    assert why in error["message"]
    assert done.stderr.decode() == f"portcullis: {error['message']}\n"


@pytest.mark.parametrize("words", [("--sessions", "5"), ("--case", "/nope")], ids=["report", "refusal"])
def test_whoever_stops_reading_gets_no_traceback(words):
    done = unread("tests.simulation", "--jobs", "1", "--json", *words)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", [("--sessions", "5"), ("--only", "3"), ("--case", "/nope", "--json")])
def test_a_report_that_does_not_fit_on_the_disk_is_told_as_by_every_command(words):
    with open("/dev/full", "wb") as full:
        done, caps = (
            subprocess.run([CLI, *command], stdout=full, stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"})
            for command in (("simulate", "--jobs", "1", *words), ("caps",))
        )
    assert (done.returncode, done.stderr) == (caps.returncode, caps.stderr) == (7, caps.stderr)
    assert done.stderr.startswith(b"portcullis: cannot write the answer: ")


def _group_of(pid):
    """The processes that a process has started, and those have."""
    found = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return found + [below for child in found for below in _group_of(child)]


def _lives(pid):
    """Whether a process is there; one that has ended and that nobody has asked about is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("words", [("--jobs", "2"), ("--until-broken",)], ids=["workers", "alone"])
def test_an_interrupted_run_says_so_and_leaves_nobody_behind(words):
    run = subprocess.Popen(
        [sys.executable, "-m", "tests.simulation", "--sessions", "50000", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        process_group=0,
    )
    deadline = time.monotonic() + 60
    while len(_group_of(run.pid)) < (3 if "--jobs" in words else 1):  # the neighbours come when a world wants them
        assert time.monotonic() < deadline
        time.sleep(0.05)
    children = _group_of(run.pid)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does
    out, err = run.communicate(timeout=60)
    assert (run.returncode, json.loads(out)["error"]["kind"]) == (130, "interrupted")
    assert err.decode() == "portcullis: interrupted\n"
    while any(_lives(child) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_failing_world_shrinks_to_what_makes_it_fail():
    world = make_world(1, 0)
    wanted = world["sessions"][2]["plan"]["batches"][0]["calls"][0]["id"]

    def fails(tried):
        return any(
            one["n"] == world["sessions"][2]["n"] and any(call["id"] == wanted for call in batch["calls"])
            for one in tried["sessions"]
            for batch in one["plan"]["batches"]
        )

    small = shrink(world, fails)
    assert fails(small)
    assert (len(small["sessions"]), small["earlier"]) == (1, [])
    assert [len(batch["calls"]) for batch in small["sessions"][0]["plan"]["batches"]] == [1]
    assert why_no_world(small) is None


def test_a_world_that_no_file_may_hold_is_nothing_to_shrink_to():
    world = json.loads(ON_DISK.read_bytes())["case"]
    world["sessions"][0]["plan"]["batches"][0]["calls"][0]["does"] = "huge"  # and what it brings is small
    assert any(one["wrong"] for one in judged(world))
    assert not fails(world)


def test_digests_of_several_pythons_are_compared():
    sound = {(python, seed): {"broken": 0, "digest": f"of {seed}"} for python in ("3.11", "3.12") for seed in (1, 2)}
    assert problems_of(sound) == []
    assert problems_of({**sound, ("3.12", 2): {"broken": 0, "digest": "other"}}) == ["seed 2: 2 digests"]
    assert problems_of({**sound, ("3.12", 2): {"broken": 1, "digest": "of 2"}}) == ["Python 3.12, seed 2: 1 broken"]
    assert problems_of({at: {"broken": 0, "digest": "one"} for at in sound}) == ["two seeds have one digest"]
