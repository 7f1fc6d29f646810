"""Citations in APA and MLA: names, dates and sites as the two styles want them, also where a page says little."""

from __future__ import annotations

import json

import pytest

from app.evidence.citing import Citation, cite

URL = "https://loaf.example/rye"
READ_MS = 1_794_855_600_000  # 16 November 2026
END = f"{URL}. Accessed 16 Nov. 2026."


def formats(**known):
    found = cite(URL, READ_MS, **known).formatted
    return found.apa, found.mla


def named(author):
    """The authors alone, as both styles write them."""
    apa, mla = formats(title="Rye", author=author, site="The Loaf", date="2020")
    return apa.removesuffix(f" (2020). Rye. The Loaf. {URL}"), mla.removesuffix(f' "Rye." The Loaf, 2020, {END}')


def test_a_page_that_says_everything():
    apa, mla = formats(title="Rye at home", author="Jane Q. Doe", site="The Loaf", date="2020-03-04T10:20:00")
    assert apa == f"Doe, J. Q. (2020, March 4). Rye at home. The Loaf. {URL}"
    assert mla == f'Doe, Jane Q. "Rye at home." The Loaf, 4 Mar. 2020, {END}'


def test_a_page_that_says_nothing():
    apa, mla = formats()
    assert apa == f"[Web page]. (n.d.). loaf.example. Retrieved November 16, 2026, from {URL}"
    assert mla == f"loaf.example, {END}"


def test_without_an_author_the_title_comes_first():
    apa, mla = formats(title="Rye at home", site="The Loaf", date="2020-03-04")
    assert apa == f"Rye at home. (2020, March 4). The Loaf. {URL}"
    assert mla == f'"Rye at home." The Loaf, 4 Mar. 2020, {END}'


def test_without_a_date_the_day_of_reading_stands_in():
    apa, mla = formats(title="Rye", author="Jane Doe", site="The Loaf")
    assert apa == f"Doe, J. (n.d.). Rye. The Loaf. Retrieved November 16, 2026, from {URL}"
    assert mla == f'Doe, Jane. "Rye." The Loaf, {END}'


