"""One name for the many addresses of a page."""

from __future__ import annotations

import pytest

from app.parsing.url.canonical_url import canonical_url, doi_in_url

PAGE = "https://bakery.example/rye"
SAME = {
    PAGE: [
        "http://bakery.example/rye",
        "https://www.bakery.example/rye/",
        "https://m.bakery.example/rye",
        "https://mobile.bakery.example/rye",
        "https://amp.bakery.example/rye",
        "https://bakery.example/rye?utm_source=feed&utm_medium=mail",
        "https://bakery.example/rye?fbclid=abc&gclid=d&mc_eid=e",
        "https://bakery.example/rye#crust",
        "https://BAKERY.example:443/rye",
        "https://bakery.example/rye/amp",
        "https://bakery.example/rye/amp/",
        "https://bakery.example/amp/rye",
        "https://bakery.example/rye?amp=1",
        "https://bakery.example/rye?outputType=amp",
        "https://www.google.com/amp/s/bakery.example/rye",
        "https://bakery-example.cdn.ampproject.org/c/s/bakery.example/rye",
        "https://www.google.com/url?sa=t&q=https%3A%2F%2Fbakery.example%2Frye&ved=x",
        "https://bakery.example/%72ye",
        " https://bakery.example/rye ",
        "https://bakery.example/rye/index.html",
        "https://bakery.example//rye",
        "https://bakery.example/rye;jsessionid=1A2B",
        "https://bakery.example/rye?CMP=share_btn_tw",
        "https://bakery.example/rye?WT.mc_id=7&mibextid=x",
        "https://bakery.example/rye?view=amp",
        "https://bakery.example/rye?",
    ],
    "https://bakery.example/news/world-1": ["https://bakery.example/news/amp/world-1"],
    "https://x.com/mill/status/12": ["https://mobile.twitter.com/mill/status/12?s=20&t=abc"],
    "https://reddit.com/r/bread/comments/1/rye": ["https://old.reddit.com/r/bread/comments/1/rye/"],
    "https://bakery.example/rye.html": ["https://bakery.example/rye.amp.html"],
    "https://en.wikipedia.org/wiki/Rye": ["https://en.m.wikipedia.org/wiki/Rye"],
    "https://bakery.example/find?a=1&b=2": ["https://bakery.example/find?b=2&a=1&_ga=5"],
    "https://bakery.example": ["http://www.bakery.example/", "https://bakery.example/index.php"],
    "https://doi.org/10.5555/rye.1": [
        "https://dx.doi.org/10.5555/RYE.1",
        "http://doi.org/10.5555%2Frye.1",
        "https://onlinelibrary.wiley.com/doi/full/10.5555/rye.1",
        "https://dl.acm.org/doi/pdf/10.5555/rye.1",
        "https://link.springer.com/article/10.5555/rye.1?utm_source=x",
        "https://www.tandfonline.com/doi/abs/10.5555/rye.1/abstract",
        "https://journals.plos.org/plosone/article?id=10.5555/rye.1",
    ],
    "https://doi.org/10.1101/2020.01.02.123456": [
        "https://biorxiv.org/content/10.1101/2020.01.02.123456v2.full.pdf",
        "https://www.biorxiv.org/content/10.1101/2020.01.02.123456v1",
    ],
    "https://arxiv.org/abs/2101.00001": [
        "https://arxiv.org/pdf/2101.00001v3.pdf",
        "http://export.arxiv.org/abs/2101.00001v1",
        "https://doi.org/10.48550/arXiv.2101.00001",
    ],
    "https://pubmed.ncbi.nlm.nih.gov/123": [
        "https://www.ncbi.nlm.nih.gov/pubmed/123",
        "https://pubmed.ncbi.nlm.nih.gov/123/",
    ],
    "https://youtube.com/watch?v=abcdefghijk": [
        "https://youtu.be/abcdefghijk?si=x",
        "https://m.youtube.com/watch?v=abcdefghijk&t=5s&feature=share",
    ],
}


@pytest.mark.parametrize(("name", "url"), [(name, url) for name, urls in SAME.items() for url in (name, *urls)])
def test_one_name(name, url):
    assert canonical_url(url) == name
    assert canonical_url(canonical_url(url)) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (PAGE, "https://bakery.example/wheat"),
        (PAGE, "https://bakery.example:8443/rye"),
        (PAGE, "https://shop.bakery.example/rye"),
        (PAGE, "https://bakery.example/rye?page=2"),
        (PAGE, "https://bakery.example/Rye"),
        ("https://m.example", "https://example.org"),
        ("https://bakery.example/amp", "https://bakery.example/"),
        ("https://bakery.example/a%2Fb", "https://bakery.example/a/b"),
        ("https://github.com/a/b?ref=x", "https://github.com/a/b?ref=y"),
    ],
)
def test_two_pages(one, other):
    assert canonical_url(one) != canonical_url(other)


@pytest.mark.parametrize(
    "text", ["", "nonsense", "javascript:alert(1)", "http://127.0.0.1/", "https://" + "a" * 9_000, "%"]
)
def test_what_is_no_public_page_comes_back(text):
    assert canonical_url(text) == text


def test_a_doi_in_an_address():
    assert doi_in_url("https://www.nejm.org/doi/full/10.1056/NEJMoa2034577") == "10.1056/nejmoa2034577"
    assert doi_in_url("https://bakery.example/10.5555") == ""
    assert doi_in_url("ftp://bakery.example/10.5555/a") == ""
