"""Reports in the forms in which writers mark their sources."""

from __future__ import annotations

import time

import pytest

from app.evidence.grounding.report_lint import lint_report
from app.evidence.grounding.report_markers import numbers_of

SOURCES = "\n\n## Sources\n\n" + "\n".join(f"[{n}] Work {n}: https://works.example/{n}" for n in range(1, 6))


def uncited(text, sources=SOURCES):
    return [one.number for one in lint_report(text + sources).findings if one.kind == "uncited_source"]


def dangling(text, sources=SOURCES):
    return [one.number for one in lint_report(text + sources).findings if one.kind == "dangling_marker"]


@pytest.mark.parametrize(
    "marked",
    [
        "One [1], two [2], three [3], four [4] and five [5].",
        "One[1][2] and more[3][4][5].",
        "All of it [1, 2, 3, 4, 5].",
        "All of it [1,2;3,4,5].",
        "All of it [1-5].",
        "All of it [1\u20135], and [^1].",
        "All of it [1-3, 5] and [4].",
        "One[^1][^2][^3][^4][^5].",
        "\u4e00\u3010\u0031\u3011\u3010\u0032\u3011\u4e8c\u3010\u0033\u3011\u3010\u0034\u3011\u3010\u0035\u3011\u3002",
        "\u5168\u90e8\u3010\u0031-3\uff0c4-5\u3011\u3002",
        "\u5168\u90e8\u3010\u0031,2\u3011\u3010\u0033\u30014\u30015\u3011\u3002",
        "One\u30101\u2020L3-L9\u3011 and \u30102\u2020source\u3011, [3\u2020works.example], [4] and [5].",
        "Full width \uff3b1\uff3d\uff3b2\uff3d and \u30143\u3015, \u30144\u3015, \u30145\u3015.",
        "Named [Source 1], [source 2], [Ref. 3], [Sources 4, 5].",
        "[A title][1] and [another][2], [3](#sources), [[4]](https://x.example/), [5](https://y.example/a_(b)).",
        "A sentence.<sup>1</sup> Another one.<sup>2,3</sup> The last.<sup>[4-5]</sup>",
        "A sentence.\u00b9 Another one.\u00b2\u02d2\u00b3 The last\u2074\u207b\u2075.",
        "A sentence (1). Another one (2, 3), and the last (4-5)",
    ],
)
def test_every_form_names_its_sources(marked):
    assert uncited(marked) == []
    assert dangling(marked) == []
    assert lint_report(marked + SOURCES).markers >= 5


def test_dangling_markers_in_full_width_are_found():
    assert dangling("One \u30101\u3011\u30107\u3011, two \u30108\u2020L1\u3011.") == [7, 8]


@pytest.mark.parametrize(
    "plain",
    [
        "The area is 30 m\u00b2 and 5 cm\u00b3, and R\u00b2 is high [1].",
        "The area is 30 m\u00b2, 10\u2074 of them; see also the notes.",
        "There are (1) one and (2) another thing, in (3) three parts.",
        "From 2010 (2) to 2020 it went from [0, 1] to [0,5]; matrices [[4, 5]] and years [2023] too. [1]",
        "`list[3]` and\n\n```\nx[2] = y[3]\n```\n\nas code. [1]",
        "https://works.example is the host of all. [1]",
    ],
)
def test_other_numbers_are_no_markers(plain):
    assert uncited(plain)[-3:] == [3, 4, 5]
    assert dangling(plain) == []


def test_a_link_to_a_source_names_it():
    assert uncited("As [the third](https://www.works.example/3/) says, and https://works.example/4. [1][2]") == [5]


def test_lists_of_sources_in_other_forms():
    listed = "\n\n## \u53c2\u8003\u6587\u732e\n\n\u30101\u3011 A\n\u30102\u3011\uff1a B\n\u30103\u3011 C\n"
    report = lint_report("One\u30101\u3011, two\u30102\u3011." + listed)
    assert report.sources == 3
    assert [(one.kind, one.number) for one in report.findings] == [("uncited_source", 3)]


def test_ranges():
    assert numbers_of("1, 3-5") == (1, 3, 4, 5)
    assert numbers_of("4-2") == (4, 2)
    assert numbers_of("1-900") == (1, 900)


@pytest.mark.parametrize(
    "part",
    ["[", "[[", "\u3010", "[1,", "[[1,", "(1", "<sup>", "[1" + " " * 30, "\u00b9,", "[1\u2020", "1, ", "[3](", "](",
     "**sources\n", "## Sources\n\n", "\n[1] x\nand\nmore\n", "# x\n[1] y\n"],
)  # fmt: skip
def test_markers_are_read_in_linear_time(part):
    def taken(size):
        text = "a " + part * (size // len(part)) + (SOURCES if "\n" not in part else part[:-1])
        start = time.process_time()
        lint_report(text)
        return time.process_time() - start

    small = max(taken(25_000), 0.005)
    assert taken(200_000) < 40 * small


def test_a_long_entry_is_read_in_linear_time():
    start = time.process_time()
    lint_report("A [1]." + SOURCES + "\n" + "a\n" * 90_000)
    assert time.process_time() - start < 5
