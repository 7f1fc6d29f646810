"""Results of searches for a terminal: numbered, with their links written out."""

from __future__ import annotations

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..capabilities.papers.academic_search import AcademicSearchOutput, Paper
from ..capabilities.searching.zero_results import ZeroResultHints
from ..capabilities.web.image_search import ImageResult, ImageSearchOutput
from ..capabilities.web.news_search import NewsSearchOutput
from ..capabilities.web.search_and_scrape import SearchAndScrapeOutput
from ..capabilities.web.web_search import WebResult, WebSearchOutput
from ..parsing.text.text_cuts import cut_text
from .render import plain, print_wrapped

__all__ = ["print_results"]

_INDENT = 4
_AUTHORS = 3
_EXCERPT_BYTES = 600


def print_results(console: Console, result: BaseModel) -> None:
    """The results of any search capability."""
    match result:
        case WebSearchOutput():
            for number, row in enumerate(result.results, start=1):
                _web(console, number, row)
            _no_results(console, result.hints)
            _notes(console, result.notes)
        case NewsSearchOutput():
            for number, article in enumerate(result.articles, start=1):
                _entry(console, number, article.title, article.url)
                _line(console, " · ".join(filter(None, (article.source, article.published_at))), "dim")
                _line(console, article.snippet)
            _no_results(console, result.hints)
            _notes(console, result.notes)
        case ImageSearchOutput():
            for number, image in enumerate(result.images, start=1):
                _image(console, number, image)
            if not result.images:
                console.print("Nothing was found.", style="bold")
            _notes(console, result.notes)
        case AcademicSearchOutput():
            for number, paper in enumerate(result.papers, start=1):
                _paper(console, number, paper)
            _no_results(console, result.hints)
            _notes(console, result.notes)
        case SearchAndScrapeOutput():
            _gathered(console, result)


def _entry(console: Console, number: int, title: str, link: str, shown: int | None = None) -> None:
    if number > 1:
        console.print()
    print_wrapped(console, Text.assemble((f"[{shown or number}] ", "bold cyan"), plain(title or link)))
    console.print(plain(f"    {link}"), style="dim", soft_wrap=True)


def _line(console: Console, text: str, style: str = "") -> None:
    if text:
        print_wrapped(console, text, indent=_INDENT, style=style)


def _web(console: Console, number: int, row: WebResult) -> None:
    _entry(console, number, row.title, row.url)
    _line(console, row.snippet)
    known = row.source_reputation
    _line(console, f"{known.tier}: {known.basis}" if known is not None else "", "dim")
    _line(console, f"On the claim: {row.claim_signal}" if row.claim_signal else "", "yellow")


def _image(console: Console, number: int, image: ImageResult) -> None:
    _entry(console, number, image.title, image.link)
    size = f"{image.width} x {image.height}" if image.width and image.height else ""
    _line(console, " · ".join(filter(None, (image.display_link, size))), "dim")
    for name, link in (("thumbnail", image.thumbnail_link), ("page", image.context_link)):
        if link:
            console.print(plain(f"    {name} {link}"), style="dim", soft_wrap=True)


def _paper(console: Console, number: int, paper: Paper) -> None:
    _entry(console, number, paper.title, paper.url)
    authors = ", ".join((paper.authors or ())[:_AUTHORS]) + (" et al." if len(paper.authors or ()) > _AUTHORS else "")
    cited = f"cited {paper.citation_count} times" if paper.citation_count is not None else ""
    year = str(paper.year) if paper.year else ""
    _line(console, " · ".join(filter(None, (authors, paper.journal, year, cited, f"via {paper.source}"))), "dim")
    status = paper.retraction_status
    if status is not None:
        notice = f" ({status.notice_doi})" if status.notice_doi else ""
        _line(console, f"{status.type.replace('_', ' ')}{notice}", "bold red" if status.retracted else "yellow")
    _line(console, paper.abstract or "")
    if paper.pdf_url:
        console.print(plain(f"    PDF {paper.pdf_url}"), style="dim", soft_wrap=True)


def _gathered(console: Console, result: SearchAndScrapeOutput) -> None:
    if result.sources:
        table = Table("", "score", "relevance", "freshness", "authority", "content", "source")
        for number, source in enumerate(result.sources, start=1):
            scores = source.scores
            told = (
                ()
                if scores is None
                else (scores.overall, scores.relevance, scores.freshness, scores.authority, scores.content_quality)
            )
            table.add_row(str(number), *(f"{value:.2f}" for value in told), plain(source.title or source.url))
        console.print(table)
    for number, source in enumerate(result.sources, start=1):
        _entry(console, number + 1, source.title or "", source.url, shown=number)
        for sentence in source.key_sentences or ():
            _line(console, f"On the claim: {sentence}", "yellow")
        _line(console, cut_text(source.content, _EXCERPT_BYTES)[0])
    console.print()
    size = result.size_metadata
    summary = result.summary
    read = f"{summary.urls_scraped} of {summary.urls_searched} pages read"
    print_wrapped(console, f"{result.status}: {read}, {size.content_length} bytes ({size.size_category.value})")
    for failure in result.scrape_failures or ():
        print_wrapped(console, f"Gap: {failure.url}: {failure.reason}", style="yellow")
    for advice in result.recommendations or ():
        print_wrapped(console, f"Recommended: {advice.title or advice.url} ({advice.reason})", style="dim")
    if result.note:
        print_wrapped(console, f"Note: {result.note}", style="yellow")


def _no_results(console: Console, hints: ZeroResultHints | None) -> None:
    if hints is None:
        return
    console.print("Nothing was found.", style="bold")
    for step in hints.suggested_actions:
        about = step.filter or step.provider
        print_wrapped(console, f"Hint: {step.action.replace('-', ' ')}{f' {about}' if about else ''}", style="dim")


def _notes(console: Console, notes: tuple[str, ...] | None) -> None:
    for note in notes or ():
        print_wrapped(console, f"Note: {note}", style="yellow")
