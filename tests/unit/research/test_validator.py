"""The validator, before and after: what is safe, what is worth keeping, and the check that trusts no table."""

from __future__ import annotations

from itertools import product

import pytest

from app.kernel.calls import ToolCall
from app.kernel.outcome import Verdict
from app.kernel.results import RejectionCode, ScreenedItem, SourceKind
from app.kernel.stops import Action, Cause, Signal, StopReason
from app.research.bundle import bundle_digest, freeze
from app.research.validator import accept, check, conclude

SCHEMES = ("doc", "http", "https")
CALL = ToolCall(call_id="a", tool="doc_lookup")
TEXT = "Salt slows the yeast down and makes the gluten firmer, so weigh it and do not guess."
HASH = "b" * 64


def _item(**fields):
    body = fields.get("body", TEXT)
    given = {
        "kind": "passage",
        "locator": "doc:documents/salt.md#0-10",
        "body": body,
        "content_hash": HASH,
        "text_hash": HASH,
        "end": len(body),
        "trust": "untrusted-external-content",
        "carriers_removed": 0,
        **fields,
    }
    return ScreenedItem.model_validate(given, strict=False)


def _code(item, call=CALL, before=()):
    judged = accept((item,), call, SCHEMES, "documents", before)
    return judged.rejections[0].code if judged.rejections else None


@pytest.mark.ruling("R17")
@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, None),
        ({"trust": None}, RejectionCode.UNSAFE_UNMARKED),
        ({"locator": "file:///etc/passwd"}, RejectionCode.UNSAFE_LOCATOR),
        ({"locator": "javascript:alert(1)"}, RejectionCode.UNSAFE_LOCATOR),
        ({"locator": "doc:documents/a b"}, RejectionCode.UNSAFE_LOCATOR),
        ({"locator": "doc:documents/" + "x" * 2_048}, RejectionCode.UNSAFE_LOCATOR),
        ({"locator": "doc:documents/x\n"}, RejectionCode.UNSAFE_LOCATOR),
        ({"end": 3}, RejectionCode.UNSAFE_SHAPE),
        ({"start": 9, "end": 3}, RejectionCode.UNSAFE_SHAPE),
        ({"locator": "doc:other/salt.md"}, RejectionCode.UNSAFE_SUBSTITUTE),
        ({"locator": "doc:documents/../salt.md"}, RejectionCode.UNSAFE_LOCATOR),
        ({"kind": "fetched", "locator": "https://a.example/", "requested": "x"}, RejectionCode.UNSAFE_SUBSTITUTE),
        ({"body": "", "end": 0}, RejectionCode.EMPTY),
        ({"body": " \n ", "end": 3}, RejectionCode.EMPTY),
        ({"body": "short text", "end": 10}, RejectionCode.TOO_SHORT),
        ({"body": "\ufffd" * 30, "end": 30}, RejectionCode.UNDECODABLE),
        ({"body": "\ufffd" * 3 + "r" * 27}, None),
        ({"body": "\ufffd" * 4 + "r" * 35}, RejectionCode.UNDECODABLE),
        ({"body": "just twenty letters."}, None),
        ({"body": "only nineteen here."}, RejectionCode.TOO_SHORT),
        ({"locator": "doc:documents/".ljust(2_048, "x")}, None),
        ({"locator": "doc:documents/".ljust(2_049, "x")}, RejectionCode.UNSAFE_LOCATOR),
        ({"start": 5, "end": 5 + len(TEXT)}, None),
        ({"kind": "hit", "start": 9, "end": 3}, RejectionCode.UNSAFE_SHAPE),
    ],
)
def test_one_candidate(fields, code):
    assert _code(_item(**fields)) == code


@pytest.mark.parametrize(
    ("locator", "schemes", "collection", "code"),
    [
        ("https://a.example/salt", ("doc", "https"), "documents", None),
        ("https://a.example/salt", ("doc", "https"), None, None),
        ("doc:documents/salt.md", ("doc", "https"), "documents", None),
        ("doc:documents/salt.md", ("doc", "https"), None, RejectionCode.UNSAFE_SUBSTITUTE),
        ("doc:other/salt.md", ("doc", "https"), "documents", RejectionCode.UNSAFE_SUBSTITUTE),
        ("wiki:salt", ("doc", "wiki"), "documents", RejectionCode.UNSAFE_SUBSTITUTE),
        ("http://a.example/salt", ("doc", "https"), "documents", RejectionCode.UNSAFE_LOCATOR),
    ],
)
def test_a_passage_stands_in_the_collection_or_on_a_page_that_its_tool_may_cite(locator, schemes, collection, code):
    judged = accept((_item(locator=locator),), CALL, schemes, collection, ())
    assert (judged.rejections[0].code if judged.rejections else None) == code