@pytest.mark.parametrize(
    ("author", "apa", "mla"),
    [
        ("Jane Doe", "Doe, J.", "Doe, Jane."),
        ("Doe, Jane Q.", "Doe, J. Q.", "Doe, Jane Q."),
        ("Jean-Luc Meunier", "Meunier, J.-L.", "Meunier, Jean-Luc."),
        ("A.B.C. Miller", "Miller, A. B. C.", "Miller, A.B.C."),
        ("Jane Doe, John Roe", "Doe, J., & Roe, J.", "Doe, Jane, and John Roe."),
        ("Jane Doe and John Roe", "Doe, J., & Roe, J.", "Doe, Jane, and John Roe."),
        ("Doe, Jane and Roe, John", "Doe, J., & Roe, J.", "Doe, Jane, and John Roe."),
        ("Doe, J., Roe, R. S.", "Doe, J., & Roe, R. S.", "Doe, J., and R. S. Roe."),
        ("Doe, Jane; Roe, John", "Doe, J., & Roe, J.", "Doe, Jane, and John Roe."),
        ("Jane Doe, John Roe, and Mary Poe", "Doe, J., Roe, J., & Poe, M.", "Doe, Jane, et al."),
        ("Jane Doe & Jane Doe", "Doe, J.", "Doe, Jane."),
        ("Abel Baker Jr.", "Baker, A., Jr.", "Baker, Abel, Jr."),
        ("Baker, Abel, Jr.", "Baker, A., Jr.", "Baker, Abel, Jr."),
        ("Abel Baker, III", "Baker, A., III.", "Baker, Abel, III."),
        ("Jane Doe, PhD", "Doe, J.", "Doe, Jane."),
        ("Dr. Jane Doe Ph.D.", "Doe, J.", "Doe, Jane."),
        ("Mei Ma", "Ma, M.", "Ma, Mei."),
        ("Piet van der Berg", "van der Berg, P.", "van der Berg, Piet."),
        ("van der Berg, Piet", "van der Berg, P.", "van der Berg, Piet."),
        ("Ana Maria de la Torre", "de la Torre, A. M.", "de la Torre, Ana Maria."),
        ("Rosa De Luca", "De Luca, R.", "De Luca, Rosa."),
        ("Luis Vega y Soto", "Vega y Soto, L.", "Vega y Soto, Luis."),
        ("\u017d\u00f3fia \u0160koda", "\u0160koda, \u017d.", "\u0160koda, \u017d\u00f3fia."),
        ("\u5c71\u7530 \u82b1\u5b50", "\u5c71\u7530 \u82b1\u5b50.", "\u5c71\u7530 \u82b1\u5b50."),
        ("Mira \ua7f3", "\ua7f3, M.", "\ua7f3, Mira."),  # a small letter to some Pythons only
        ("Millstone", "Millstone.", "Millstone."),
        ("Millstone, Inc.", "Millstone, Inc.", "Millstone, Inc."),
        ("Rye Growers Association", "Rye Growers Association.", "Rye Growers Association."),
        ("Institute for Flour and Water", "Institute for Flour and Water.", "Institute for Flour and Water."),
        ("Office of Ovens, Kilns, and Pans", "Office of Ovens, Kilns, and Pans.", "Office of Ovens, Kilns, and Pans."),
        ("The Crumb", "The Crumb.", "The Crumb."),
        ("By Jane Doe", "Doe, J.", "Doe, Jane."),
        ("Jane Doe (Photographs)", "Doe, J.", "Doe, Jane."),
        ("Jane Doe, Senior Writer", "Doe, J.", "Doe, Jane."),
        ("Jane Doe with John Roe", "Doe, J., & Roe, J.", "Doe, Jane, and John Roe."),
        ("Doe JQ, Roe A", "Doe, J. Q., & Roe, A.", "Doe, J. Q., and A. Roe."),
        ("Jane D.", "Jane D.", "Jane D."),
        ("Anne d'Orme", "d'Orme, A.", "d'Orme, Anne."),
        ("Omar al-Tahhan", "al-Tahhan, O.", "al-Tahhan, Omar."),
        ("Bran Clinic", "Bran Clinic.", "Bran Clinic."),
        ("jane doe", "jane doe.", "jane doe."),
        ("baker_42", "baker_42.", "baker_42."),
        (("Jane Doe", "Roe, John"), "Doe, J., & Roe, J.", "Doe, Jane, and John Roe."),
    ],
)  # fmt: skip
def test_names(author, apa, mla):
    assert named(author) == (apa, mla)


def test_an_address_is_no_name():
    assert formats(title="Rye", author="https://social.example/jane", date="2020") == formats(title="Rye", date="2020")


def test_twenty_authors_are_named_and_more_are_shortened():
    names = [f"Given{letter} Family{letter}" for letter in "ABCDEFGHIJKLMNOPQRSTU"]
    twenty, _ = named(names[:20])
    assert twenty.endswith("FamilyS, G., & FamilyT, G.")
    more, mla = named(names)
    assert more.endswith("FamilyS, G., . . . FamilyU, G.")
    assert "FamilyT" not in more
    assert mla == "FamilyA, GivenA, et al."


def test_who_publishes_its_own_page_is_named_once():
    apa, mla = formats(title="Rye", author="The Loaf", site="the loaf", date="2020")
    assert apa == f"The Loaf. (2020). Rye. {URL}"
    assert mla == f'"Rye." the loaf, 2020, {END}'
    apa, mla = formats(title="Rye", author="Blue Crust", site="Blue Crust", date="2020")
    assert apa == f"Blue Crust. (2020). Rye. {URL}"
    assert mla == f'"Rye." Blue Crust, 2020, {END}'
    apa, mla = formats(title="The Loaf", site="The Loaf", date="2020")
    assert apa == f"The Loaf. (2020). {URL}"
    assert mla == f'"The Loaf." 2020, {END}'


