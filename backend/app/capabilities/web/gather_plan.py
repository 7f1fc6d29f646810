"""The plan of a search whose pages are read: one search, then its pages in batches of five as far as the grant goes."""

from __future__ import annotations

from typing import Final

from ...evidence.merging import merge_hits
from ...kernel.calls import Batch, Done, ToolCall
from ...kernel.models import FrozenModel
from ...kernel.outcome import SoFar
from ...kernel.request import Grant
from ...kernel.results import Source, SourceKind
from ..searching.search_calls import SEARCH_CALL

__all__ = ["AT_ONCE", "PAGE_UNITS", "READ_PAGE", "GatherPlan", "page_calls", "pages_of"]

READ_PAGE: Final = "scrape_page"
PAGE_UNITS: Final = 1
"""What reading a page costs, as the row of the tool says."""
AT_ONCE: Final = 5
_PREFIX: Final = "page-"


class GatherPlan(FrozenModel):
    """Searches, reads the best pages, and ends with `limit` where the grant covers no more of them (R4)."""

    search: ToolCall | None
    pages: int
    max_length: int
    # R21: a search capability; a page that could not be read is told with its address, which only a hit has.
    counts: tuple[SourceKind, ...] = (SourceKind.FETCHED, SourceKind.HIT)

    def next_step(self, grant: Grant, so_far: SoFar) -> Batch | Done:
        """The search, then at most five pages at a time."""
        if self.search is None:
            return Done(why="complete")
        done = {call.call_id for call in so_far.outcomes}
        if SEARCH_CALL not in done:
            return Batch(calls=(self.search,))
        left = tuple(
            call for call in page_calls(so_far.sources, self.pages, self.max_length) if call.call_id not in done
        )
        if not left:
            return Done(why="complete")
        room = min(AT_ONCE, so_far.calls_left, so_far.units_left // PAGE_UNITS)
        return Batch(calls=left[:room]) if room > 0 else Done(why="limit")


def pages_of(sources: tuple[Source, ...], most: int) -> tuple[str, ...]:
    """The addresses of the best results, each page once."""
    hits = merge_hits(source for source in sources if source.call_id == SEARCH_CALL)
    return tuple(hit.best.locator for hit in hits[:most])


def page_calls(sources: tuple[Source, ...], most: int, max_length: int) -> tuple[ToolCall, ...]:
    """One call for each of them; the number in its id is the place of the result."""
    return tuple(
        ToolCall(
            call_id=f"{_PREFIX}{number}",
            tool=READ_PAGE,
            params=(("url", url), ("form", "text"), ("max_length", max_length)),
        )
        for number, url in enumerate(pages_of(sources, most), start=1)
    )
