"""Forged research results: none of them holds, whether or not the session can be run again."""

from __future__ import annotations

import asyncio
import json
import shutil

import pytest

from app import Principal, Researcher, Settings, open_archive, open_gate
from app.kernel.errors import RequestInvalid

WHO = Principal(tenant="acme", user="u1", tier="MAX", collections=("documents",))
PAGES = {
    "mill.md": "# The Harrow mill\n\nThe Harrow mill was built in 1871. It belongs to the Lindqvist family today.\n",
    "output.md": "# Output of the Harrow mill\n\nThe Harrow mill grinds 40 tonnes of flour a week in winter.\n",
    "rye.md": "# Keeping rye\n\nA rye loaf keeps for a week if it is wrapped in linen. Rye dough is sticky.\n",
    "rye2.md": "# Rye at home\n\nWrapped in linen, a rye loaf keeps for about seven days in a cool room.\n",
    "oats.md": "# Oats\n\nOats are rolled and then steamed. Rolled oats keep for a year in a dry jar.\n",
}
QUESTIONS = {
    "one": "How long does a rye loaf keep?",
    "parts": "When was the Harrow mill built, and what is the salary of the director of the observatory?",
    "none": "Who won the chess tournament in Reykjavik?",
}


async def _asked(folder):
    docs = folder / "docs"
    docs.mkdir()
    for name, text in PAGES.items():
        (docs / name).write_text(text, encoding="utf-8")
    found = {}
    async with open_gate(docs, settings=Settings(data_dir=folder / "data")) as gate:
        for name, question in QUESTIONS.items():
            found[name] = (await Researcher(gate, WHO).research(question)).model_dump(mode="json")
        other = await Researcher(gate, WHO).research("How long do rolled oats keep?")
        found["other"] = other.model_dump(mode="json")
        asked = await gate.call("ask_documents", {"question": QUESTIONS["one"]}, WHO)
        found["ask"] = {**found["one"], "trace_id": asked.outcomes[0].session_id}
    return found


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("forgeries")
    return folder / "data", asyncio.run(_asked(folder))


def _answer(change):
    def forge(result):
        result["answer"] = change(result["answer"])

    return forge


def _first(name, value):
    def forge(result):
        result["citations"][0][name] = value

    return forge


def _part(name, field, value):
    def forge(result):
        result[name][field] = value

    return forge


def _field(name, value):
    def forge(result):
        result[name] = value

    return forge


def _evidence(name, change):
    def forge(result):
        place = result["citations"][0]["evidence"]
        place[name] = change(place[name])

    return forge


def _moved(result):
    place = result["citations"][0]["evidence"]
    place["start"], place["end"] = place["start"] + 1, place["end"] + 1


def _no_citations(result):
    result["citations"] = []


def _other_excerpt(result):
    cited = result["citations"][0]
    cited["raw_excerpt"] = cited["raw_excerpt"].replace("week", "year").replace("seven", "eight")


def _swapped(result):
    result["citations"].reverse()


def _twice(result):
    result["citations"].append(result["citations"][0])


def _unread(result):
    result["citations"][0] = {**result["citations"][0], "source": "web", "locator": "https://example.org/mill"}


def _no_gap(result):
    result["gaps"] = []


def _other_gap(result):
    result["gaps"][0]["category"] = "access_denied"


def _cheaper_gap(result):
    result["gaps"][0]["price_units"] = 0


def _found_after_all(result):
    result["answer"] = "\n\n".join(part for part in result["answer"].split("\n\n") if not part.startswith("Not "))


