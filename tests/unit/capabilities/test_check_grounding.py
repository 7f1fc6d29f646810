"""`check_grounding` over a list, a result, and a session of one's own."""

from __future__ import annotations

import asyncio

import pytest

from app import Principal, Researcher, Settings, open_archive, open_gate
from app.research.serving import NO_SESSIONS

WHO = Principal(tenant="acme", user="u1", tier="MAX", collections=("documents",))
PAGES = {
    "mill.md": "# The Harrow mill\n\nThe Harrow mill was built in 1871. It belongs to the Lindqvist family today.\n",
    "rye.md": "# Keeping rye\n\nA rye loaf keeps for a week if it is wrapped in linen. Rye dough is sticky.\n",
    "rye2.md": "# Rye at home\n\nWrapped in linen, a rye loaf keeps for about seven days in a cool room.\n",
}
QUESTION = "When was the Harrow mill built, how long does a rye loaf keep, and what is the salary of the director?"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grounding")
    docs = folder / "docs"
    docs.mkdir()
    for name, text in PAGES.items():
        (docs / name).write_text(text, encoding="utf-8")

    async def record():
        async with open_gate(docs, settings=Settings(data_dir=folder / "data")) as gate:
            result = await Researcher(gate, WHO).research(QUESTION)
            asked = await gate.call("ask_documents", {"question": "How long does a rye loaf keep?"}, WHO)
            none = await Researcher(gate, WHO).research("Who won the chess tournament?")
            return result, asked.outcomes[0], none.trace_id

    return docs, folder / "data", asyncio.run(record())


async def _checked(place, text, sources, who=WHO):
    docs, data, _ = place
    async with open_gate(docs, settings=Settings(data_dir=data)) as gate:
        return (await gate.call("check_grounding", {"text": text, "sessionOrBundle": sources}, who)).result


async def test_a_session_says_what_its_result_says(place):
    result = place[2][0]
    by_id = await _checked(place, result.answer, result.trace_id)
    assert by_id == await _checked(place, result.answer, result.model_dump(mode="json"))
    assert by_id.claims
    assert all(claim.coverage == "addressed" for claim in by_id.claims)
    # Headings, caveats and notes of our own claim nothing.
    assert [one for one in by_id.findings if one.kind == "uncited_claim"] == []
    forged = await _checked(place, "Not found in the sources: the director was dismissed in 2025.", result.trace_id)
    assert [one.kind for one in forged.findings][:1] == ["uncited_claim"]


async def test_a_session_of_another_capability_has_its_sources_in_their_order(place):
    outcome = place[2][1]
    said = [source.text.split("\n\n")[-1].split(". ")[0].rstrip(".") for source in outcome.bundle.sources]
    text = " ".join(f"{sentence}. [{number}]" for number, sentence in enumerate(said, start=1))
    report = await _checked(place, text, outcome.session_id)
    assert {claim.coverage for claim in report.claims} == {"addressed"}
    assert [one for one in report.findings if one.kind != "uncited_source"] == []


async def test_a_session_of_somebody_else_is_not_there(place):
    result, _, none = place[2]
    unknown = await _checked(place, "Rye keeps. [1]", "00000000-0000-4000-8000-000000000000")
    assert unknown.error.kind == "not_found"
    others = [
        WHO.model_copy(update={"tenant": "other"}),
        WHO.model_copy(update={"user": "u2"}),
        WHO.model_copy(update={"collections": ()}),
    ]
    for who in others:
        assert await _checked(place, "Rye keeps. [1]", result.trace_id, who) == unknown
    for name in ("../" * 3, "x", none):
        assert await _checked(place, "Rye keeps. [1]", name) == unknown
    assert NO_SESSIONS.shown(WHO, result.trace_id) is None


async def test_an_erased_session_is_not_there(place):
    docs, data, _ = place
    async with open_gate(docs, settings=Settings(data_dir=data)) as gate:
        result = await Researcher(gate, WHO).research("Is rye dough sticky?")
        await asyncio.to_thread(open_archive(Settings(data_dir=data)).erase, result.trace_id, shared=False)
    assert (await _checked(place, "Rye is sticky. [1]", result.trace_id)).error.kind == "not_found"


async def test_templates_with_a_marker_are_claims(place):
    text = "What is the rye loaf kept in? [1] The sources differ here: Rye loaves keep for a whole week. [1]"
    report = await _checked(place, text, [{"text": "Rye loaves keep for a whole week."}])
    assert [text[claim.start : claim.end] for claim in report.claims] == [
        "What is the rye loaf kept in? [1]",
        "Rye loaves keep for a whole week. [1]",
    ]
