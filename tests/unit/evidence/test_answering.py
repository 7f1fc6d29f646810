"""Sentences, facets, contradictions, excerpts, the composer and the grounding check, each by itself."""

from __future__ import annotations

import pytest

from app.evidence.answering.answer_templates import is_template
from app.evidence.answering.composer import compose, without_foreign_marks
from app.evidence.answering.contradictions import contradictions_in
from app.evidence.answering.picked_sentences import PickedSentence
from app.evidence.confidence import ConfidenceInput, confidence_milli
from app.evidence.excerpts import Excerpt, without_marks
from app.evidence.grounding.claims_check import SourceText, check_grounding
from app.evidence.grounding.facets import facets_of
from app.evidence.grounding.report_lint import lint_report
from app.evidence.lateral import references_in, unread_in, unsettled_in
from app.kernel.canonical import sha256_hex
from app.kernel.errors import ContractViolation
from app.kernel.results import Source, SourceKind
from app.parsing.text.words.sentences import sentences_of


def source(text, name="a", kind=SourceKind.PASSAGE, **more):
    """An accepted source, as the gate makes them."""
    fields = {
        "source_id": sha256_hex(f"{name}{text}".encode()),
        "call_id": "i1.f1.docs",
        "tool": "doc_lookup",
        "kind": kind,
        "payload": "text",
        "locator": f"doc:documents/{name}.md",
        "title": "",
        "text": text,
        "metadata": (),
        "content_hash": sha256_hex(name.encode()),
        "text_hash": sha256_hex(name.encode()),
        "start": 10,
        "end": 10 + len(text),
        "relevance_milli": 900,
        "trust": "untrusted-external-content",
    }
    return Source(**{**fields, **more})


def said(text):
    return [text[one.start : one.end] for one in sentences_of(text)]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. A. Berg weighs 3.5 kg, e.g. of rye. Done.", ["Dr. A. Berg weighs 3.5 kg, e.g. of rye.", "Done."]),
        ("# Head\n\ntext that\ngoes on. End", ["# Head", "text that\ngoes on.", "End"]),
        ("- one item\n- two. Three.", ["one item", "two.", "Three."]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("\u6771\u4eac\u3067\u3059\u3002\u6b21\u3002", ["\u6771\u4eac\u3067\u3059\u3002", "\u6b21\u3002"]),
        ("", []),
        ("  \n\n ", []),
    ],
)
def test_sentences(text, want):
    assert said(text) == want


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        ("How deep is the lake?", ["How deep is the lake?"]),
        ("How deep is the lake? Who owns the mill?", ["How deep is the lake", "Who owns the mill"]),
        ("When was it built, who owns it and how tall is it?", ["When was it built", "who owns it", "how tall is it"]),
        ("What are the causes, signs and cures of rust?", ["causes of rust", "signs of rust", "cures of rust"]),
        ("Compare rye flour and wheat flour", ["rye flour", "wheat flour"]),
        ("A gate that opens, which is rare, needs oil.", ["A gate that opens, which is rare, needs oil."]),
        ("???", ["???"]),
    ],
)
def test_facets(question, labels):
    assert [facet.label for facet in facets_of(question)] == labels


def test_a_context_narrows():
    known = facets_of("How deep is the lake and who owns the mill?", "I already know how deep the lake is.")
    assert [facet.known for facet in known] == [True, False]
    focused = facets_of("What grows in Ennet?", "Focus on apples.")
    assert [facet.label for facet in focused] == ["What grows in Ennet?", "apples"]
    assert (focused[1].text, focused[1].topic) == ("apples", "Ennet")
    # Whoever asks only about what they know wants to hear more of it.
    assert not any(facet.known for facet in facets_of("How deep is the lake?", "I know how deep the lake is."))


def test_an_excerpt_is_a_slice_or_it_is_nothing():
    one = source("A rye loaf keeps for a week.")
    cut = Excerpt(one, 2, 10)
    assert (cut.text, cut.start, cut.end) == ("rye loaf", 12, 20)
    assert without_marks(Excerpt(one, 2, 10, cut_before=True, cut_after=True).shown) == "rye loaf"
    for low, high in ((5, 5), (-1, 3), (0, 99)):
        with pytest.raises(ContractViolation):
            Excerpt(one, low, high)
    with pytest.raises(ContractViolation):
        Excerpt(source("x" * 600), 0, 501)
    with pytest.raises(ContractViolation):
        Excerpt(source("A hit.", kind=SourceKind.HIT), 0, 3)
    with pytest.raises(ContractViolation):
        Excerpt(source("The screen took a character out.", end=50), 0, 3)


def test_every_part_of_an_answer_is_cited_or_a_template():
    texts = ("The lake is 34 metres deep. It is cold.", "The lake is 34 metres deep, and boats are rare on it.")
    found = compose(facets_of("How deep is the lake?"), [source(text, str(at)) for at, text in enumerate(texts)])
    assert found.text.startswith("The lake is 34 metres deep")
    for part in (part for group in found.paragraphs for part in group):
        assert part.kind == "sentence" or is_template(part.text)
        if part.kind == "sentence":
            assert part.text in " ".join(found.excerpts[part.citation - 1].text.split())
    assert compose(facets_of("How deep is the lake?"), []).excerpts == ()


