"""Collections per tenant and a caps table of the operator's own, in a real gate and in its records."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from tests.doors.command import portcullis
from tests.unit.wiring.shelves import COUNT, WHO, CountOutput, Shelf, gate_with, refusal_of

from app import Failure, Principal, RequestInvalid, Settings, StopReason, open_archive
from app.system.contract_files import contract_dir

RIVAL = Principal(tenant="rival", user="u2", tier="PRO", collections=("documents", "letters"))


@pytest.fixture
def folders(tmp_path):
    """Three folders with one document each."""
    texts = {
        "acme": "A rye loaf of the bakery keeps for a whole week in its cloth.",
        "letters": "The miller wrote that rye will be dear and late this winter.",
        "rival": "Rye is baked by the rival on Mondays, and sold out by noon.",
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "rye.md").write_text(text, encoding="utf-8")
    return {name: tmp_path / name for name in texts}


async def _passages(gate, who, **more):
    answer = await gate.call("search_documents", {"question": "rye", **more}, who)
    return [passage.text for passage in answer.result.passages]


@pytest.mark.ruling("R20")
async def test_two_tenants_see_their_own_documents_alone(tmp_path, folders):
    brought = {"acme": {"documents": folders["acme"], "letters": folders["letters"]}, "rival": folders["rival"]}
    async with gate_with(tmp_path, collections=brought) as gate:
        (loaf,) = await _passages(gate, WHO)
        (letter,) = await _passages(gate, WHO, collection="letters")
        (other,) = await _passages(gate, RIVAL)
        nothing = await _passages(gate, RIVAL, collection="letters")
        answer = await gate.call("search_documents", {"question": "rye", "collection": "recipes"}, WHO)
    assert ("bakery" in loaf, "miller" in letter, "rival" in other, nothing) == (True, True, True, [])
    assert isinstance(answer.result, Failure)
    assert answer.outcomes[0].verdict.stop is StopReason.ENTITLEMENT_CAP


@pytest.mark.ruling("R20")
async def test_erasing_a_tenant_takes_its_index_and_leaves_the_other(tmp_path, folders):
    brought = {"acme": folders["acme"], "rival": folders["rival"]}
    async with gate_with(tmp_path, collections=brought) as gate:
        await _passages(gate, WHO)
        await _passages(gate, RIVAL)
    indexes = tmp_path / "data" / "collections"
    kept = {path: path.read_bytes() for path in (indexes / "rival").rglob("*") if path.is_file()}
    assert sorted(path.name for path in indexes.iterdir()) == ["acme", "rival"]
    report = open_archive(Settings(data_dir=tmp_path / "data")).erase_tenant("acme")
    assert report.sessions == 1
    assert [path.name for path in indexes.iterdir()] == ["rival"]
    assert {path: path.read_bytes() for path in kept} == kept
    assert [path.name for path in (tmp_path / "data" / "store").iterdir() if any(path.rglob("*/*"))] == ["rival"]
    assert folders["acme"].joinpath("rye.md").is_file()


@pytest.mark.parametrize(
    ("collections", "said"),
    [
        ({"acme": "missing"}, "the folder `.*missing` does not exist"),
        ({"acme": {"documents": "acme", "letters": "missing"}}, "the folder `.*missing` does not exist"),
        ({"acme": "acme/rye.md"}, "`.*rye.md` is not a folder"),
        ({"": "acme"}, "the tenant is not an identifier"),
        ({"../acme": "acme"}, "the tenant is not an identifier"),
        ({"a/b": "acme"}, "the tenant is not an identifier"),
        ({"acme": {"two words": "acme"}}, "the collection is not an identifier"),
        ({"acme": {"../letters": "acme"}}, "the collection is not an identifier"),
    ],
)
async def test_a_collection_that_cannot_be_used_is_refused_when_the_gate_opens(tmp_path, folders, collections, said):
    places = {
        tenant: {name: tmp_path / folder for name, folder in given.items()}
        if isinstance(given, dict)
        else tmp_path / given
        for tenant, given in collections.items()
    }
    assert re.fullmatch(said, await refusal_of(tmp_path, collections=places))


def _caps(tmp_path, **changes):
    """The contract's table with other caps for PRO in dev."""
    table = json.loads((contract_dir() / "caps.json").read_bytes())
    (entry,) = [one for one in table["entries"] if (one["tier"], one["environment"]) == ("PRO", "dev")]
    entry["caps"].update(changes)
    path = tmp_path / "caps.json"
    path.write_text(json.dumps(table), encoding="utf-8")
    return path


def _counted(tmp_path, calls, caps=None):
    """The answer to so many calls, and the records of it."""

    async def ask():
        async with gate_with(tmp_path, tools=[Shelf()], capabilities=[COUNT], caps=caps) as gate:
            return await gate.call("acme.count", {"calls": calls}, WHO)

    answer = asyncio.run(ask())
    return answer, open_archive(Settings(data_dir=tmp_path / "data"), capabilities=[COUNT])


@pytest.mark.ruling("R24")
def test_a_raised_table_allows_more_and_the_receipt_says_so(tmp_path):
    refused, _ = _counted(tmp_path, 12)
    assert refused.outcomes[0].verdict.stop is StopReason.BUDGET_EXHAUSTED
    answer, records = _counted(tmp_path, 12, _caps(tmp_path, max_tool_calls_total=25))
    (tmp_path / "caps.json").unlink()
    assert (answer.result, len(answer.outcomes[0].outcomes)) == (CountOutput(found=12), 12)
    session = answer.outcomes[0].session_id
    assert records.receipt(session).custom_caps
    assert records.replay(session).result == "identical"
    assert not records.receipt(refused.outcomes[0].session_id).custom_caps


@pytest.mark.ruling("R24")
def test_a_table_that_only_lowers_is_not_custom(tmp_path):
    answer, records = _counted(tmp_path, 4, _caps(tmp_path, max_tool_calls_total=3, budget_units_clamp=20))
    session = answer.outcomes[0].session_id
    assert answer.outcomes[0].verdict.stop is StopReason.BUDGET_EXHAUSTED
    assert not records.receipt(session).custom_caps
    assert records.replay(session).result == "identical"


@pytest.mark.ruling("R24")
def test_the_command_line_replays_a_session_under_caps_that_are_not_the_default(tmp_path, folders):
    async def ask():
        caps = _caps(tmp_path, max_tool_calls_total=25)
        async with gate_with(tmp_path, collections={"acme": folders["acme"]}, caps=caps) as gate:
            return await gate.call("search_documents", {"question": "rye"}, WHO)

    session = asyncio.run(ask()).outcomes[0].session_id
    done = portcullis("replay", session, "--json", data_dir=tmp_path / "data")
    assert (done.returncode, json.loads(done.stdout)["result"]) == (0, "identical")
    receipt = json.loads(portcullis("receipt", "show", session, data_dir=tmp_path / "data").stdout)
    assert receipt["custom_caps"] is True


async def test_a_replay_inside_a_running_loop_is_refused_and_works_in_a_thread(tmp_path):
    async with gate_with(tmp_path, tools=[Shelf()], capabilities=[COUNT]) as gate:
        answer = await gate.call("acme.count", {}, WHO)
    records = open_archive(Settings(data_dir=tmp_path / "data"), capabilities=[COUNT])
    with pytest.raises(RequestInvalid, match="an event loop runs in this one"):
        records.replay(answer.outcomes[0].session_id)
    replayed = await asyncio.to_thread(records.replay, answer.outcomes[0].session_id)
    assert replayed.result == "identical"
