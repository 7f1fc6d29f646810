"""Passages are exact slices under their headings."""

from __future__ import annotations

from app.parsing.text.markdown import read_markdown
from app.parsing.text.passages import LONGEST_PASSAGE, passages_of


def cut(source):
    sketch = read_markdown(source)
    return [(p.heading, sketch.text[p.start : p.end]) for p in passages_of(sketch.text, sketch.headings)]


def test_sections_are_not_mixed_and_carry_their_path():
    assert cut("lead\n\n# A\n\none\n\n## B\n\ntwo\n\n# C\n\nthree") == [
        ("", "lead"),
        ("A", "# A\n\none"),
        ("A > B", "## B\n\ntwo"),
        ("C", "# C\n\nthree"),
    ]


def test_a_heading_with_nothing_under_it_goes_with_the_next():
    assert cut("# A\n\n## B\n\ntext") == [("A > B", "# A\n\n## B\n\ntext")]


def test_small_paragraphs_stay_together_until_the_limit():
    paragraph = "word " * 59 + "end."
    found = cut("\n\n".join([paragraph] * 4))
    assert [text.count("end.") for _, text in found] == [2, 2]


def test_long_paragraphs_are_cut_at_sentence_ends():
    sentence = "This sentence has some words in it. "
    found = [text for _, text in cut(sentence * 60)]
    assert all(text.endswith("it.") and len(text) <= LONGEST_PASSAGE for text in found)
    assert sum(text.count("it.") for text in found) == 60


def test_text_without_sentences_is_cut_at_spaces_and_text_without_spaces_at_the_limit():
    spaced = [text for _, text in cut("word " * 400)]
    assert all(set(text.split()) == {"word"} for text in spaced)
    assert [len(text) for _, text in cut("x" * 2000)] == [800, 800, 400]


def test_blank_text_has_no_passages():
    assert passages_of(" \n\n ", ()) == ()