def test_marks_of_a_source_are_not_taken_for_ours():
    assert without_foreign_marks("It is so[3] in [1, 2] places[citation needed].") == "It is so in places."


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The old bridge opened in 1934.", "The old bridge opened in 1936.", "date"),
        ("Rolled oats keep for a year in jars.", "Rolled oats keep for 2 years in jars.", "number"),
        ("Boats are allowed on the upper lake.", "Boats are not allowed on the upper lake.", "negation"),
        ("The old bridge opened in 1934.", "The new school opened in 1936.", ""),
        ("The lake is 34 metres deep.", "The lake is 34 metres deep in May.", ""),
        ("Proof the dough for 8 hours at 4 degrees.", "Proof the dough for 2 hours at 24 degrees.", ""),
    ],
)
def test_contradictions(one, other, kind):
    pair = [PickedSentence(source(text, text), 0, len(text), 1, 0, at, True) for at, text in enumerate((one, other))]
    assert [found.kind for found in contradictions_in(pair)] == ([kind] if kind else [])


def test_confidence_falls_by_fixed_amounts():
    given = {
        "match_milli": 900, "first_milli": 900, "first_is_best_milli": 1000, "margin_milli": 100, "sentence_milli": 800,
        "words_held": 5, "speaking": 3, "covered_milli": 1000, "contradiction": False, "budget_exhausted": False,
    }  # fmt: skip
    whole = confidence_milli(ConfidenceInput(**given))
    assert whole - confidence_milli(ConfidenceInput(**{**given, "contradiction": True})) == 150
    assert whole - confidence_milli(ConfidenceInput(**{**given, "budget_exhausted": True})) == 100
    assert confidence_milli(ConfidenceInput(**{**given, "covered_milli": 0})) == 0
    assert confidence_milli(ConfidenceInput(**{**given, "speaking": 1})) <= 890


def test_lateral_findings_have_their_source():
    read = source("See 10.5555/ennet.7 and NCT01234567. It is not known whether the old bridge carries lorries.")
    assert {one.identifier for one in references_in([read])} == {"10.5555/ennet.7", "NCT01234567"}
    (open_one,) = unsettled_in("Which lorries does the old bridge carry?", [read])
    assert open_one.text.startswith("It is not known")
    assert unsettled_in("Who owns the mill?", [read]) == ()


def test_a_claim_is_held_against_each_of_its_sources_and_never_across_two():
    sources = [
        SourceText(number=1, text="The mill of Anna Lind stands by the river"),
        SourceText(number=2, text="burned in 1871, it was built again by Eva Holm."),
    ]
    held = 'In 1871 the mill of Anna Lind "was built again by Eva Holm" they say [1-2].'
    assert [finding.kind for finding in check_grounding(held, sources).findings] == []
    across = 'The mill "stands by the river burned in 1871" and was gone [1, 2].'
    assert [finding.kind for finding in check_grounding(across, sources).findings] == ["quote_not_found"]


def test_a_text_is_checked_claim_by_claim():
    sources = [
        SourceText(number=1, text="The bridge at Ennet is 212 metres long and was painted in 2016."),
        SourceText(number=2, text="Nobody reads this one."),
    ]
    first = "The bridge at Ennet is 212 metres long [1]. It cost 9 million, says Mayor Keller. [1]"
    text = f'{first} It is "very steep indeed" [4].'
    report = check_grounding(text, sources)
    assert [claim.coverage for claim in report.claims] == ["addressed", "not_addressed", "source_unavailable"]
    assert [claim.citations for claim in report.claims] == [(1,), (1,), (4,)]
    kinds = [finding.kind for finding in report.findings]
    assert sorted(kinds) == ["dangling_marker", "name_not_found", "number_not_found", "uncited_source"]
    number = next(finding for finding in report.findings if finding.kind == "number_not_found")
    assert text[number.start : number.end] == "9"
    quoted = check_grounding('It "was painted in 2018" [1]. And nothing else is said here.', sources)
    assert {"quote_not_found", "uncited_claim"} <= {finding.kind for finding in quoted.findings}
    assert check_grounding("", []).claims == ()


def test_a_report_is_linted_by_its_structure():
    text = (
        "# Report\n\nOne fact [1] and more [3, 4] or [6-7].\n\n`[9]` is code.\n\n## Sources\n\n"
        "[1] A: https://a.example/x\n[2] B: https://b.example/\n[3] C: https://www.a.example/x/\n[4] D\n[6] F\n"
    )
    report = lint_report(text)
    assert (report.has_source_section, report.sources) == (True, 5)
    found = {(one.kind, one.number) for one in report.findings}
    assert found == {
        ("dangling_marker", 7),
        ("uncited_source", 2),
        ("duplicate_source", 3),
        ("numbering_gap", 6),
    }
    for one in report.findings:
        assert text[one.start : one.end]
    assert lint_report("No markers and no list.").has_source_section is False


def test_places_that_were_met_and_not_read():
    asked = {1: "How tall is the Brenna lighthouse?", 2: "Who keeps the ferry at Tornsund?"}
    hit = source("The Brenna lighthouse is tall.", "h", SourceKind.HIT, locator="https://www.light.example/brenna/")
    read = source("The lighthouse.", "r", SourceKind.FETCHED, locator="https://read.example/light")
    same = source("The Brenna lighthouse is tall.", "s", SourceKind.HIT, locator="http://read.example/light/")
    off = source("Bread is baked in an oven.", "o", SourceKind.HIT, locator="https://bread.example/")
    text = (
        "The ferry at Tornsund is kept by those of https://ferry.example/keepers. Bread: https://oven.example/a. "
        "The Brenna lighthouse is tall (https://read.example/light#top)."
    )
    found = unread_in(asked, (hit, read, same, off), (source(text, "c"),))
    assert [(one.locator, one.facet) for one in found] == [
        ("https://www.light.example/brenna/", 1),
        ("https://ferry.example/keepers", 2),
    ]
    assert unread_in(asked, (read, off), ()) == ()