def test_a_page_that_was_asked_for_is_accepted():
    url = "https://a.example/page"
    call = ToolCall(call_id="a", tool="scrape", params=(("url", url),))
    assert _code(_item(kind="fetched", locator=url, requested=url), call) is None
    assert _code(_item(kind="hit", locator=url, body="", snippet=TEXT, end=0), call) is None


@pytest.mark.ruling("R17")
def test_duplicates_by_content():
    first = accept((_item(),), CALL, SCHEMES, "documents", ()).sources
    assert _code(_item(locator="doc:documents/copy.md"), before=first) is RejectionCode.DUPLICATE
    longer = " ".join(f"{TEXT} Rule {number}." for number in range(8))
    eight = accept((_item(body=longer),), CALL, SCHEMES, "documents", ()).sources
    assert _code(_item(body=longer.replace("Rule 7", "Rule 8")), before=eight) is RejectionCode.NEAR_DUPLICATE
    assert _code(_item(body=TEXT.replace("guess", "hurry")), before=first) is None
    assert _code(_item(body="Three words are not many but enough"), before=first) is None
    pages = [" ".join(f"word{(n * 7919 + page * 104729) % 5003}" for n in range(900)) for page in range(2)]
    long = accept((_item(body=pages[0]),), CALL, SCHEMES, "documents", ()).sources
    assert _code(_item(body=pages[1]), before=long) is None
    assert _code(_item(body=pages[0] + " And a last word."), before=long) is RejectionCode.NEAR_DUPLICATE
    tiny = accept((_item(body="extraordinarily unremarkable"),), CALL, SCHEMES, "documents", ()).sources
    assert _code(_item(body="Extraordinarily  unremarkable"), before=tiny) is RejectionCode.NEAR_DUPLICATE
    other = accept((_item(),), CALL, SCHEMES, "documents", first)
    assert (other.sources, other.signals) == ((), ())


@pytest.mark.ruling("R17")
def test_unsafe_candidates_signal_and_poor_ones_do_not():
    judged = accept((_item(trust=None), _item(body="short", end=5), _item()), CALL, SCHEMES, "documents", ())
    assert [signal.code for signal in judged.signals] == ["unsafe_unmarked"]
    assert [rejection.position for rejection in judged.rejections] == [0, 1]
    assert len(judged.sources) == 1
    assert conclude(3, 1) == conclude(0, 0) == ()
    assert conclude(3, 0)[0].reason is StopReason.VALIDATION_FAIL


@pytest.mark.ruling("R17")
def test_what_does_not_speak_to_the_question_is_no_source_and_its_absence_no_failure():
    asking = CALL.model_copy(update={"about": "Does salt slow yeast?"})
    off = CALL.model_copy(update={"about": "When was the company founded?"})
    (source,) = accept((_item(relevance_milli=3),), asking, SCHEMES, "documents", ()).sources
    assert source.relevance_milli == 1000, "the gate measures, whatever the tool said"
    judged = accept((_item(relevance_milli=1000), _item(trust=None)), off, SCHEMES, "documents", ())
    assert [rejection.code for rejection in judged.rejections] == [
        RejectionCode.OFF_TOPIC,
        RejectionCode.UNSAFE_UNMARKED,
    ]
    assert conclude(1, 0, judged.rejections[:1]) == ()
    (failed,) = conclude(2, 0, judged.rejections)
    assert (failed.cause, failed.value) == (Cause.NONE_ACCEPTED, 1)


def test_headings_and_another_spelling_count():
    call = CALL.model_copy(update={"about": "brining with slat"})
    assert _code(_item(), call) is RejectionCode.OFF_TOPIC
    under = {"metadata": (("heading", "Brining"),), "respelled": (("slat", "salt"),)}
    (source,) = accept((_item(**under),), call, SCHEMES, "documents", ()).sources
    assert (source.relevance_milli, source.respelled) == (1000, (("slat", "salt"),))
    plain = accept((_item(metadata=under["metadata"]),), CALL, SCHEMES, "documents", ()).sources
    assert source.source_id == plain[0].source_id, "what is asked makes no other source"


