"""The plans: fixed, pure, and content with less when the grant is small."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from app.capabilities import registry
from app.capabilities.registry import CAPABILITIES
from app.kernel.calls import Done
from app.kernel.caps import PolicyCaps
from app.kernel.errors import RequestInvalid
from app.kernel.outcome import SoFar
from app.kernel.request import Grant, read_request
from app.kernel.results import CallOutcome, OutcomeStatus, Source, SourceKind
from app.research.serving import PORTS
from app.system.catalog_files import read_catalog

CAPS = PolicyCaps(
    max_tool_calls_total=5,
    max_tool_calls_per_minute=10,
    per_call_timeout_ms=5_000,
    total_research_timeout_ms=15_000,
    budget_units_clamp=500,
)
GRANT = Grant(
    session_id="s",
    subject="t/u",
    tenant="t",
    tier="PRO",
    environment="prod",
    collection="documents",
    started_at_ms=0,
    caps=CAPS,
    budget_units=500,
    allowed_tools=("doc_lookup",),
)
HASH = "c" * 64
SOURCE = Source(
    source_id=HASH,
    call_id="a",
    tool="doc_lookup",
    kind=SourceKind.PASSAGE,
    payload="text",
    locator="doc:documents/a.md",
    title="",
    text="text",
    metadata=(),
    content_hash=HASH,
    text_hash=HASH,
    start=0,
    end=4,
    relevance_milli=1000,
    trust="untrusted-external-content",
)


def _done(number):
    return CallOutcome(
        call_id=f"x{number}", branch="main", tool="doc_lookup", status=OutcomeStatus.EMPTY, spent_units=1, elapsed_ms=1
    )


def _so_far(calls, sources=(), calls_left=5, units_left=500):
    outcomes = tuple(_done(number) for number in range(calls))
    return SoFar(sources=sources, outcomes=outcomes, calls_left=calls_left, units_left=units_left)


# What a capability cannot be asked without.
PLANNED = sorted(name for name, capability in CAPABILITIES.items() if capability.plan is not None)
SEARCHES = ("academic_search", "image_search", "news_search", "search_and_scrape", "web_search")
NEEDED = {
    "scrape_page": (("url", "https://shop.example/a"),),
    **dict.fromkeys(SEARCHES, (("query", "rye"),)),
}


def _plan(name, arguments=(), **fields):
    given = (*NEEDED.get(name, ()), *arguments)
    request = read_request(question="why?", capability=name, arguments=given, **fields)
    return CAPABILITIES[name].plan(CAPABILITIES[name].input_of(request), request)


@pytest.mark.clause("3.5")
def test_asking_takes_one_call_whose_passages_must_speak_to_the_question():
    plan = _plan("ask_documents", arguments=(("limit", 7),))
    (call,) = plan.next_step(GRANT, _so_far(0)).calls
    assert (call.param("query"), call.param("limit"), call.about) == ("why?", 7, "why?")
    assert plan.next_step(GRANT, _so_far(1)) == Done(why="complete")


@pytest.mark.clause("3.5")
def test_searching_takes_one_call():
    plan = _plan("search_documents", arguments=(("limit", 7),))
    (call,) = plan.next_step(GRANT, _so_far(0)).calls
    assert (call.param("limit"), call.about) == (7, "")
    assert plan.next_step(GRANT, _so_far(1)) == Done(why="complete")


@pytest.mark.clause("4.2")
@pytest.mark.parametrize("name", PLANNED)
def test_the_same_request_gives_the_same_plan(name):
    assert _plan(name) == _plan(name)
    assert _plan(name).next_step(GRANT, _so_far(0)) == _plan(name).next_step(GRANT, _so_far(0))


@pytest.mark.clause("3.5")
@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        ((), ("text", 50_000)),
        ((("mode", "preview"), ("max_length", 99)), ("text", 5_000)),
        ((("mode", "raw"), ("max_length", 10**9)), ("raw", 5_000_000)),
        ((("form", "markdown"),), ("markdown", 50_000)),
    ],
)
def test_reading_a_page_takes_one_call(asked, wanted):
    plan = _plan("scrape_page", arguments=asked)
    (call,) = plan.next_step(GRANT, _so_far(0)).calls
    assert (call.param("form"), call.param("max_length")) == wanted
    assert call.param("url") == "https://shop.example/a"
    assert plan.next_step(GRANT, _so_far(1)) == Done(why="complete")


@pytest.mark.parametrize("name", PLANNED)
@pytest.mark.parametrize("arguments", [(("limit", 0),), (("limit", 21),), (("limit", "3"),), (("speed", 3),)])
def test_wrong_arguments_are_named(name, arguments):
    with pytest.raises(RequestInvalid, match=f"argument `{arguments[0][0]}` is wrong"):
        _plan(name, arguments=arguments)


def test_the_registry_has_a_case_for_each_name_and_a_name_for_each_case():
    tree = ast.parse(Path(registry.__file__).read_text(encoding="utf-8"))
    cases = [one.value.value for one in ast.walk(tree) if isinstance(one, ast.MatchValue)]
    assert sorted(cases) == sorted(CAPABILITIES)
    assert all(CAPABILITIES[name].name == name and name in CAPABILITIES for name in cases)
    assert "nothing" not in CAPABILITIES
    with pytest.raises(KeyError):
        CAPABILITIES["nothing"]


def test_ours_name_tools_and_ports_that_are_there():
    """A gate checks this of a host's capabilities alone, since ours are loaded when they are asked for."""
    listed = {tool.name for tool in read_catalog().tools.tools}
    assert {tool for one in CAPABILITIES.values() for tool in one.tools} <= listed
    assert {port for one in CAPABILITIES.values() for port in one.needs} <= set(PORTS)


def test_the_registry_and_the_frozen_tools_fit():
    listed = {tool.name for tool in read_catalog().tools.tools}
    for name, capability in CAPABILITIES.items():
        assert capability.name == name
        if name not in PLANNED:
            continue
        step = _plan(name).next_step(GRANT, _so_far(0))
        assert {call.tool for call in step.calls} <= set(capability.tools) <= listed
        assert SourceKind.REPORTED not in _plan(name).counts


@pytest.mark.parametrize("capability", ["ask_documents", "search_documents"])
def test_documents_are_asked_for_by_their_collection(capability):
    request = read_request(question="Why is my loaf so dense?", capability=capability, collection=None)
    with pytest.raises(RequestInvalid, match="argument `collection` is wrong"):
        CAPABILITIES[capability].input_of(request)
