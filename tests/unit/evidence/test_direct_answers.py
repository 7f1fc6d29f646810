"""Kinds of answers, what can be quoted, direct answers, and the parts of a question, each by itself."""

from __future__ import annotations

import pytest

from app.evidence.answering.composer import compose
from app.evidence.answering.contradictions import contradictions_in
from app.evidence.answering.negations import denies
from app.evidence.answering.picked_sentence import PickedSentence
from app.evidence.answering.statements import leans, statements_of
from app.evidence.grounding.asked_kinds import asked_kind, gives_asked_kind
from app.evidence.grounding.bearing import ENOUGH_MILLI, bearing_of
from app.evidence.grounding.facets import facets_of
from app.kernel.canonical import sha256_hex
from app.kernel.results import Source, SourceKind
from app.parsing.text.words.irregular import other_forms
from app.parsing.text.words.sentences import sentences_of


def source(text, name="a", title="", heading=""):
    """An accepted source, as the gate makes them."""
    return Source(
        source_id=sha256_hex(f"{name}{text}".encode()),
        call_id="i1.f1.docs",
        tool="doc_lookup",
        kind=SourceKind.PASSAGE,
        payload="text",
        locator=f"doc:documents/{name}.md",
        title=title,
        text=text,
        metadata=(("heading", heading),) if heading else (),
        content_hash=sha256_hex(name.encode()),
        text_hash=sha256_hex(name.encode()),
        start=0,
        end=len(text),
        relevance_milli=900,
        trust="untrusted-external-content",
    )


def first(question, *sources):
    """The first sentence of an answer; empty where there is none. Every quote is a slice of its source."""
    found = compose(facets_of(question), sources)
    for one in found.sentences:
        assert one.text == " ".join(one.source.text[one.low : one.high].split())
    parts = [part.text for group in found.paragraphs for part in group if part.kind == "sentence"]
    return parts[0] if parts else ""


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What does a loaf cost?", "money"),
        ("Was kostet ein Brot?", "money"),
        ("Combien co\u00fbte un pain ?", "money"),
        ("How long does the walk take?", "time"),
        ("How long is the bridge?", "long"),
        ("Wie tief ist der See?", "length"),
        ("How old is the mill?", "age"),
        ("depth of the upper lake", "length"),
        ("What is the height of the tower?", "length"),
        ("age of the mill", "age"),
        ("How much was the mill sold for?", "money"),
        ("At what baking temperature does it brown?", "warmth"),
        ("Where is the mill?", "place"),
        ("Which Android version does it need?", "version"),
        ("the year the mill was built", "moment"),
        ("How often does the bus leave?", "often"),
        ("How many desks are there?", "count"),
        ("Wie viele Einwohner hat Ennet?", "count"),
        ("What is the population of Ennet?", "count"),
        ("Since when is the mill closed?", "moment"),
        ("Quand ouvre le mus\u00e9e ?", "moment"),
        ("Who owns the mill?", "person"),
        ("Wer hat die Br\u00fccke gebaut?", "person"),
        ("Which version added it?", "version"),
        ("How heavy is a wheel?", "weight"),
        ("How much flour is needed?", "amount"),
    ],
)
def test_the_kind_that_is_asked_for(question, name):
    kind = asked_kind(question)
    assert kind is not None
    assert kind.name == name


def test_some_questions_ask_for_no_kind():
    assert asked_kind("Why is the mill closed?") is None
    assert gives_asked_kind(None, "Anything.")