@pytest.mark.parametrize(
    ("date", "kept", "apa", "mla"),
    [
        ("2020", "2020", "(2020)", "2020"),
        ("2020-05", "2020-05", "(2020, May)", "May 2020"),
        ("2020-09-01", "2020-09-01", "(2020, September 1)", "1 Sept. 2020"),
        ("2024-02-29", "2024-02-29", "(2024, February 29)", "29 Feb. 2024"),
        ("2023-02-29", "2023-02", "(2023, February)", "Feb. 2023"),
        ("1900-02-29", "1900-02", "(1900, February)", "Feb. 1900"),
        ("2000-02-29", "2000-02-29", "(2000, February 29)", "29 Feb. 2000"),
        ("2020-13-01", "2020", "(2020)", "2020"),
        ("0850-01", "0850-01", "(0850, January)", "Jan. 0850"),
    ],
)  # fmt: skip
def test_dates_in_part(date, kept, apa, mla):
    found = cite(URL, READ_MS, title="Rye", site="The Loaf", date=date)
    assert found.metadata.date == kept
    assert found.formatted.apa == f"Rye. {apa}. The Loaf. {URL}"
    assert found.formatted.mla == f'"Rye." The Loaf, {mla}, {END}'


@pytest.mark.parametrize("date", ["", "yesterday", "0000-01-01", "20200304", "12345", "\u0662\u0660\u0662\u0660"])
def test_what_is_no_date_is_none(date):
    assert cite(URL, READ_MS, date=date).metadata.date == ""


def test_titles_keep_their_own_marks():
    apa, mla = formats(title='Is "rye" bread?', site="The Loaf", date="2020")
    assert apa == f'Is "rye" bread? (2020). The Loaf. {URL}'
    assert mla == f"\"Is 'rye' bread?\" The Loaf, 2020, {END}"
    assert formats(title="All about RYE.", date="2020")[0].startswith("All about RYE. (2020)")
    assert "What <table> does" in formats(title="What <table> does")[0]


def test_hostile_text_is_one_clean_line():
    found = cite(
        "https://loaf.example/\r\na b\x00",
        READ_MS,
        title="<b>Rye</b>\r\n\x1b[31m at\u202e <scr<i>ipt>home</scr</i>ipt>\ud800",
        author="Jane\nDoe\x07",
        site="The\tLoaf",
        date="2020-03\n",
    )
    assert found.url == "https://loaf.example/ab"
    assert found.metadata.title == "Rye [31m at home"
    assert found.formatted.apa == "Doe, J. (2020, March). Rye [31m at home. The Loaf. https://loaf.example/ab"


def test_endless_text_is_cut_with_a_mark():
    found = cite(URL, READ_MS, title="rye and " * 20_000, author="Jane Doe, " * 20_000, site="s" * 100_000)
    assert found.metadata.title.endswith(" rye and\u2026") or found.metadata.title.endswith(" rye\u2026")
    assert len(found.metadata.title.encode()) <= 503
    assert len(found.metadata.author.encode()) <= 2_003
    assert len(found.formatted.apa) < 4_000
    many = cite(URL, READ_MS, author=["Jane " + "Doe" * 1_000] * 5_000)
    assert len(many.model_dump_json()) < 10_000


def test_names_at_the_door():
    found = cite(URL, READ_MS, title="Rye", author="Jane Doe", site="The Loaf", date="2020")
    told = json.loads(found.model_dump_json())
    assert told == {
        "url": URL,
        "accessedDate": "2026-11-16",
        "metadata": {"title": "Rye", "author": "Jane Doe", "site": "The Loaf", "date": "2020"},
        "formatted": {
            "apa": f"Doe, J. (2020). Rye. The Loaf. {URL}",
            "mla": f'Doe, Jane. "Rye." The Loaf, 2020, {END}',
        },
    }
    assert Citation.model_validate_json(found.model_dump_json()) == found


def test_nested_markup_is_gone_after_a_few_looks():
    author = "Jane " + "<b" * 900 + ">" * 900 + " Doe"
    found = cite("https://loaf.example/", READ_MS, author=author, title=author, site=author)
    told = found.metadata
    assert not any(mark in part for part in (told.author, told.title, told.site) for mark in "<>")