@pytest.mark.ruling("R17")
def test_who_asks_for_a_person_is_not_answered_by_passages_without_one():
    """A passage beside the one that gives the answer stays; where none gives it, all of them are off topic."""
    texts = (
        "a head of marketing at the bakery is planned for, and nothing came of it so far.",
        "The head of marketing at the bakery is Karen Friis.",
    )
    items = tuple(_item(body=text, end=len(text), text_hash=f"{at}" * 64) for at, text in enumerate(texts))
    call = CALL.model_copy(update={"about": "Who is the head of marketing at the bakery?"})
    assert [one.text for one in accept(items, call, SCHEMES, "documents", ()).sources] == list(texts)
    judged = accept((_item(body=""), *items[:1]), call, SCHEMES, "documents", ())
    assert judged.sources == ()
    assert [(one.position, one.code) for one in judged.rejections] == [
        (0, RejectionCode.EMPTY),
        (1, RejectionCode.OFF_TOPIC),
    ]
    # The text that is written from related passages has to hold the answer; that is judged where it is written.
    related = call.model_copy(update={"with_related": True})
    assert len(accept(items[:1], related, SCHEMES, "documents", ()).sources) == 1


def _sources(count):
    return accept((_item(),), CALL, SCHEMES, "documents", ()).sources if count else ()


@pytest.mark.clause("2.4")
@pytest.mark.ruling("R8")
def test_a_bundle_is_empty_after_any_stop_but_success():
    for stop in StopReason:
        bundle = freeze(_sources(1), 1, Verdict(stop=stop, action=Action.BASELINE), "18.0.0")
        assert bool(bundle.sources) is (stop is StopReason.SUCCESS_COMPLETED)
        assert len(bundle.sources) + len(bundle.withheld_source_ids) == 1
        assert bundle.digest == bundle_digest(bundle.sources, "18.0.0")


@pytest.mark.clause("3.2")
@pytest.mark.clause("6.3")
def test_the_check_after_the_resolver():
    # Written from §3.2, §3.6 and §6.3, apart from the action table: which ends may pass.
    for stop, action, count, clarified in product(StopReason, Action, (0, 1), (True, False)):
        verdict = Verdict(stop=stop, action=action)
        bundle = freeze(_sources(count), count, verdict, "18.0.0")
        asks = action in (Action.ASK_CLARIFY, Action.UNKNOWN)
        if stop is StopReason.SUCCESS_COMPLETED:
            sound = action is Action.GROUNDED and count == 1
        elif stop is StopReason.NO_SOURCE:
            sound = asks and count == 0
        elif stop is StopReason.VALIDATION_FAIL and count == 0:
            sound = asks
        else:
            sound = action is Action.BASELINE
        sound = sound and not (clarified and action is Action.ASK_CLARIFY)
        checked = check(verdict, bundle, clarified)
        assert (checked is verdict) is sound, (stop, action, count, clarified)
        if not sound:
            assert checked.stop is StopReason.VALIDATION_FAIL
            empty = Action.UNKNOWN if clarified else Action.ASK_CLARIFY
            assert checked.action is (empty if count == 0 else Action.BASELINE)


def test_a_bundle_whose_digest_is_wrong_fails_the_check():
    verdict = Verdict(stop=StopReason.SUCCESS_COMPLETED, action=Action.GROUNDED)
    bundle = freeze(_sources(1), 1, verdict, "18.0.0").model_copy(update={"digest": HASH})
    assert check(verdict, bundle, False).stop is StopReason.VALIDATION_FAIL


@pytest.mark.ruling("R17")
def test_a_session_that_asks_no_collection_takes_no_passage_and_a_page_only_from_where_it_was_asked():
    page = ToolCall(call_id="a", tool="scrape_page", params=(("url", "https://shop.example/a"),))
    fetched = {"kind": "fetched", "locator": "https://shop.example/b"}
    for item, accepted in (
        (_item(), False),
        (_item(locator="doc:None/salt.md"), False),
        (_item(**fetched, requested="https://shop.example/a"), True),
        (_item(**fetched, requested="https://shop.example/b"), False),
    ):
        assert bool(accept((item,), page, SCHEMES, None, ()).sources) is accepted


