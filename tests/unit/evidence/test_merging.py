"""Merged rankings: one entry per page, the same bytes in any order of completion."""

from __future__ import annotations

import itertools

from tests.fixtures.seeded import seeded

from app.evidence.merging import image_keys, merge_hits
from app.kernel.canonical import sha256_hex
from app.kernel.results import Source, SourceKind


def _source(url, provider, position, call_id="c1", **facts):
    digest = sha256_hex(f"{url}{provider}{position}{sorted(facts.items())}".encode())
    own = (("service:provider", provider), ("service:position", str(position)))
    return Source(
        source_id=digest,
        call_id=call_id,
        tool="services",
        kind=SourceKind.HIT,
        payload="record",
        locator=url,
        title=f"{provider} {position}",
        text="text",
        metadata=(*facts.items(), *own),
        content_hash=digest,
        text_hash=digest,
        start=0,
        end=4,
        relevance_milli=0,
        trust="untrusted-external-content",
    )


def _told(merged):
    return [(hit.best.locator, hit.best.title, len(hit.others), hit.score) for hit in merged]


def test_one_provider_keeps_its_order():
    sources = [_source(f"https://a.example/{n}", "brave", n) for n in range(20)]
    assert [hit.best.locator for hit in merge_hits(reversed(sources))] == [one.locator for one in sources]


def test_who_is_found_by_two_comes_first():
    sources = [
        _source("https://a.example/1", "brave", 0),
        _source("https://b.example/2?utm_source=x", "brave", 1),
        _source("https://m.b.example/2", "serper", 0),
    ]
    first, second = merge_hits(sources)
    assert (first.best.locator, len(first.others)) == ("https://m.b.example/2", 1)
    assert second.best.locator == "https://a.example/1"


def test_a_doi_joins_what_two_addresses_keep_apart():
    sources = [
        _source("https://doi.org/10.5555/a", "crossref", 0, doi="10.5555/A"),
        _source("https://openalex.org/W1", "openalex", 0, doi="10.5555/a", pdf="https://x.example/a.pdf"),
        _source("https://openalex.org/W1", "other", 3),
    ]
    (work,) = merge_hits(sources)
    assert work.fact("pdf") == "https://x.example/a.pdf"
    assert len(work.others) == 2


def test_any_order_gives_the_same():
    sources = [
        _source(f"https://{'m.' if (n + p) % 3 == 0 else ''}a.example/{(n * 7 + p) % 11}", name, n)
        for p, name in enumerate(("brave", "searxng", "serper", "tavily"))
        for n in range(8)
    ]
    expected = _told(merge_hits(sources))
    for seed in range(200):
        shuffled = list(sources)
        seeded(seed).shuffle(shuffled)
        assert _told(merge_hits(shuffled)) == expected
    for order in itertools.permutations(sources[:6]):
        assert _told(merge_hits(order)) == _told(merge_hits(sources[:6]))


def test_pictures_of_one_page_stay_apart():
    page = "https://a.example/gallery"
    sources = [_source(page, "brave", n, image=f"https://cdn.example/{n % 2}.jpg") for n in range(4)]
    assert len(merge_hits(sources, image_keys)) == 2
