"""Records of format 1, as the rooms of research read them; tests/doors has whole folders of them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from tests.fixtures.at_once import at_once
from tests.fixtures.scripted import Bench
from tests.fixtures.virtual_time import run_virtual
from tests.unit.research.test_session_keys import again

from app.kernel.canonical import canonical_bytes, digest_of
from app.kernel.errors import ContractViolation, RequestInvalid
from app.kernel.journal_records import CHAIN_START, Opened, OpenedV1, read_line, written_line
from app.kernel.request import read_request
from app.kernel.results import SourceKind, text_item
from app.research.record.opening import read_chain, session_of
from app.research.record.replay import replay
from app.research.serving import Serving

CASE = {"plan": [{"calls": [{"id": "a", "items": [{"body": "The crumb is open and the crust is dark."}]}]}]}


def older(bench, **changed):
    """The first line of a keyed session, as format 1 wrote it."""
    request = read_request(question="what is asked?", capability="scripted")
    then = (request.model_dump(mode="json"), bench.principal.model_dump(mode="json"))
    for one in then:
        bench.store.put("acme", canonical_bytes(one))
    opened = OpenedV1(
        **{
            "session_id": session_of(bench.principal, "k"),
            "tenant": "acme",
            "request": digest_of(then[0]),
            "principal": digest_of(then[1]),
            "capability": "scripted",
            "contract_version": "18.0.0",
            "environment": "prod",
            "research_enabled": True,
            "sealed": True,
            "contract": "c" * 64,
            "rules": "d" * 64,
            "tools": ("alpha",),
            "keyed": True,
            "started_at_ms": 0,
            **changed,
        }
    )
    return written_line(CHAIN_START, (), opened)


def test_the_opening_of_format_1_is_read_and_named_as_before():
    bench = Bench(CASE)
    bench.loop.close()
    written = older(bench)
    line = read_line(written.data)
    assert (type(line.record), line.step) == (OpenedV1, Opened.__name__)


@pytest.mark.parametrize(
    ("changed", "said"), [({}, "older format"), ({"request": "e" * 64}, "another request")], ids=["same", "other"]
)
def test_an_open_session_of_format_1_does_not_go_on(changed, said):
    bench = Bench(CASE)
    session = session_of(bench.principal, "k")
    at_once(bench.journal.begin("acme", session))
    bench.journal.append(session, older(bench, **changed).data)
    bench.journal.abandon(session)
    with pytest.raises(RequestInvalid, match=said):
        run_virtual(bench.loop, again(bench))


def _replayed(bench, lines, session, router=None):
    return asyncio.run(replay(session, read_chain(lines), lambda d: bench.store.get("acme", d), lambda _: router))


def test_a_replay_names_the_older_format():
    bench = Bench(CASE)
    bench.loop.close()
    found = _replayed(bench, (older(bench).data,), session_of(bench.principal, "k"))
    assert (found.result, found.steps) == ("older_format", 1)


def test_a_replay_without_the_caps_of_its_session_says_what_is_missing():
    bench = Bench(CASE)
    session = bench.run().session_id
    found = _replayed(bench, bench.journal.lines(session), session)
    assert found.result == "missing"
    assert "caps table" in found.why


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.replace(b'"reads":[[', b'"reads":[["x",0],['),
        lambda data: data.replace(b'"prev"', b'"more":1,"prev"'),
    ],
    ids=["a reading that is no number", "a key more"],
)
def test_a_line_with_a_fitting_sum_and_another_shape_is_damaged(spoil):
    bench = Bench(CASE)
    line = bench.journal.lines(bench.run().session_id)[0]
    body, _, _ = spoil(line).rpartition(b',"sum":"')
    from app.kernel.canonical import sha256_hex

    forged = body + f',"sum":"{sha256_hex(body)}"}}'.encode()
    assert canonical_bytes(json.loads(forged)) == forged
    assert read_line(forged) is None
    assert read_line(line) is not None


def test_an_item_of_plain_text_has_the_hashes_of_that_text():
    item = text_item("acme:a/1", "two loaves", kind=SourceKind.HIT, title="order")
    assert (item.content_hash, item.end, item.body) == (item.text_hash, 10, "two loaves")


async def test_what_neither_computes_nor_serves_is_our_own_mistake():
    bench = Bench(CASE)
    bench.loop.close()
    retrieved = replace(bench.router.capabilities["scripted"])
    with pytest.raises(ContractViolation, match="not served without a session"):
        await Serving._result(object.__new__(Serving), retrieved, None, bench.principal)
    with pytest.raises(ContractViolation, match="is no series"):
        await Serving._series(object.__new__(Serving), retrieved, None, None)