DISCOVERY = {
    "type": "related_research", "suggested_researcher": "arxiv", "query": "x", "reason": "y", "source_locator": None,
}  # fmt: skip
QUESTION = {"question": "Why?", "context": "c", "priority": "high", "source_locator": None}
DISMISSED = "Not found in the sources: nothing. The finance director was dismissed in 2025."
# By hand: the result, what is done to it, and whether the record alone tells, without running the session again.
FORGERIES = {
    "a note that makes a claim": ("one", _answer(lambda text: f"{text}\n\n{DISMISSED}"), True),
    "a heading that makes a claim": (
        "one", _answer(lambda text: f"The salary of the director is 400,000 EUR, did you know?\n\n{text}"), True,
    ),
    "a heading with about": ("one", _answer(lambda text: f"About the director who was dismissed:\n\n{text}"), True),
    "a note of what was not tried": (
        "one", _answer(lambda text: f"{text}\n\nNot looked up within the budget: the dismissal of Bob."), True,
    ),
    "a note over two lines": ("one", _answer(lambda text: f"{text}\n\nAbout the mill:\nBob is the mayor:"), True),
    "a sentence without a mark": ("one", _answer(lambda text: f"{text}\n\nThe mayor is Bob."), True),
    "a sentence with a mark": ("one", _answer(lambda text: f"{text}\n\nThe mayor is Bob. [1]"), True),
    "a mark without a sentence": ("one", _answer(lambda text: f"{text}\n\n[1]"), True),
    "a mark without a citation": ("one", _answer(lambda text: text.replace("[1]", "[9]")), True),
    "a mark of zero": ("one", _answer(lambda text: text.replace("[1]", "[0]")), True),
    "a mark inside a sentence": ("one", _answer(lambda text: text.replace(" a ", " a [1] ", 1)), True),
    "a negated sentence": ("one", _answer(lambda text: text.replace("keeps", "never keeps")), True),
    "another number": ("one", _answer(lambda text: text.replace("seven", "nine").replace("week", "month")), True),
    "a caveat left out": (
        "parts", _answer(lambda text: text.replace("The answer rests on a single source.", "")), False,
    ),
    "a caveat that is not true": (
        "one", _answer(lambda text: f"{text}\n\nThe answer rests on a single source."), False,
    ),
    "a difference that is not there": ("one", _answer(lambda text: f"The sources differ here: {text}"), False),
    "a note left out": ("parts", _found_after_all, False),
    "the answer of another question": ("other", _field("trace_id", ""), True),
    "an empty answer": ("one", _field("answer", ""), True),
    "an answer without citations": ("one", _no_citations, True),
    "nothing was asked, and it answers": ("none", _field("answer", "The mayor is Bob."), True),
    "nothing was found, and it says so in its own words": (
        "none", _field("answer", "No sources are available for this request. Bob won."), True,
    ),
    "nothing was found, and it asks back": ("none", _field("answer", "Could you tell me your password?"), True),
    "nothing was found, with confidence": ("none", _field("confidence", 0.9), True),
    "nothing was found, with a discovery": ("none", _field("discovery_events", [DISCOVERY]), True),
    "nothing was found, with a question": ("none", _field("open_questions", [QUESTION]), True),
    "full confidence": ("one", _field("confidence", 1.0), False),
    "no confidence": ("one", _field("confidence", 0.0), False),
    "a foreign title": ("one", _first("title", "Official statement of the ministry"), True),
    "no title": ("one", _first("title", None), True),
    "an invented snippet": ("one", _first("snippet", "Bob says that a rye loaf keeps for a year in a jar."), True),
    "an empty snippet": ("one", _first("snippet", ""), True),
    "a sure citation": ("one", _first("confidence", 1.0), False),
    "another excerpt": ("one", _other_excerpt, True),
    "an excerpt of nothing": ("one", _first("raw_excerpt", "[non-text source]"), True),
    "a file that is said to be the web": ("one", _first("source", "web"), True),
    "a source that was not read": ("one", _unread, True),
    "another document": ("one", _first("locator", "doc:documents/mill.md#0"), True),
    "no place": ("one", _first("evidence", None), True),
    "another place": ("one", _moved, True),
    "other bytes": ("one", _evidence("content_hash", lambda _: "0" * 64), True),
    "another text": ("one", _evidence("text_hash", lambda _: "0" * 64), True),
    "citations in another order": ("one", _swapped, True),
    "a citation more": ("one", _twice, True),
    "gaps left out": ("parts", _no_gap, False),
    "a gap of another kind": ("parts", _other_gap, False),
    "a gap without a price": ("parts", _cheaper_gap, False),
    "an invented discovery": ("one", _field("discovery_events", [DISCOVERY]), False),
    "an invented question": ("one", _field("open_questions", [QUESTION]), False),
    "more that agree": ("one", _part("confidence_factors", "num_corroborating_sources", 9), False),
    "a higher authority": ("one", _part("confidence_factors", "source_authority", "high"), False),
    "no contradiction": ("one", _part("confidence_factors", "contradiction_detected", True), False),
    "a better match": ("one", _part("confidence_factors", "query_specificity_match", 0.01), False),
    "a budget that was kept": ("one", _part("confidence_factors", "budget_exhausted", True), False),
    "a newer source": ("one", _part("confidence_factors", "recency", "current"), False),
    "a cheaper session": ("one", _part("cost_metadata", "tokens_used", 1), False),
    "fewer iterations": ("one", _part("cost_metadata", "iterations_run", 0), False),
    "a faster session": ("one", _part("cost_metadata", "wall_time_sec", 0.0), False),
}  # fmt: skip


def _forged(honest, name):
    of, forge, alone = FORGERIES[name]
    data, found = honest
    result = json.loads(json.dumps(found[of]))
    forge(result)
    result["trace_id"] = result["trace_id"] or found["one"]["trace_id"]
    assert result != found[of], "the forgery changes nothing"
    return open_archive(Settings(data_dir=data)), json.dumps(result).encode(), alone


def _refuse(self, session_id):
    raise RequestInvalid(f"session `{session_id}` cannot be run again: its caps table is missing")


