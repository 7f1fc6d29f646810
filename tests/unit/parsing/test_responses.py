"""Responses from the web: their format whatever their label, their encoding, and JSON, CSV and feeds as text."""

from __future__ import annotations

import pytest

from app.parsing.document import ParsedDocument, Refusal, kind_of_response, parse_document, parse_response

RUSSIAN = "Хлеб из ржаной муки хранится дольше, чем пшеничный, и не черствеет несколько дней."
JAPANESE = "ライ麦パンは小麦のパンより長持ちします。粉と水と塩だけで作れます。"
CHINESE = "黑麦面包比小麦面包保存的时间更长、只需要面粉、水和盐。"
TAIWANESE = "黑麥麵包比小麥麵包保存的時間更長、只需要麵粉、水和鹽。"
KOREAN = "호밀빵은 밀빵보다 오래 보관할 수 있으며 밀가루와 물과 소금만 있으면 됩니다."
FRENCH = "Le pain de seigle se garde plus longtemps, même s'il a été coupé à l'avance : c'est très commode."
POLISH = "Chleb żytni dłużej zachowuje świeżość niż pszenny, a jego skórka jest grubsza i ciemniejsza."
GREEK = "Ψωμί σίκαλης διατηρείται περισσότερο από το σταρένιο και χρειάζεται μόνο αλεύρι, νερό και αλάτι."


@pytest.mark.parametrize(
    ("data", "kind", "name", "wanted"),
    [
        (b"<!DOCTYPE html><p>x", "", "", "html"),
        (b"  <!-- hi --><html>", "text/plain", "", "html"),
        (b"<html>an error</html>", "application/json", "", "html"),
        (b"<p>x", "text/html", "", "html"),
        (b"plain", "", "", "text"),
        (b"plain", "text/x-anything", "", "text"),
        (b"# Rye", "text/markdown", "", "markdown"),
        (b"# Rye", "text/plain", "readme.md", "markdown"),
        (b"{}", "application/ld+json", "", "json"),
        (b"{}", "application/problem+json", "", "json"),
        (b"a,b", "text/csv", "", "csv"),
        (b"<?xml version='1.0'?><rss>", "text/xml", "", "feed"),
        (b"<feed xmlns='x'>", "application/xml", "", "feed"),
        (b"<feed>", "text/html", "", "feed"),
        (b"\x89PNG", "image/png", "", None),
        (b"x", "video/mp4", "a.md", None),
        (b"PK\x03\x04", "application/zip", "", None),
        (b"x", "application/pdf", "", "pdf"),
    ],
)
def test_the_format_of_a_response(data, kind, name, wanted):
    assert kind_of_response(data, kind, name) == wanted


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "koi8-r"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (CHINESE, "gb18030"),
        (TAIWANESE, "big5"),
        (KOREAN, "euc_kr"),
        (FRENCH, "cp1252"),
        (GREEK, "cp1253"),
        (RUSSIAN, "utf-8"),
        (JAPANESE, "utf-16"),
    ],
)
def test_an_encoding_that_nobody_names_is_found(text, codec):
    got = parse_response(text.encode(codec), "text/plain", "")
    assert isinstance(got, ParsedDocument)
    assert got.text == text
    assert got.charset_guessed is (not codec.startswith("utf"))


def test_a_label_is_believed_where_it_decodes():
    assert parse_response(POLISH.encode("cp1250"), "text/plain", "windows-1250").text == POLISH
    assert parse_response(POLISH.encode("iso8859-2"), "text/plain", "ISO-8859-2").text == POLISH
    assert parse_response(FRENCH.encode("cp1252"), "text/plain", "latin1").charset_guessed is False
    wrong = parse_response(RUSSIAN.encode("cp1251"), "text/plain", "shift_jis")  # may decode, into nonsense
    assert isinstance(wrong, ParsedDocument)
    assert parse_response(RUSSIAN.encode(), "text/plain", "latin1").text == RUSSIAN  # valid UTF-8 outranks a label
    for label in ("klingon", "utf-7", "rot13", "zip", "\x00", "idna", "x" * 1000):
        assert parse_response(FRENCH.encode("cp1252"), "text/plain", label).text == FRENCH
    page = f"<html><head><meta charset=koi8-r></head><body>{RUSSIAN}</body>".encode("koi8-r")
    assert parse_response(page, "text/html", "").text == RUSSIAN
    assert parse_response(b"a\x00b", "text/plain", "") is Refusal.BINARY
    assert parse_response(bytes(range(1, 256)) * 20, "text/plain", "") is Refusal.BINARY
    stray = parse_response(b"Rye keeps. \x81\x8d Spelt does not. " * 20, "text/plain", "")
    assert isinstance(stray, ParsedDocument)
    assert stray.charset_guessed
    late = parse_response(b"<!-- plain -->" * 3_000 + f"<p>{RUSSIAN}".encode("cp1251"), "text/html", "")
    assert late.text == RUSSIAN
    assert parse_response(b"", "text/plain", "") is Refusal.EMPTY
    assert parse_response(b"\x89PNG", "image/png", "") is Refusal.UNSUPPORTED