@pytest.mark.parametrize(
    ("question", "text", "given"),
    [
        ("How many desks are there?", "It has 120 desks.", True),
        ("How many desks are there?", "The office is at Wilhelm Street 85.", False),
        ("How many desks are there?", "There is a desk in room 7.", False),  # an article counts nothing
        ("How many times is it fed?", "Feed it for 10 minutes.", False),
        ("How many times is it fed?", "Feed it twice a day.", True),
        ("What does it cost?", "It costs 5 francs.", True),
        ("What does it cost?", "It weighs 5 kg and 60 % is water.", False),
        ("How long is the bridge?", "It is inspected every six years.", False),
        ("How long is the bridge?", "It is 212 metres long.", True),
        ("How old is Vera Holm?", "Vera Holm came in the third month.", False),
        ("When was the first AI winter?", "It is unclear why the winter ended.", False),  # the question's own word
        ("When was it opened?", "It was opened in 1934.", True),
        ("Who owns the mill?", "The mill stands by the river.", False),
        ("Who owns the mill?", "It belongs to Vera Holm.", True),
        ("Who approves it?", "It is approved by the treasurer.", True),
        ("Wer hat die Br\u00fccke gebaut?", "Die Br\u00fccke wurde 1934 gebaut.", False),
        ("Wer hat die Br\u00fccke gebaut?", "Die Br\u00fccke wurde von Vera Holm gebaut.", True),
        ("Which version added it?", "Added in 2.1.0.", True),
        ("Who built the mill?", "The mill was built in Port Kelder.", False),
        ("Where does the water come from?", "The water comes from wells in the Stone Valley.", True),
        ("Where does the water of Kelder come from?", "The water of Kelder has 8 degrees.", False),
        ("Where was the mill built?", "The mill was built in June.", False),
        ("Wo liegt der See?", "Der See liegt bei Ennis.", True),
    ],
)
def test_a_text_has_the_kind_or_not(question, text, given):
    assert gives_asked_kind(asked_kind(question), text) is given


@pytest.mark.parametrize(
    ("question", "text", "numbers"),
    [
        (
            "How long must it rest?",
            "It must rest for {} weeks.",
            "two twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty seventy eighty-five",
        ),
        ("Wie lange ruht er?", "Er ruht {} Wochen.", "zwei dreizehn f\u00fcnfzehn siebzehn neunzehn vierzig achtzig"),
        ("Combien de temps dure la pause ?", "Elle dure {} semaines.", "deux treize quinze seize quarante soixante"),
        ("\u00bfCu\u00e1nto dura la pausa?", "Dura {} semanas.", "dos trece quince cuarenta sesenta noventa"),
    ],
)
def test_counts_in_words_are_counts(question, text, numbers):
    kind = asked_kind(question)
    assert kind is not None
    assert [number for number in numbers.split() if not gives_asked_kind(kind, text.format(number))] == []
    assert not gives_asked_kind(kind, text.format("many"))


def test_columns_say_what_the_numbers_of_a_row_are():
    kind = asked_kind("How many desks does Porto have?")
    assert gives_asked_kind(kind, "Porto | 45", "Office | Desks")
    assert not gives_asked_kind(kind, "Porto | 45", "Office | Chairs")


def test_a_quote_begins_where_it_leans_on_nothing():
    text = "The Lisbon office opened in May. It has 45 desks. Its manager is Rita Azevedo. Dogs are allowed."
    _, found = statements_of(source(text), "en")
    quotes = [text[one.low : one.high] for one in found]
    assert quotes[2] == "The Lisbon office opened in May. It has 45 desks. Its manager is Rita Azevedo."
    assert quotes[3] == "Dogs are allowed."
    assert leans("Il co\u00fbte 9 euros.", "fr")
    assert not leans("Il co\u00fbte 9 euros.", "en")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Drinking water in the port is soft. Since 1 April 2025 it costs 2.14 euros per cubic metre.", "en"),
        ("Der Turm steht am Hafen. Seit 2019 ist er 41 Meter hoch.", "de"),
        ("Le phare domine le port. Depuis 2019 il mesure 41 m\u00e8tres.", "fr"),
    ],
)
def test_a_quote_that_opens_with_a_time_takes_along_what_it_speaks_of(text, language):
    _, found = statements_of(source(text), language)
    assert text[found[1].low : found[1].high] == text


def test_rows_items_and_pairs_can_be_quoted():
    table = "| Item | Limit |\n|---|---|\n| Dinner | 35 EUR |"
    text = f"{table}\n\n- Two litres of water\n\nMountain rescue: 1403\nHospital: 210"
    _, found = statements_of(source(text), "en")
    assert [(one.kind, text[one.low : one.high]) for one in found] == [
        ("row", "Dinner | 35 EUR"),
        ("item", "Two litres of water"),
        ("line", "Mountain rescue: 1403"),
        ("line", "Hospital: 210"),
    ]
    assert text[slice(*found[0].header)] == "Item | Limit"


def test_a_unit_behind_a_number_ends_a_sentence():
    text = "It lags by 20 ms. If it fails, wait. Ms. Berg knows. Stir for 5 min. Then rest."
    assert [text[one.start : one.end] for one in sentences_of(text)] == [
        "It lags by 20 ms.", "If it fails, wait.", "Ms. Berg knows.", "Stir for 5 min.", "Then rest.",
    ]  # fmt: skip


