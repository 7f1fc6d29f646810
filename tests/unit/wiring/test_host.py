"""Tools, capabilities and settings that a host passes to a real gate, and what of it is refused."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from pydantic import ValidationError
from tests.unit.wiring.shelves import COUNT, ENTRY, WHO, CountOutput, Shelf, gate_with, refusal_of

from app import ContractViolation, RawResult, RequestInvalid, Settings, ToolEntry, open_gate

GUIDE = (Path(__file__).parents[3] / "docs" / "adding-a-tool.md").read_text(encoding="utf-8")


def _named(name, **more):
    return dataclasses.replace(COUNT, name=name, **more)


async def _serve(given, ports, principal):
    return CountOutput(found=len(ports))


def _kept(*needs):
    functions = {"plan": None, "result": None, "serve": _serve}
    return _named("acme.kept", kind="store", tools=(), needs=needs, **functions)


def _tool(**more):
    """A tool with another entry, or with attributes of its own."""
    return type("Odd", (Shelf,), more)()


def _entry(**more):
    return ToolEntry(**{**ENTRY, **more})


class OnlyCall:
    async def call(self, call, context):
        raise NotImplementedError


class OnlyEntry:
    entry = Shelf.entry


BLOCKING = _tool(call=lambda self, call, context: RawResult(status="empty"))


@pytest.mark.ruling("R24")
@pytest.mark.parametrize(
    ("tools", "said"),
    [
        ([_tool(entry=_entry(name="doc_lookup"))], "host tool `doc_lookup` has the name of another tool"),
        ([Shelf(), Shelf()], "host tool `acme.shelf` has the name of another tool"),
        ([OnlyCall()], "host tool `OnlyCall` has no `entry` of type ToolEntry"),
        ([_tool(entry=ENTRY)], "host tool `Odd` has no `entry` of type ToolEntry"),
        ([None], "host tool `NoneType` has no `entry` of type ToolEntry"),
        (["acme.shelf"], "host tool `str` has no `entry` of type ToolEntry"),
        ([Shelf], "host tool `Shelf` is a class: pass an object of it"),
        ([OnlyEntry()], "host tool `acme.shelf` has no coroutine `call`"),
        ([BLOCKING], "host tool `acme.shelf` has no coroutine `call`"),
        ([_tool(call="call")], "host tool `acme.shelf` has no coroutine `call`"),
    ],
    ids=["ours", "twice", "no entry", "dict", "None", "str", "class", "no call", "not a coroutine", "not callable"],
)
async def test_a_tool_that_cannot_be_used_is_refused_when_the_gate_opens(tmp_path, tools, said):
    assert await refusal_of(tmp_path, tools=tools) == said
    assert not (tmp_path / "data").exists()


@pytest.mark.ruling("R24")
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"price_units": 0}, "price_units"),
        ({"price_units": None}, "price_units"),
        ({"schemes": ()}, "schemes"),
        ({"schemes": ("javascript",)}, "the scheme `javascript` is never a locator"),
        ({"schemes": ("acme", "data")}, "the scheme `data` is never a locator"),
        ({"schemes": ("file",)}, "the scheme `file` is never a locator"),
        ({"schemes": ("JavaScript",)}, "schemes"),
        ({"name": "a shelf"}, "name"),
        ({"max_output_bytes": -1}, "max_output_bytes"),
        ({"effect": "any"}, "effect"),
    ],
    ids=lambda value: "-".join(map(str, value.items())) if isinstance(value, dict) else "",
)
def test_an_entry_that_cannot_be_used_cannot_be_made(more, said):
    with pytest.raises(ValidationError, match=said):
        _entry(**more)


def test_an_entry_without_a_price_cannot_be_made():
    with pytest.raises(ValidationError, match="price_units"):
        ToolEntry(**{name: value for name, value in ENTRY.items() if name != "price_units"})


PREFIX = "needs a prefix of its own, such as"


@pytest.mark.ruling("R24")
@pytest.mark.parametrize(
    ("capabilities", "said"),
    [
        ([_named("count")], f"capability `count` {PREFIX} `acme.count`"),
        ([_named("ask_documents")], f"capability `ask_documents` {PREFIX} `acme.ask_documents`"),
        ([_named("portcullis.count")], f"capability `portcullis.count` {PREFIX} `acme.portcullis.count`"),
        ([_named(".count")], f"capability `.count` {PREFIX} `acme..count`"),
        ([_named("acme.")], f"capability `acme.` {PREFIX} `acme.acme.`"),
        ([_named("acme.two words")], "the name of capability `acme.two words` is not an identifier"),
        ([COUNT, COUNT], "capability `acme.count` is there twice"),
        (
            [_named("acme.count", tools=("acme.drawer",))],
            "capability `acme.count` names the tool `acme.drawer`, which is not there",
        ),
        ([_kept("clock", "sockets")], "capability `acme.kept` needs the port `sockets`, which is not there"),
        (["acme.count"], "`str` is not a Capability"),
        ([Shelf()], "`Shelf` is not a Capability"),
    ],
    ids=["prefix", "ours", "reserved", "no prefix", "no name", "words", "twice", "tool", "port", "str", "a tool"],
)
async def test_a_capability_that_cannot_be_used_is_refused_when_the_gate_opens(tmp_path, capabilities, said):
    assert await refusal_of(tmp_path, tools=[Shelf()], capabilities=capabilities) == said
    assert not (tmp_path / "data").exists()


def test_a_capability_without_its_functions_cannot_be_made():
    with pytest.raises(ContractViolation, match="wrong or missing `plan`"):
        _named("acme.count", plan=None)


@pytest.mark.ruling("R25")
async def test_ports_that_are_there_are_handed_over_and_no_others(tmp_path):
    async with gate_with(tmp_path, capabilities=[_kept("clock", "content")]) as gate:
        answer = await gate.call("acme.kept", {}, WHO)
    assert answer.result == CountOutput(found=2)


async def test_an_environment_that_the_caps_do_not_know_is_refused_with_those_they_do(tmp_path):
    settings = Settings(data_dir=tmp_path / "data", environment="production")
    with pytest.raises(RequestInvalid, match=r"^environment `production` is not one of dev, staging, prod$"):
        async with open_gate(settings=settings):
            pytest.fail("the gate was opened")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("brought", "said"),
    [
        ({"tools": Shelf()}, "`tools` must be a list, also where there is only one"),
        ({"capabilities": COUNT}, "`capabilities` must be a list, also where there is only one"),
        ({"collections": ["documents"]}, "`collections` must name a folder for each tenant, such as"),
        ({"collections": {"acme": 5}}, "`collections`: the folder of tenant `acme` is not a path"),
        ({"collections": {"acme": {"letters": None}}}, "`collections`: the folder of tenant `acme` is not a path"),
        ({"caps": {}}, "`caps` must be the path of a caps table"),
        ({"documents": 5}, "the folder of documents is not a path"),
        ({"documents": ["letters"]}, "the folder of documents is not a path"),
    ],
)
async def test_an_argument_of_another_type_is_refused_by_its_name(tmp_path, brought, said):
    assert (await refusal_of(tmp_path, **brought)).startswith(said)


@pytest.mark.parametrize("settings", ["dev", {"environment": "dev"}])
async def test_settings_are_made_and_not_written_by_hand(settings):
    with pytest.raises(RequestInvalid, match="`settings` are no Settings: make them with `settings_from`"):
        async with open_gate(settings=settings):
            pytest.fail("the gate was opened")


def test_the_guide_names_every_refusal():
    for said in ("has the name of another tool", "is a class: pass an object of it", "has no coroutine", PREFIX):
        assert said in GUIDE
    for said in ("is there twice", "is not a Capability", "which is not there", "is not an identifier"):
        assert said in GUIDE
