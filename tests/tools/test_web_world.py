"""The loopback world: its pages are read by the real gate, its services by the real parsers, over real HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter

import pytest
from tests.fixtures.web import IMPATIENT
from tests.fixtures.web_world import WEB_SERVICES, open_world, read_pages, world_gate

from app import Principal, Settings
from app.kernel.calls import CallContext, ToolCall
from app.system.clock import SystemClock
from app.system.provider_files import read_providers
from app.system.settings import settings_from
from app.system.stores.content.memory import MemoryStore
from app.tools.fetch.fetcher import Fetcher
from app.tools.fetch.ports import FetchConfig
from app.tools.services import open_services

READER = Principal(tenant="acme", user="u1", tier="MAX")
CONTEXT = CallContext(tenant="acme", collection=None, own_deadline_ms=9_000, max_output_bytes=400_000)
KEYS = {f"PORTCULLIS_KEY_{name}": "not-a-real-key" for name in ("BRAVE", "SERPER", "TAVILY")}
PAPERS = "seagrass recovery behind a barrage"
ASKED = [
    ("searxng", "web", {"query": "tidal power station capacity"}),
    ("searxng", "news", {"query": "railway line reopening"}),
    ("searxng", "images", {"query": "turbines"}),
    ("searxng", "papers", {"query": PAPERS}),
    ("brave", "web", {"query": "heat pump grant"}),
    ("brave", "news", {"query": "drinking water price"}),
    ("brave", "images", {"query": "barrage"}),
    ("wikipedia", "web", {"query": "seagrass meadow"}),
    ("wikipedia", "summary", {"ids": ("Rye bread",)}),
    ("wikipedia", "page", {"ids": ("Tidal barrage",)}),
    ("openalex", "papers", {"query": PAPERS}),
    ("openalex", "paper", {"ids": ("10.5555/jcw.2022.031",)}),
    ("crossref", "papers", {"query": PAPERS}),
    ("crossref", "paper", {"ids": ("10.5555/jcw.2020.077",)}),
    ("unpaywall", "open_access", {"ids": ("10.5555/jcw.2021.014",)}),
    ("hackernews", "web", {"query": "battery trains"}),
    ("serper", "web", {"query": "rye bread storage"}),
    ("serper", "news", {"query": "market hall"}),
    ("serper", "images", {"query": "loaf"}),
    ("tavily", "web", {"query": "company revenue annual report"}),
]


def test_the_world_is_wide_enough():
    pages = read_pages().values()
    assert len({page.host for page in pages}) >= 15
    assert len(pages) >= 60
    assert len({page.lang for page in pages}) >= 4
    assert sum(bool(page.doi) for page in pages) >= 4
    marks = Counter(mark for page in pages for mark in page.marks)
    assert {"poisoned", "hidden", "status", "redirect", "robots", "slow", "retracted"} <= set(marks)


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    rows = read_providers().providers
    kinds = sorted({kind for row in rows for kind in row.kinds})
    routing = ";".join(f"{kind}={','.join(row.name for row in rows if kind in row.kinds)}" for kind in kinds)
    given = {**WEB_SERVICES, **KEYS, "PORTCULLIS_SEARCH_ROUTING": routing}
    return settings_from({**given, "PORTCULLIS_DATA": str(tmp_path_factory.mktemp("data"))})


async def test_every_service_of_the_world_is_read_by_its_provider(settings):
    async with open_world() as world:
        config = FetchConfig(hosts=IMPATIENT, contact=settings.contact, own_services=settings.services_of_urls)
        fetcher = Fetcher(config, world.net.machine)
        tool = open_services(settings, lambda: fetcher, SystemClock(), MemoryStore())
        try:
            for number, (provider, kind, params) in enumerate(ASKED):
                given = {"providers": (provider,), "kind": kind, **params}
                call = ToolCall(call_id=f"c{number}", tool="services", params=tuple(given.items()))
                got = await tool.call(call, CONTEXT)
                assert got.status == "ok", (provider, kind, got)
                assert all(item.title and item.locator.startswith("https://") for item in got.items), (provider, kind)
        finally:
            await tool.aclose()


async def test_pages_of_the_world_are_scraped_through_the_gate(tmp_path):
    settings = Settings(data_dir=tmp_path)
    wanted = {
        "https://kelder-power.example/station": "240 megawatts",
        "https://northcoast-rail.example/moved/timetable": "52 minutes",
        "https://journal-coastal.example/articles/seagrass-recovery.pdf": "58 percent",
        "https://marine-institute.example/data/temperature.csv": "15.9",
        "https://kuestenbahn.example/strecke": "Vierundvierzig Jahre",
    }
    refused = {
        "https://harbour-gazette.example/subscribers/council-inquiry": "auth_required",
        "https://energy-authority.example/old/tariffs": "not_found",
        "https://homeheat-advice.example/private/customers": "blocked",
        "https://tidewatch-blog.example/posts/best-power-plants": "upstream_unavailable",
        "https://tidewatch-blog.example/posts/hidden-note": "upstream_unavailable",
    }
    async with world_gate(None, settings=settings) as gate:
        for url, text in wanted.items():
            answer = await gate.call("scrape_page", {"url": url}, READER)
            assert text in answer.result.content, url
        for url, kind in refused.items():
            answer = await gate.call("scrape_page", {"url": url}, READER)
            assert answer.result.error.kind == kind, url


def test_the_command_line_runs_on_the_world(tmp_path):
    words = [
        sys.executable,
        "-m",
        "tests.fixtures.web_world",
        "scrape",
        "https://millers-guild.example/guides/rye-bread",
    ]
    done = subprocess.run(
        [*words, "--json"], capture_output=True, text=True, env={"PORTCULLIS_DATA": str(tmp_path), "PATH": "/usr/bin"}
    )
    assert done.returncode == 0, done.stderr
    assert "eight to ten days" in json.loads(done.stdout)["content"]
