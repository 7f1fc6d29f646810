"""Pages that are not read from their own HTML: which they are, what to ask for them, and whom they may lead to.

A confined reader says what it wants next; the host believes it only as far as `may_ask` goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from ..url.urls import JudgedUrl, judge_url
from . import hacker_news, youtube

__all__ = ["MOST_PARTS", "MOST_ROUNDS", "FetchPlan", "Reader", "Wanted", "fetch_plan_of", "may_ask", "plain_way"]

Reader = Literal["page", "hacker_news", "youtube"]
MOST_ROUNDS: Final = 3
"""How often a reader is asked; the last time it has to make do with what is there."""
MOST_PARTS: Final = 25
_LEADS_TO: Final[dict[Reader, tuple[tuple[str, str], ...]]] = {
    "page": (),
    "hacker_news": (("hacker-news.firebaseio.com", "/v0/"),),
    "youtube": (("www.youtube.com", "/api/timedtext?"), ("youtube.com", "/api/timedtext?")),
}


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """How a page is to be read, and what to fetch for it first."""

    reader: Reader
    url: str
    """The page's own address."""
    first: tuple[str, ...]
    for_programs: bool = False
    """The service is made for programs: no robots.txt to ask, no pause to keep."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reader needs before it can say what the page says."""

    urls: tuple[str, ...]


def fetch_plan_of(url: str) -> FetchPlan:
    """The way to a page; its own HTML unless it is one of those that are better had elsewhere."""
    judged = judge_url(url)
    if isinstance(judged, JudgedUrl) and (page := hacker_news.route(url)) is not None:
        return FetchPlan("hacker_news", judged.href, hacker_news.first_requests(page), for_programs=True)
    if (video := youtube.video_id(url)) is not None:
        return FetchPlan("youtube", youtube.watch_address(video), (youtube.watch_request(video),))
    return plain_way(url)


def plain_way(url: str) -> FetchPlan:
    """A page as it lies there."""
    return FetchPlan("page", url, (url,))


def may_ask(reader: Reader, url: str) -> bool:
    """Whether a reader's wish stays with the service that it reads."""
    judged = judge_url(url)
    if not isinstance(judged, JudgedUrl) or judged.scheme != "https":
        return False
    return any(judged.authority == host and judged.target.startswith(path) for host, path in _LEADS_TO[reader])