OFFICES = source(
    "## Lisbon\n\nThe Lisbon office opened in May 2021. It has 45 desks. Its office manager is Rita Azevedo.",
    "office", "Our offices", "Our offices > Lisbon",
)  # fmt: skip
PRICES = source(
    "# Expenses\n\n| Item | Limit |\n|---|---|\n| Lunch | 18 EUR |\n| Dinner | 35 EUR |",
    "prices",
    "Expenses",
    "Expenses",
)
QUESTIONS = source(
    "## How do I make a backup?\n\nRun the snapshot command. It takes ten minutes.",
    "faq", "FAQ", "FAQ > How do I make a backup?",
)  # fmt: skip
CHANGES = source(
    "## 2.1.0 (2024-11-05)\n\nAdded the LFU policy.", "changes", "Changelog", "Changelog > 2.1.0 (2024-11-05)"
)
SOUP = source("The restaurant Gullfisk serves cod soup for 14 euros. The chef is Astrid Moe.", "soup", "Eating")
CRANE = source(
    "Northwind was founded by Ada Berg. In 2016 it bought the kite maker Blue Crane for 4 million euros.",
    "crane", "History",
)  # fmt: skip
LAMPS = source(
    "The kettle connects to phones. The lamp was developed by Otto Lund. The knot course is held in May. "
    "Ada Berg teaches the course on sails.",
    "lamps", "Products",
)  # fmt: skip
KEEPING = source("| Loaf | Kept at 20 \u00b0C |\n|---|---|\n| Rye loaf | 7 days |", "keeping", "Keeping")
WASHING = source(
    "| Program | Temperature |\n|---|---|\n| Wool | 30 \u00b0C |\n\nSilk is not washed here.", "washing", "Programs"
)
LITRES = source("| Program | Water |\n|---|---|\n| Eco | 49 l |\n| Wool | 40 l |", "litres", "Programs")
APP = source("The app runs on Android 11 or later. It is free. The app was made by Lund Software.", "app", "The app")
SEE = source("Der obere See ist 34 Meter tief. Er ist kalt. Im See leben Forellen.", "see", "Der See")


@pytest.mark.parametrize(
    ("question", "where", "begins"),
    [
        ("Who is the office manager in Lisbon?", OFFICES, "The Lisbon office opened in May 2021. It has"),
        ("What is the limit for dinner?", PRICES, "Dinner | 35 EUR"),
        ("How do I make a backup?", QUESTIONS, "Run the snapshot command."),
        ("When was the LFU policy added?", CHANGES, "2.1.0 (2024-11-05)"),
        ("Who is the chef of Gullfisk?", SOUP, "The restaurant Gullfisk serves cod soup for 14 euros. The chef is"),
        ("What does cod soup cost?", SOUP, "The restaurant Gullfisk serves cod soup for 14 euros."),
        ("Wie tief ist der obere See?", SEE, "Der obere See ist 34 Meter tief."),
        ("Which Android version does the app need, and who made it?", APP, "The app runs on Android 11 or later."),
        ("At what baking temperature does rye bread brown?", source("Rye bread browns at 230 \u00b0C."), "Rye bread"),
        (
            "How fast is help for priority 1?",
            source("Day 1 is free. Priority 1 gets help in 15 minutes."),
            "Priority 1",
        ),
        ("At what temperature is wool washed?", WASHING, "Wool | 30"),
        ("How many litres does the Eco program use?", LITRES, "Eco | 49 l"),
        (
            "Quelle est la longueur du c\u00e2ble ?",
            source("Le c\u00e2ble mesure 1,8 m\u00e8tre. La prise est \u00e0 l'int\u00e9rieur de la machine."),
            "Le c\u00e2ble",
        ),
        ("Which bread has no salt?", source("Tuscan bread has no salt. Rye bread has salt."), "Tuscan bread"),
    ],
)
def test_the_right_sentence_comes_first(question, where, begins):
    assert first(question, where).startswith(begins)