def test_json_shows_its_words_and_keeps_its_numbers():
    data = rb'{"a": "caf\u00e9\nbar", "n": 1.10, "big": 1234567890123456789012, '
    data += rb'"a": [true, null, {"x": []}, {}], "": "e\ud800"}'
    got = parse_response(data, "application/json", "")
    assert got.text.split("\n") == [
        "{", "  a: caf\u00e9 bar", "  n: 1.10", "  big: 1234567890123456789012", "  a:", "    true", "    null",
        "    -", "      x: []", "    {}", '  "": e?',
    ]  # fmt: skip
    assert parse_document(b'"alone"', "a.json").text == "alone"
    assert parse_document(b"", "a.json") is Refusal.EMPTY
    for bad in (b"{", b"nothing", b"[" * 100_000, b"{'a': 1}", b'{"a": 1} more'):
        assert parse_document(bad, "a.json") is Refusal.UNREADABLE


def test_csv_becomes_a_table():
    got = parse_document(b'grain;price\nrye;"1|2"\n"two\nlines";3\n', "a.csv")
    assert got.text == "| grain | price |\n| --- | --- |\n| rye | 1\\|2 |\n| two lines | 3 |"
    assert parse_document(b"just words\nand more", "a.csv").text == "just words\nand more"
    assert parse_document(b"a\tb\nc\td", "a.csv").text.startswith("| a | b |")
    assert parse_document(b"", "a.csv") is Refusal.EMPTY
    assert parse_document(b"a,b\n" * 30 + b'"' + b"x" * 200_000 + b'",c', "a.csv") is Refusal.UNREADABLE


RSS = """<?xml version="1.0"?><!DOCTYPE rss PUBLIC "-//x//y" "http://shop.example/rss.dtd">
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Bread &amp; more</title>
<description>All about bread&nbsp;here</description>
<item><title>Rye</title><link>https://shop.example/rye</link><pubDate>Mon, 16 Nov 2026 10:00:00 GMT</pubDate>
<description><![CDATA[<p>Keeps <b>long</b>.</p><p style="display:none">unseen words</p>]]></description></item>
<item><title>Spelt</title><description>Old &lt;i&gt;grain&lt;/i&gt;</description></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Bread</title><entry><title>Rye</title>
<link rel="edit" href="https://shop.example/edit"/><link href="https://shop.example/rye"/><updated>2026-11-16</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Keeps</p><p>long</p></div></content></entry></feed>"""


def test_feeds_are_read_entry_by_entry():
    rss = parse_response(RSS.encode(), "text/xml", "")
    assert rss.title == "Bread & more"
    assert rss.text == (
        "Bread & more\n\nAll about bread here\n\nRye\n\nMon, 16 Nov 2026 10:00:00 GMT\nhttps://shop.example/rye\n\n"
        "Keeps long.\n\nSpelt\n\nOld grain"
    )
    assert rss.hidden == ("unseen words",)
    assert [heading.level for heading in rss.headings] == [1, 2, 2]
    atom = parse_response(ATOM.encode(), "application/atom+xml", "")
    assert atom.text == "Bread\n\nRye\n\n2026-11-16\nhttps://shop.example/rye\n\nKeeps long"


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ('<!DOCTYPE rss [<!ENTITY a "ha">]><rss>&a;</rss>', Refusal.BOMB),
        ("<rss><channel>", Refusal.UNREADABLE),
        ("<rss>" + "<item>" * 1000, Refusal.UNREADABLE),
        ("<html/>", Refusal.UNSUPPORTED),
        ("<rss/>", Refusal.EMPTY),
        ("no xml", Refusal.UNREADABLE),
    ],
)
def test_what_is_no_feed_says_why(text, refusal):
    assert parse_document(text.encode(), "a.rss") is refusal


def test_a_line_of_many_megabytes_is_read_or_cut_and_never_a_surprise():
    line = b"word " * 1_000_000
    assert isinstance(parse_response(line, "text/plain", ""), ParsedDocument)
    spaces = b" " * 3_000_000
    assert isinstance(parse_response(b'{"a": "x' + spaces + b'y"}', "application/json", ""), ParsedDocument)
    assert isinstance(parse_response(b"a,b\n1," + spaces[:100_000] + b"2\n", "text/csv", ""), ParsedDocument)
    assert isinstance(parse_response(b"<!--" * 1_000_000, "", ""), ParsedDocument | Refusal)
    assert isinstance(parse_response(b"<!-- -->" * 500_000 + b"<html>x", "", ""), ParsedDocument | Refusal)
    csv = parse_response(b"a,b\n" + b"1,2\n" * 500_000, "text/csv", "")
    assert csv.truncated
