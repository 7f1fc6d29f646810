"""Whether the time, person or number that a question asks for stands near what it asks about."""

from __future__ import annotations

import pytest

from app.evidence.grounding.asked_answer import gives_asked_answer
from app.evidence.grounding.asked_kinds import asked_kind, gives_asked_kind
from app.evidence.grounding.kind_patterns import ASKED, NOUN, NOUN_ENDS, STANDS_FOR, VALUES
from app.kernel.results import TRUST_MARKER, Source, SourceKind

STAFF = (
    "The workshop in Odense was opened in 1987. Its staff is small.\n\n"
    "Marketing is done from the office in Aarhus. It rains a lot there. The head of the workshop is Karen Friis.\n\n"
    "| Course | Fee |\n|---|---|\n| Turning bowls | 90 euros |\n| Carving spoons | 65 euros |\n"
)
NOTES = "## 2.4 (3 May 2024)\n\n- The lathe guard closes by itself.\n\n## 2.5\n\nThe feed stops at the end.\n"


def _source(text, title="Workshop", heading="", respelled=(), columns=""):
    return Source(
        source_id="1" * 64,
        call_id="c",
        tool="doc_lookup",
        kind=SourceKind.PASSAGE,
        payload="text",
        locator="doc:documents/a.md#0-10",
        title=title,
        text=text,
        metadata=tuple((name, said) for name, said in (("columns", columns), ("heading", heading)) if said),
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
COLUMNS = "| Boat | Berth | Fee (EUR) | Harbour master |"


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
    assert gives_asked_answer(question, (_source(ROWS, title="Berths", columns=COLUMNS),)) is given
    assert not gives_asked_answer(question, (_source(ROWS, title="Berths"),))


def test_who_is_asked_for_may_be_mistyped():
    row = _source(ROWS, title="Berths", columns=COLUMNS, respelled=(("mastre", "master"),))
    assert gives_asked_answer("Who is the mastre of the Petrel?", (row,))


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


TAIL = (
    "| Perch | 10 | Ida Moss | 5 m | 1979 |\n| Trout |  | - | 3 m | 1984 |\n\n"
    "The shower costs 2 EUR. The boathouse was painted by Rolf Hagen. Soup is served at 19:00.\n"
)
OF_TAIL = "| Species | Licence fee | Warden | Depth | Closed season since |"


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("How much is the licence fee of the perch?", True),
        ("Who is the warden of the perch?", True),
        ("How deep is the trout?", True),
        ("When is soup served?", True),
        ("How much is the licence fee of the trout?", False),  # the cell is empty
        ("Who is the warden of the trout?", False),
        ("How high is the trout?", False),  # a depth is no height
        ("How much is the rent of the perch?", False),  # a fee is no rent
        ("What does the perch cost?", False),  # a licence is not the fish
        ("Who painted the licence?", False),  # what stands behind the table is not below its columns
        ("When is the closed season of the soup?", False),
        ("When was the perch opened?", False),
        ("Where is the perch?", False),
    ],
)
def test_a_cell_answers_for_its_column_and_what_follows_the_table_for_itself(question, given):
    source = _source(TAIL, title="Angling club", heading="Fish", columns=OF_TAIL)
    assert gives_asked_answer(question, (source,)) is given


@pytest.mark.parametrize(
    "said",
    [
        "The winter charge is waived, the minimum age is 12.",
        "The fee for boats is under review: 7 members spoke against it.",
        "The ferry fare is 3 working days in arrears.",
        "The cost of heating is 5 times the cost of water.",
        "The price list: 2019",
        "Cost centre: 4711",
        "Battery charge: 80 Ah",
        "Fee due: 12 March",
        "The rent is 14.05.2024",
        "The fee is 3 to 4 weeks late.",
        "| Fee | Room: 12 |",
        "Death toll: 43",
    ],
)
def test_a_number_near_a_word_for_money_is_no_amount_of_it(said):
    assert not gives_asked_kind(asked_kind("How much does it cost?"), said)


@pytest.mark.parametrize(
    "said",
    [
        "The fee is about 12.50.",
        "Der Preis ist 12,50",
        "Preis: 12",
        "Fee (adults): 15",
        "Le prix est de 12",
        "It costs up to 30",
        "The fee for a boat of 5 m is 20 per night.",
    ],
)
def test_a_bare_price_is_an_amount_of_money(said):
    assert gives_asked_kind(asked_kind("How much does it cost?"), said)


def test_every_pattern_of_a_kind_can_be_compiled():
    patterns = (*dict(ASKED).values(), *VALUES.values(), *STANDS_FOR.values(), NOUN, NOUN_ENDS)
    assert [one.search("") for one in patterns if one.search("")] == []


CARS = (
    "| Raven hopper | 9.6 | 1947 | 72.50 |\n| Raven van | 19.9 | | |\n| Bison van | 11.0 | 1951 | 20.00 |\n"
    "| Lynx flat | 22.1 | 1932 | - |\n"
)
OF_CARS = "| Wagon | Tare weight (t) | Built | Hire per day (EUR) |"


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("How much does it cost to hire the Bison van per day?", True),
        ("When was the Raven hopper built?", True),
        ("How heavy is the Lynx flat?", True),
        ("How much does it cost to hire the Raven van per day?", False),  # its own cell is empty, whatever others say
        ("When was the Raven van built?", False),
        ("How much does it cost to hire the Lynx flat per day?", False),
        ("When was the Raven hopper repainted?", False),
        ("How fast is the Bison van?", False),
        ("How much did the Bison van sell for?", False),
    ],
)
def test_the_row_that_is_asked_about_speaks_for_its_table(question, given):
    assert gives_asked_answer(question, (_source(CARS, title="Wagons", columns=OF_CARS),)) is given


@pytest.mark.parametrize(
    ("question", "given"),
    [
        ("Was kostet der Hebel kurz?", True),
        ("Wie schwer ist der Hebel kurz?", True),
        ("Wo liegt der Hebel kurz?", True),
        ("Wer ist der Lieferant vom Hebel kurz?", True),
        ("Wie lang ist der Hebel kurz?", False),
        ("Wann wurde der Hebel kurz gebaut?", False),
    ],
)
def test_a_row_is_read_in_the_language_of_the_question(question, given):
    columns = "| Teil | Preis (EUR) | Lagerort | Gewicht (kg) | Lieferant |"
    row = "| Hebel kurz | 12,40 | Regal E16 | 7 | Oelmann |\n"
    assert gives_asked_answer(question, (_source(row, title="Ersatzteile", columns=columns),)) is given


def test_the_headings_of_a_table_are_no_answer_by_themselves():
    empty = "| Fish | Warden |\n|---|---|\n| Perch |  |\n| Trout | - |\n"
    assert not gives_asked_answer("Who is the warden?", (_source(empty, title="Fish"),))
    named = empty.replace("| - |", "| Ida Moss |")
    assert gives_asked_answer("Who is the warden of the trout?", (_source(named, title="Fish"),))
    assert not gives_asked_answer("Who is the warden of the perch?", (_source(named, title="Fish"),))


def test_the_first_row_of_a_table_without_headings_is_a_row():
    plain = "| Perch | 12 EUR |\n| Trout | 15 EUR |\n"
    assert gives_asked_answer("How much does the perch cost?", (_source(plain, title="Fish"),))
