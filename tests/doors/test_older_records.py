"""Sessions recorded in format 1, before tools had a catalogue: still listed, shown and verified, never replayed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from app import Principal, RequestInvalid, Settings, open_gate, read_request
from app.wiring import open_archive

KEPT = Path(__file__).parents[1] / "fixtures" / "records_format_1"
GROUNDED, KEYED, REFUSED = (
    "d3859c6f-c1fb-4622-9dd5-22f7b7b926bc",
    "994f0e6d-c2b0-84a5-8f53-8eed539abe13",
    "03d582e7-4a34-4a6a-8bd7-5398382511a6",
)
LOCAL = Principal(tenant="local", user="local", tier="PRO", scopes=("operator",), collections=("documents",))
ASKED = read_request(question="How long should sourdough proof in the fridge?", arguments=(("limit", 5),))


@pytest.fixture
def settings(tmp_path):
    shutil.copytree(KEPT, tmp_path / "data")
    return Settings(data_dir=tmp_path / "data")


@pytest.mark.ruling("R22")
def test_an_older_record_is_listed_shown_and_verified(settings):
    records = open_archive(settings)
    rows = {row.session_id: (row.state, row.stop) for row in records.sessions(10)}
    assert rows == {
        GROUNDED: ("closed", "SUCCESS_COMPLETED"),
        KEYED: ("closed", "SUCCESS_COMPLETED"),
        REFUSED: ("closed", "ENTITLEMENT_CAP"),
    }
    shown = records.show(GROUNDED)
    assert [step.kind for step in shown.timeline] == ["Opened", "ReserveDecided", "Called", "Closed"]
    receipt = (KEPT / "receipt.json").read_bytes()
    assert records.verify(receipt).valid
    assert records.receipt(GROUNDED).model_dump_json(exclude_defaults=True) == receipt.decode().strip()
    changed = json.loads(receipt)
    changed["spent_units"] += 1
    assert not records.verify(json.dumps(changed).encode()).valid


@pytest.mark.ruling("R22")
def test_a_replay_says_that_the_record_is_of_an_older_format(settings):
    found = open_archive(settings).replay(GROUNDED)
    assert (found.result, found.identical) == ("older_format", False)
    assert "recorded in format 1" in found.why


@pytest.mark.ruling("R19")
async def test_a_key_of_an_older_record_gives_its_outcome_again(settings):
    async with open_gate(settings=settings) as router:
        outcome = await router.run(ASKED, LOCAL, session_key="k1")
        assert outcome.session_id == KEYED
        with pytest.raises(RequestInvalid, match="another request"):
            await router.run(ASKED.model_copy(update={"question": "why?"}), LOCAL, session_key="k1")


async def test_an_open_session_of_an_older_format_cannot_go_on_and_says_so(settings):
    closed = next((settings.data_dir / "journal" / "closed").rglob(f"{KEYED}.jsonl"))
    opened = settings.data_dir / "journal" / "open" / "local"
    opened.mkdir(parents=True, exist_ok=True)
    lines = closed.read_bytes().splitlines(keepends=True)
    closed.unlink()
    (opened / f"{KEYED}.jsonl").write_bytes(b"".join(lines[:2]))
    async with open_gate(settings=settings) as router:
        with pytest.raises(RequestInvalid, match="older format"):
            await router.run(ASKED, LOCAL, session_key="k1")


def test_an_older_record_can_be_erased(settings):
    records = open_archive(settings)
    assert records.erase(GROUNDED).sessions == 1
    assert records.replay(GROUNDED).result == "older_format"
    assert [row.erased for row in records.sessions(10) if row.session_id == GROUNDED] == [True]
