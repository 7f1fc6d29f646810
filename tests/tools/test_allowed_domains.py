"""`PORTCULLIS_ALLOWED_DOMAINS`: pages of no other domain are fetched, whatever leads there."""

from __future__ import annotations

import pytest
from tests.fixtures.web import IMPATIENT, response, web

from app.kernel.errors import RequestInvalid
from app.kernel.results import UnavailableKind
from app.parsing.http.exchange import FetchCode, Fetched, Unfetched
from app.system.settings import settings_from
from app.tools.fetch.ports import FetchConfig

PAGE = response(b"<p>Hello</p>", fields=[("Content-Type", "text/html")])
CONFIG = FetchConfig(hosts=IMPATIENT, allowed_domains=("bakery.example",))


@pytest.mark.parametrize("host", ["bakery.example", "www.bakery.example", "a.b.bakery.example"])
async def test_a_domain_and_all_below_it(host):
    async with web(PAGE, config=CONFIG) as net:
        assert isinstance(await net.fetch(f"http://{host}/"), Fetched)


@pytest.mark.parametrize("host", ["mill.example", "bakery.example.mill.example", "notbakery.example", "example"])
async def test_another_domain_is_not_even_looked_up(host):
    async with web(PAGE, config=CONFIG) as net:
        got = await net.fetch(f"http://{host}/")
        assert net.dialler.dialled == []
    assert isinstance(got, Unfetched)
    assert got.kind is UnavailableKind.REFUSED_DESTINATION


async def test_a_redirect_out_of_the_domain_ends_there():
    async with web(response(b"", 302, [("Location", "http://mill.example/")]), config=CONFIG) as net:
        got = await net.fetch("http://bakery.example/")
        hosts = [asked.field("host") for asked in net.site.asked]
    assert (got.code, hosts) == (FetchCode.DOMAIN, ["bakery.example"])


async def test_rules_for_robots_are_not_fetched_elsewhere_either():
    async def script(asked, writer):
        moved = response(b"", 302, [("Location", "http://mill.example/robots.txt")])
        writer.write(moved if asked.target == "/robots.txt" else PAGE)

    async with web(script, config=CONFIG) as net:
        got = await net.fetch("http://bakery.example/", robots=True)
        hosts = {asked.field("host") for asked in net.site.asked}
    assert (got.kind, hosts) == (UnavailableKind.ROBOTS, {"bakery.example"})


async def test_a_service_that_the_operator_configured_is_asked_all_the_same():
    config = FetchConfig(hosts=IMPATIENT, allowed_domains=("bakery.example",), own_services=("mill.example:80",))
    async with web(PAGE, config=config) as net:
        assert isinstance(await net.fetch("http://mill.example/", own_service=True), Fetched)


def test_the_setting():
    def read(text):
        return settings_from({"HOME": "/nowhere", "PORTCULLIS_ALLOWED_DOMAINS": text}).allowed_domains

    assert read("") == ()
    assert read(" Bakery.example , *.mill.example., bakery.example") == ("bakery.example", "mill.example")
    for wrong in (",", "localhost", "http://bakery.example", "bakery.example/a", "a b.example", "*", "10.0.0.1:80"):
        with pytest.raises(RequestInvalid, match="PORTCULLIS_ALLOWED_DOMAINS"):
            read(wrong)