@pytest.mark.parametrize(
    ("question", "where"),
    [
        ("When did the Lisbon office close?", OFFICES),  # the verb
        ("How old is Rita Azevedo?", OFFICES),  # the kind
        ("How many desks does the Porto office have?", OFFICES),  # the name
        ("Who is the cook of Gullfisk?", SOUP),  # the noun
        ("What is the limit for 2019?", PRICES),  # the number
        ("Which office moved to Rotterdam and opened in May 2021?", OFFICES),  # one of two names
        ("Wer wohnt im oberen See?", SEE),
        ("Who founded Blue Crane?", CRANE),  # somebody founded something else
        ("Who developed the kettle?", LAMPS),  # two sentences about two things
        ("Who teaches the knot course?", LAMPS),
        ("How many days of leave do interns have?", source("Every employee has 27 days of leave.", "leave", "Leave")),
        ("How much was Crane-2 sold for?", source("Crane-2 was sold to the town in 2008.", "sold", "Sales")),
        ("Which dish has no fish?", source("Cod soup has fish. Trout soup has fish, too.", "menu", "Dishes")),
        ("Which country's paper has no watermark?", source("The country house prints paper.", "house", "Paper")),
        ("At what temperature is a loaf kept?", KEEPING),  # a temperature of the column, and not of the row
    ],
)
def test_near_misses_are_not_answered(question, where):
    assert first(question, where) == ""


def test_columns_are_cited_with_their_row():
    found = compose(facets_of("What is the limit for dinner?"), [PRICES])
    kinds = [(part.kind, part.text) for group in found.paragraphs for part in group]
    assert kinds[:3] == [
        ("sentence", "Dinner | 35 EUR"),
        ("heading", "The columns of the table:"),
        ("sentence", "Item | Limit"),
    ]
    assert len(found.excerpts) == 1


@pytest.mark.parametrize(
    ("question", "labels"),
    [
        (
            "Who maintains it, under which license is it released and in which language is it written?",
            ["Who maintains it", "under which license is it released", "in which language is it written"],
        ),
        ("Which office has more desks, Porto or Lisbon?", ["Porto office desks", "Lisbon office desks"]),
        ("Compare the price of the Halden 40 and the Halden 60.", ["price of the Halden 40", "price of Halden 60"]),
        (
            "What is the revenue in May and the budget and the head of sales?",
            ["revenue in May", "budget", "head of sales"],
        ),
        ("What are the size and age of the mill?", ["size of the mill", "age of the mill"]),
        (
            "Which office moved to Porto and opened in May?",
            ["Which office moved to Porto and opened in May?"],
        ),
        ("When and where is the next meeting?", ["When and where is the next meeting?"]),
        (
            "Wann wurde sie gebaut und wie lang ist die Br\u00fccke?",
            ["Wann wurde sie gebaut", "wie lang ist die Br\u00fccke"],
        ),
        ("Why is it closed; also who owns the mill?", ["Why is it closed", "who owns the mill"]),
        (
            "Compare the price and range of Halden 40 and Halden 60.",
            ["price of Halden 40", "range of Halden 40", "price of Halden 60", "range of Halden 60"],
        ),
        (
            "Describe the causes and effects of the flood in May and June.",
            ["causes of the flood in May and June", "effects of the flood in May and June"],
        ),
        ("Who founded the mill, and when?", ["Who founded the mill", "when founded the mill"]),
        ("When was it built and by whom?", ["When was it built", "by whom was it built"]),
        (
            "Where can I park, what does it cost and until when?",
            ["Where can I park", "what does it cost", "until when can I park"],
        ),
    ],
)
def test_parts_of_a_question(question, labels):
    assert [facet.label for facet in facets_of(question)] == labels


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which Android version does the app need, and who made it?", "who made app"),
        ("How long can bread be frozen, and how should it be thawed?", "how should bread be thawed"),
        ("Why does bread go stale, and where should it be kept?", "where should bread be kept"),
        ("When was the Halden mill opened, and who paid for it?", "who paid for Halden mill"),
    ],
)
def test_what_a_later_part_is_about(question, text):
    assert facets_of(question)[1].text == text


def test_parts_in_every_language_are_headed_as_questions():
    found = compose(facets_of("Wie tief ist der obere See, und bis wann leben im See Forellen?"), [SEE])
    headings = [part.text for group in found.paragraphs for part in group if part.kind == "heading"]
    assert headings == ["Wie tief ist der obere See?"]


def picked(*texts):
    return [PickedSentence(source(text, str(at)), 0, len(text), 1, 0, at, True) for at, text in enumerate(texts)]


