"""Whether the time, person or number that a question asks for stands near what it asks about."""

from __future__ import annotations

import pytest

from app.evidence.grounding.asked_answer import gives_asked_answer
from app.kernel.results import TRUST_MARKER, Source, SourceKind

STAFF = (
    "The workshop in Odense was opened in 1987. Its staff is small.\n\n"
    "Marketing is done from the office in Aarhus. It rains a lot there. The head of the workshop is Karen Friis.\n\n"
    "| Course | Fee |\n|---|---|\n| Turning bowls | 90 euros |\n| Carving spoons | 65 euros |\n"
)
NOTES = "## 2.4 (3 May 2024)\n\n- The lathe guard closes by itself.\n\n## 2.5\n\nThe feed stops at the end.\n"


def _source(text, title="Workshop", heading="", respelled=()):
    return Source(
        source_id="1" * 64,
        call_id="c",
        tool="doc_lookup",
        kind=SourceKind.PASSAGE,
        payload="text",
        locator="doc:documents/a.md#0-10",
        title=title,
        text=text,
        metadata=(("heading", heading),) if heading else (),
        content_hash="2" * 64,
        text_hash="3" * 64,
        start=0,
        end=len(text),
        relevance_milli=1000,
        respelled=respelled,
        trust=TRUST_MARKER,
    )


@pytest.mark.parametrize(
    "question",
    [
        "When was the workshop in Odense opened?",
        "Who is the head of the workshop?",
        "How much does the course in carving spoons cost?",  # the unit stands in the row
        "Explain how the staff is paid",  # no kind of answer: the passage as a whole
        "Why was the workshop in Odense opened?",
        "Who is the haed of the workshop?",
        "How many people does the staff have, and who is the head of the workshop?",  # one of two parts
    ],
)
def test_what_is_given(question):
    assert gives_asked_answer(question, (_source(STAFF, respelled=(("haed", "head"),)),))


@pytest.mark.parametrize(
    "question",
    [
        "Who is the head of marketing?",  # a person, but of something else
        "How many people does the staff in Odense have?",  # no number of people
        "When was the office in Aarhus opened?",  # a time, but of something else
        "How many bowls did the workshop sell in its first year?",
    ],
)
def test_what_stands_elsewhere_in_the_passage_is_no_answer(question):
    assert not gives_asked_answer(question, (_source(STAFF),))


def test_the_columns_of_a_table_say_what_its_numbers_are():
    table = "| Course | Price in euros |\n|---|---|\n| Turning bowls | 90 |\n"
    assert gives_asked_answer("How much does turning bowls cost?", (_source(table),))
    assert not gives_asked_answer("How much does carving ladles cost?", (_source(table),))


def test_a_heading_tells_when_the_items_below_it_changed():
    assert gives_asked_answer("Since when does the lathe guard close?", (_source(NOTES),))
    assert not gives_asked_answer("Since when does the feed stop?", (_source(NOTES),))
    under = _source("- The saw brakes within a second.\n", heading="Changes > 2.6 (7 June 2024)")
    assert gives_asked_answer("Since which version does the saw brake?", (under,))


def test_the_sentence_before_and_the_title_count():
    text = "The tour was put off twice. It begins on 9 June."
    assert gives_asked_answer("When does the tour of the Larks begin?", (_source(text, title="The Larks"),))
    assert not gives_asked_answer("When does the tour of the Larks begin?", (_source(text, title="Finches and wrens"),))


def test_one_source_is_enough_and_none_is_not():
    other = _source("Nothing about it here, as far as anybody knows.")
    assert gives_asked_answer("Who is the head of the workshop?", (other, _source(STAFF)))
    assert not gives_asked_answer("Who is the head of the workshop?", (other,))
    assert not gives_asked_answer("Who is the head of the workshop?", ())


ROWS = "| Petrel | 4 | 31 | Jonas Wolff |\n| Tern | 9 | 28 | Mia Sand |\n"
COLUMNS = "Harbour > | Boat | Berth | Fee (EUR) | Harbour master |"


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("How much is the fee for the Tern?", True),
        ("What does the Petrel cost?", True),  # by its fee
        ("Who is the master of the Petrel?", True),
        ("How much is the fee for the Gannet?", False),
        ("How old is the Petrel?", False),
        ("How heavy is the Tern?", False),
    ],
)
def test_a_row_below_its_columns_is_read_with_them(question, given):
    assert gives_asked_answer(question, (_source(ROWS, title="Berths", heading=COLUMNS),)) is given
    assert not gives_asked_answer(question, (_source(ROWS, title="Berths"),)) or not given


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("The mooring fee is 12.50 for the night.", True),
        ("Mooring fee: 15", True),
        ("For mooring, a boat costs 15 a night.", True),
        ("The mooring fee was changed in 2019.", False),
        ("The mooring fee is 3 weeks late.", False),
        ("The mooring fee is 20 % of it.", False),
        ("Of the mooring fees there are 7 pages.", False),
    ],
)
def test_an_amount_of_money_may_go_without_its_currency(said, given):
    assert gives_asked_answer("How much is the mooring fee?", (_source(said, title="Berths"),)) is given


def test_a_sum_is_asked_for_without_a_question_word():
    asked = "starting salary of a harbour master"
    assert gives_asked_answer(asked, (_source("The starting salary of a harbour master is 41,000 euros."),))
    assert not gives_asked_answer(asked, (_source("The starting salary of a harbour master is argued about."),))
