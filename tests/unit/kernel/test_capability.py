"""The entry of a capability: what it reads, what it asks the gate for, and what it refuses to be."""

from __future__ import annotations

import pytest

from app.kernel.capability import ARGUMENTS_BYTES_MAX, Capability, Example
from app.kernel.errors import ContractViolation, RequestInvalid
from app.kernel.models import FrozenModel
from app.kernel.request import read_request


class Wanted(FrozenModel):
    name: str
    sizes: tuple[int, ...] = ()


class Input(FrozenModel):
    question: str
    collection: str = "documents"
    wanted: tuple[Wanted, ...] = ()
    limit: int = 3


class Output(FrozenModel):
    text: str


def entry(**more):
    fields = {
        "name": "acme.lookup",
        "family": "tests",
        "title": "Look up",
        "description": "looks up",
        "kind": "retrieve",
        "input": Input,
        "output": Output,
        "plan": lambda given, request: None,
        "result": lambda given, outcome: Output(text="x"),
    }
    return Capability(**{**fields, **more})


GIVEN = {"question": "why?", "wanted": [{"name": "a", "sizes": [1, 2]}], "limit": 5}


def test_arguments_become_an_input_and_a_request_and_the_input_again():
    one = entry()
    given = one.read(GIVEN)
    assert given.wanted == (Wanted(name="a", sizes=(1, 2)),)
    request = one.request(given, clarified=True)
    assert (request.capability, request.question, request.collection) == ("acme.lookup", "why?", "documents")
    assert request.clarified
    assert [name for name, _ in request.arguments] == ["limit", "wanted"]
    assert one.input_of(request) == given


def test_the_schema_of_the_input_shows_the_example():
    bare, shown = entry().input_schema(), entry(example=Example(GIVEN, finds="text")).input_schema()
    assert "examples" not in bare
    assert shown == {**bare, "examples": [GIVEN]}


def test_an_input_without_a_question_asks_by_its_title_and_no_collection():
    class Page(FrozenModel):
        url: str

    request = entry(input=Page).request(Page(url="https://a.example/"))
    assert (request.question, request.collection) == ("Look up", None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "argument `question` is wrong"),
        ({**GIVEN, "limit": "5"}, "argument `limit` is wrong"),
        ({**GIVEN, "limit": 1.5}, "argument `limit` is wrong"),
        ({**GIVEN, "speed": 1}, "argument `speed` is wrong"),
        ({**GIVEN, "what ud800 says": 1}, "argument `(unknown name)` is wrong"),
        ({**GIVEN, "what ud800 says": "a\ud800"}, "argument `(unknown name)` is wrong: is not valid UTF-8"),
        ({**GIVEN, "a[ud800]": 1}, "the arguments do not fit: extra inputs are not permitted"),
        ({**GIVEN, "wanted": [{"name": "a"}, {"name": 3}]}, "argument `wanted.1.name` is wrong"),
        ({**GIVEN, "wanted": [{"name": "a\ud800"}]}, "argument `wanted.0.name` is wrong: is not valid UTF-8"),
        ({**GIVEN, "limit": float("nan")}, "not plain JSON"),
        ({"question": "x" * ARGUMENTS_BYTES_MAX}, "longer than"),
    ],
)
def test_a_wrong_argument_is_named_and_never_repeated(arguments, said):
    with pytest.raises(RequestInvalid) as caught:
        entry().read(arguments)
    assert said in str(caught.value)
    assert "ud800" not in str(caught.value)


def test_arguments_that_are_nested_too_deeply_or_in_a_circle_are_refused():
    deep: dict[str, object] = {}
    for _ in range(3_000):
        deep = {"wanted": deep}
    circle: list[object] = []
    circle.append(circle)
    for arguments in (deep, {"wanted": circle}):
        with pytest.raises(RequestInvalid, match="nested too deeply"):
            entry().read(arguments)


def test_size_is_counted_in_bytes_of_utf_8():
    assert entry().read({"question": "\u6f22" * 50_000}).question.startswith("\u6f22")


def test_what_the_input_says_cannot_be_said_beside_it():
    with pytest.raises(RequestInvalid, match="`collection` is part of the input"):
        entry().request(entry().read(GIVEN), collection="other")


def test_a_key_is_of_the_name_and_the_input_however_it_is_spelled():
    one = entry()
    spelled = one.read({**GIVEN, "collection": "documents"})
    assert one.cache_key(one.read(GIVEN)) == one.cache_key(spelled)
    assert one.cache_key(one.read({**GIVEN, "limit": 4})) != one.cache_key(spelled)
    assert entry(name="acme.other").cache_key(spelled) != one.cache_key(spelled)


@pytest.mark.ruling("R25")
@pytest.mark.parametrize(
    "wrong",
    [
        {"plan": None},
        {"result": None},
        {"compute": lambda given: given},
        {"kind": "compute"},
        {"kind": "store", "plan": None, "result": None},
        {"kind": "series", "plan": None, "result": None},
        {"needs": ("ledger",)},
        {"kind": "compute", "plan": None, "result": None, "compute": lambda given: given, "tools": ("t",)},
    ],
)
def test_an_entry_has_what_its_kind_is_run_by_and_nothing_else(wrong):
    with pytest.raises(ContractViolation, match=r"capability `acme\.lookup`"):
        entry(**wrong)


def test_arguments_that_a_request_brings_are_read_the_same_way():
    request = read_request(question="why?", capability="acme.lookup", arguments=(("limit", 9),))
    assert entry().input_of(request) == Input(question="why?", limit=9)


def test_only_a_session_can_be_stopped():
    with pytest.raises(ContractViolation, match="has no session that could be stopped"):
        entry(kind="compute", plan=None, result=None, compute=lambda given: None, stopped=lambda given, outcome: None)