@pytest.mark.clause("3.2")
def test_sources_that_do_not_count_make_no_success():
    verdict = Verdict(stop=StopReason.SUCCESS_COMPLETED, action=Action.GROUNDED)
    bundle = freeze(_sources(1), 0, verdict, "18.0.0")
    assert bundle.sources
    assert check(verdict, bundle, False).stop is StopReason.VALIDATION_FAIL


@pytest.mark.ruling("R8")
def test_sources_in_the_bundle_of_another_stop_fail_the_check():
    bundle = freeze(_sources(1), 1, Verdict(stop=StopReason.SUCCESS_COMPLETED, action=Action.GROUNDED), "18.0.0")
    late = Signal(reason=StopReason.TIMEOUT, cause=Cause.CANCELLED)
    checked = check(Verdict(stop=StopReason.TIMEOUT, action=Action.BASELINE, signals=(late,)), bundle, False)
    failed = Signal(reason=StopReason.VALIDATION_FAIL, cause=Cause.CHECK_FAILED, code="TIMEOUT")
    assert checked.signals == (late, failed)


@pytest.mark.ruling("R24")
@pytest.mark.parametrize(
    ("locator", "schemes", "accepted"),
    [
        ("acme:orders/17", ("acme",), True),
        ("acme:orders/17", ("https",), False),
        ("acme:a/../b", ("acme",), False),
        ("acme:a/%2e%2E/b", ("acme",), False),
        ("https://a.example/", ("https",), True),
        ("https://", ("https",), False),
        ("https:///a", ("https",), False),
        ("http://a.example/", ("https",), False),
    ],
)
def test_a_locator_has_a_scheme_that_its_tool_declared_and_leads_down(locator, schemes, accepted):
    item = _item(kind="hit", locator=locator)
    assert bool(accept((item,), CALL, schemes, None, ()).sources) is accepted


def test_related_items_stand_beside_one_that_answers():
    question = "How long does a rye loaf keep in a linen cloth at home?"
    texts = (
        "A rye loaf keeps a week at home in linen cloth.",
        "A rye loaf is dark and heavy.",
        "Oats are rolled by hand.",
    )
    items = tuple(_item(body=text, end=len(text), text_hash=f"{at}" * 64) for at, text in enumerate(texts))
    alone = CALL.model_copy(update={"about": question})
    beside = CALL.model_copy(update={"about": question, "with_related": True})
    assert [one.text for one in accept(items, alone, SCHEMES, "documents", ()).sources] == [texts[0]]
    judged = accept(items, beside, SCHEMES, "documents", ())
    assert [one.text for one in judged.sources] == list(texts[:2])
    assert [one.code for one in judged.rejections] == [RejectionCode.OFF_TOPIC]
    # Where none answers, nothing is accepted.
    assert accept(items[1:], beside, SCHEMES, "documents", ()).sources == ()


def test_passages_of_one_document_are_measured_together_beside_related_items():
    question = "Which linen cloth keeps a dark rye loaf fresh for weeks?"
    texts = ("A loaf was sold by the guild.", "The linen was woven by hand, and rye was sown.")
    items = tuple(_item(body=text, end=len(text), text_hash="e" * 64) for text in texts)
    beside = CALL.model_copy(update={"about": question, "with_related": True})
    assert len(accept(items, beside, SCHEMES, "documents", ()).sources) == 2
    assert accept(items[:1], beside, SCHEMES, "documents", ()).sources == ()
    stated = CALL.model_copy(update={"about": "Rye loaves need linen.", "with_related": True})
    assert len(accept(items, stated, SCHEMES, "documents", ()).sources) == 2


def test_a_page_does_not_repeat_the_hit_that_led_to_it():
    hit = accept((_item(kind=SourceKind.HIT),), CALL, SCHEMES, "documents", ()).sources
    assert len(accept((_item(),), CALL, SCHEMES, "documents", hit).sources) == 1
    again = accept((_item(kind=SourceKind.HIT),), CALL, SCHEMES, "documents", hit)
    assert [one.code for one in again.rejections] == [RejectionCode.DUPLICATE]