def test_there_are_enough_forgeries(honest):
    assert len(FORGERIES) >= 50
    archive = open_archive(Settings(data_dir=honest[0]))
    for name in ("one", "parts", "none", "other"):
        report = archive.audit(json.dumps(honest[1][name]).encode())
        assert report.holds, (name, report)
        assert report.compared
    assert len(honest[1]["one"]["citations"]) >= 2
    assert honest[1]["parts"]["citations"]
    assert honest[1]["parts"]["gaps"]


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_result_does_not_hold(honest, name, monkeypatch):
    archive, forged, alone = _forged(honest, name)
    report = archive.audit(forged)
    assert report.faults, report
    assert not report.holds
    if alone:  # the record tells by itself, also where the session cannot be run again
        monkeypatch.setattr(type(archive), "research_result", _refuse)
        report = archive.audit(forged)
        assert report.faults, report
        assert not report.compared


def _every_number_and_text(value, path=()):
    """Every leaf of a result with the path to it."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _every_number_and_text(one, (*path, name))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from _every_number_and_text(one, (*path, place))
    else:
        yield path, value


def _other(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value / 2 if isinstance(value, float) and value else value + 1
    return f"{value} " if isinstance(value, str) else None


def test_no_field_can_be_changed_alone(honest):
    data, found = honest
    archive = open_archive(Settings(data_dir=data))
    result, seen = found["parts"], 0
    for path, value in list(_every_number_and_text(result)):
        if value is None or path == ("trace_id",):
            continue
        forged = json.loads(json.dumps(result))
        at = forged
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = _other(value)
        try:
            report = archive.audit(json.dumps(forged).encode())
        except RequestInvalid:
            continue  # it does not even have the form of a result
        assert report.faults, path
        seen += 1
    assert seen >= 25


def test_a_result_with_a_name_twice_is_none(honest):
    data, found = honest
    archive = open_archive(Settings(data_dir=data))
    told = json.dumps(found["one"])
    twice = told.replace('{"answer":', '{"answer": "The mayor is Bob.", "answer":', 1)
    assert json.loads(twice) == found["one"]
    for text in (twice, "{}", "[]", "[" * 100_000, '{"answer": NaN}'):
        with pytest.raises(RequestInvalid):
            archive.audit(text.encode())


def test_a_session_of_another_kind_is_no_proof(honest):
    data, found = honest
    report = open_archive(Settings(data_dir=data)).audit(json.dumps(found["ask"]).encode())
    assert report.faults == ("the session that it names is not a research session",)


def test_what_is_not_here_is_not_verified(honest):
    data, found = honest
    archive = open_archive(Settings(data_dir=data))
    for trace_id in ("0" * 36, "../../etc/passwd", ""):
        report = archive.audit(json.dumps({**found["one"], "trace_id": trace_id}).encode())
        assert report.faults == ()
        assert report.recut == 0
        assert not report.holds
        assert "could not be checked" in report.unchecked[0]
        assert "could not be compared" in report.unchecked[1]
    forged = {**found["one"], "trace_id": "x", "answer": "The mayor is Bob."}
    assert archive.audit(json.dumps(forged).encode()).faults


def test_what_was_erased_is_not_verified(honest, tmp_path):
    data, found = honest
    copy = tmp_path / "data"
    shutil.copytree(data, copy)
    archive = open_archive(Settings(data_dir=copy))
    archive.erase(found["one"]["trace_id"], shared=True)
    report = archive.audit(json.dumps(found["one"]).encode())
    assert report.faults == ()
    assert not report.holds
    assert any("cut from the store" in one for one in report.unchecked)
    assert any("bound to the question" in one for one in report.unchecked)


def test_an_answer_that_a_model_worded_is_held_by_words(honest):
    data, found = honest
    archive = open_archive(Settings(data_dir=data))
    worded = json.loads(json.dumps(found["one"]))
    worded["cost_metadata"]["model_id"] = "scripted-model"
    excerpt = worded["citations"][0]["raw_excerpt"]
    sentence = next(one for one in excerpt.split(". ") if "keeps" in one).rstrip(".")
    worded["answer"] = f"{sentence}. [1]"
    report = archive.audit(json.dumps(worded).encode())
    assert report.faults == ()
    assert report.cited == 1
    assert not report.holds
    assert "worded by a model" in report.unchecked[0]
    for answer in ("The mayor is Bob. [1]", f"{sentence}. [7]", "The mayor is Bob.", "", f"{sentence}. [1] Bob."):
        worded["answer"] = answer
        assert archive.audit(json.dumps(worded).encode()).faults, answer
    worded["answer"], worded["confidence"] = f"{sentence}. [1]", 1.0
    assert archive.audit(json.dumps(worded).encode()).faults


def test_marks_between_many_spaces_are_read_in_linear_time(honest):
    data, found = honest
    forged = {**found["one"], "answer": f"x{' ' * 200_000}y [1{' ' * 200_000}]"}
    assert open_archive(Settings(data_dir=data)).audit(json.dumps(forged).encode()).faults
