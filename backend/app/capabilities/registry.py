"""The registry: every capability there is, by name; only their plans run."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ..kernel.capability import AnyCapability
from .answers.check_grounding import CHECK_GROUNDING
from .answers.lint_report import LINT_REPORT
from .answers.research import RESEARCH
from .documents.ask_documents import ASK_DOCUMENTS
from .documents.search_documents import SEARCH_DOCUMENTS
from .papers.academic_search import ACADEMIC_SEARCH
from .web.image_search import IMAGE_SEARCH
from .web.news_search import NEWS_SEARCH
from .web.scrape_page import SCRAPE_PAGE
from .web.search_and_scrape import SEARCH_AND_SCRAPE
from .web.web_search import WEB_SEARCH

__all__ = ["CAPABILITIES"]

_ALL: Final[tuple[AnyCapability, ...]] = (
    ASK_DOCUMENTS,
    CHECK_GROUNDING,
    LINT_REPORT,
    RESEARCH,
    SEARCH_DOCUMENTS,
    SCRAPE_PAGE,
    WEB_SEARCH,
    NEWS_SEARCH,
    IMAGE_SEARCH,
    SEARCH_AND_SCRAPE,
    ACADEMIC_SEARCH,
)
CAPABILITIES: Final[Mapping[str, AnyCapability]] = MappingProxyType({one.name: one for one in _ALL})
