"""The registry: every capability there is, by name; only their plans run.

A command that uses one capability loads that one alone: loading all of them takes a fifth of a question's time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ..kernel.capability import AnyCapability

__all__ = ["CAPABILITIES"]

_NAMES: Final = (
    "ask_documents",
    "check_grounding",
    "lint_report",
    "research",
    "search_documents",
    "scrape_page",
    "web_search",
    "news_search",
    "image_search",
    "search_and_scrape",
    "academic_search",
)


def _entry(name: str) -> AnyCapability:
    match name:
        case "ask_documents":
            from .documents.ask_documents import ASK_DOCUMENTS

            return ASK_DOCUMENTS
        case "check_grounding":
            from .answers.check_grounding import CHECK_GROUNDING

            return CHECK_GROUNDING
        case "lint_report":
            from .answers.lint_report import LINT_REPORT

            return LINT_REPORT
        case "research":
            from .answers.research import RESEARCH

            return RESEARCH
        case "search_documents":
            from .documents.search_documents import SEARCH_DOCUMENTS

            return SEARCH_DOCUMENTS
        case "scrape_page":
            from .web.scrape_page import SCRAPE_PAGE

            return SCRAPE_PAGE
        case "web_search":
            from .web.web_search import WEB_SEARCH

            return WEB_SEARCH
        case "news_search":
            from .web.news_search import NEWS_SEARCH

            return NEWS_SEARCH
        case "image_search":
            from .web.image_search import IMAGE_SEARCH

            return IMAGE_SEARCH
        case "search_and_scrape":
            from .web.search_and_scrape import SEARCH_AND_SCRAPE

            return SEARCH_AND_SCRAPE
        case "academic_search":
            from .papers.academic_search import ACADEMIC_SEARCH

            return ACADEMIC_SEARCH
        case _:
            raise KeyError(name)


class _Registry(Mapping[str, AnyCapability]):
    def __getitem__(self, name: str) -> AnyCapability:
        return _entry(name)

    def __contains__(self, name: object) -> bool:
        return name in _NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


CAPABILITIES: Final[Mapping[str, AnyCapability]] = _Registry()