def test_only_what_was_asked_is_compared():
    towers = picked(*(f"The Ennis tower is 88 metres high. It was repaired in 200{year}." for year in range(4)))
    assert contradictions_in(towers, {1: "How high is the Ennis tower?"}) == ()
    tickets = picked("A day ticket for the bus costs 6 euros.", "A single ticket costs 38 euros.")
    assert contradictions_in(tickets, {1: "What does a day ticket for the bus cost?"}) == ()


def test_what_is_quoted_before_an_answer_hides_no_contradiction():
    one = source("The tower of Ennis was lit in 1856. The tower is 26 metres high.", "one", "Ennis", "Ennis tower")
    other = source("Climb the 131 steps of the tower of Ennis. The tower is 28 metres high.", "other", "Ennis")
    found = compose(facets_of("How high is the tower of Ennis?"), [one, other])
    assert len(found.contradictions) == 1
    assert found.paragraphs[0][0].text == "The sources differ here:"


def test_one_facet_has_one_contradiction():
    heights = picked(*(f"The Ennis tower is {metres} metres high." for metres in (88, 89, 90)))
    (found,) = contradictions_in(heights, {1: "How high is the Ennis tower?"})
    assert found.kind == "number"
    assert found.members == tuple(heights)


def test_negations_have_a_language():
    assert denies("Er ist nicht zum Baden freigegeben.", "de")
    (found,) = contradictions_in(
        picked("Der obere See ist zum Baden freigegeben.", "Der obere See ist nicht zum Baden freigegeben.")
    )
    assert found.kind == "negation"


def test_irregular_forms_are_found():
    assert "lost" in other_forms("lose")
    assert other_forms("loses") == ("lose", "loss", "lost")
    assert other_forms("walk") == ()


def test_a_number_of_the_question_has_to_stand_there():
    title, text = "Performance", "The latency is 0.9 ms with 500 clients."
    assert bearing_of("What is the latency with 500 clients?", title, "", text, {}, "").milli >= ENOUGH_MILLI
    assert bearing_of("What is the latency with 5000 clients?", title, "", text, {}, "").milli < ENOUGH_MILLI


@pytest.mark.parametrize("question", ["the and of", "it is what it is", "how is it?", "der die das", "?"])
def test_a_question_of_function_words_alone_is_not_answered(question):
    where = source("It is what it is, and the mill of the lake is how it is. Die M\u00fchle und das Haus.")
    assert first(question, where) == ""
    assert bearing_of(question, "", "", where.text, {}).milli < ENOUGH_MILLI


def test_a_question_of_general_words_is_about_its_noun():
    said = bearing_of("When is the next meeting?", "", "", "The next meeting takes place in June.", {}, "")
    assert said.milli >= ENOUGH_MILLI
    assert bearing_of("How does it work?", "", "", "It works well.", {}, "").milli < ENOUGH_MILLI


STAFF = "| Name | Room | Phone |\n|---|---|---|\n| Rosa Adler | C18 | 5018 |\n| Max Gruber | C3 | 5003 |\n"


def test_the_row_of_somebody_with_half_of_the_name_is_no_answer():
    assert first("What is the phone of Rosa Gruber?", source(STAFF, title="Staff")) == ""
    both = source(STAFF + "| Rosa Gruber | C38 | 5138 |\n", title="Staff")
    assert "5138" in first("What is the phone of Rosa Gruber?", both)
    assert "5003" in first("What is the phone of Gruber?", source(STAFF, title="Staff"))


def test_a_mistyped_question_is_answered_by_the_sentence_that_it_was_found_by():
    found = source("The bakery opens at seven. It has two ovens.", title="Bakery")
    found = Source.model_validate({**dict(found), "respelled": (("bakrey", "bakery"),)})
    assert first("When does the bakrey open?", found) == "The bakery opens at seven."
    assert first("When does the bakrey close?", found) == ""


def test_another_row_than_the_one_that_is_asked_about_is_not_quoted():
    rows = "| Raven hopper | south yard | 72 |\n| Raven flat | south yard | |\n| Bison flat | north yard | 20 |\n"
    cars = source(f"| Car | Stands in | Hire (EUR) |\n|---|---|---|\n{rows}", title="Cars")
    assert first("How much does it cost to hire the Raven flat?", cars) == ""
    assert first("How much does it cost to hire the Raven hopper?", cars) == "Raven hopper | south yard | 72"
