"""`web`, `news`, `images`, `papers` and `gather`: their options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..gates import GateOpener
from ..listing import help_of
from ..options import Calls, DataDir, Env, Json, Millis, Tier, Units, narrowing, new_app
from ..work import Work

if TYPE_CHECKING:
    from ...kernel.canonical import JsonValue

__all__ = ["search_commands"]

Query = Annotated[str, typer.Argument(help="What to search for, 1 to 500 characters.")]
Provider = Annotated[
    str | None, typer.Option("--provider", metavar="NAME", help="Ask this provider and no other; no fallback.")
]
Lens = Annotated[
    str | None, typer.Option("--lens", metavar="NAME", help="Only the sites of this lens (docs/search.md lists them).")
]
View = Annotated[
    Literal["caller", "operator"],
    typer.Option("--view", metavar="VIEW", help="caller: the results; operator: the whole session, as JSON."),
]
Country = Annotated[str | None, typer.Option("--country", metavar="CC", help="Two letters, such as de.")]
Language = Annotated[str | None, typer.Option("--language", metavar="LANG", help="Such as en or pt-BR.")]
Claim = Annotated[
    str | None, typer.Option("--claim", metavar="TEXT", help="Show the sentences that speak to this claim.")
]


def search_commands(gate: GateOpener) -> typer.Typer:
    """The commands that search outside."""
    app = new_app()

    def work(
        name: str,
        given: dict[str, JsonValue],
        tier: str,
        env: str | None,
        data_dir: Path | None,
        as_json: bool,
        view: Literal["caller", "operator"],
        narrow: dict[str, int],
    ) -> Work:
        from ..search_runs import SearchRun, run_search

        run = SearchRun(tier, env, data_dir, narrow, as_json, view)
        return partial(run_search, name, given, gate, run)

    @app.command("web", help=help_of("web"))
    def web_command(
        query: Query,
        num_results: Annotated[
            int, typer.Option("-n", "--num-results", metavar="N", help="At most this many results, 1 to 10.")
        ] = 5,
        time_range: Annotated[
            str | None, typer.Option("--time-range", metavar="RANGE", help="day, week, month or year.")
        ] = None,
        site: Annotated[
            str | None, typer.Option("--site", metavar="DOMAIN", help="Only results of this domain.")
        ] = None,
        lens: Lens = None,
        exact: Annotated[str | None, typer.Option("--exact", metavar="WORDS", help="A phrase to be found.")] = None,
        exclude: Annotated[
            str | None, typer.Option("--exclude", metavar="WORDS", help="Words that must not be there.")
        ] = None,
        safe: Annotated[str, typer.Option("--safe", metavar="LEVEL", help="off, medium or high.")] = "medium",
        country: Country = None,
        language: Language = None,
        claim: Claim = None,
        provider: Provider = None,
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        view: View = "caller",
        max_units: Units = None,
        timeout_ms: Millis = None,
        data_dir: DataDir = None,
    ) -> Work:
        given: dict[str, JsonValue] = {
            "query": query,
            "num_results": num_results,
            "time_range": time_range,
            "site": site,
            "lens": lens,
            "exact_terms": exact,
            "exclude_terms": exclude,
            "safe": safe,
            "country": country,
            "language": language,
            "claim": claim,
            "provider": provider,
        }
        narrow = narrowing(None, max_units, timeout_ms)
        return work("web_search", given, tier, env, data_dir, as_json, view, narrow)

    @app.command("news", help=help_of("news"))
    def news_command(
        query: Query,
        num_results: Annotated[
            int, typer.Option("-n", "--num-results", metavar="N", help="At most this many articles, 1 to 50.")
        ] = 5,
        time_range: Annotated[
            str, typer.Option("--time-range", metavar="RANGE", help="hour, day, week, month or year.")
        ] = "week",
        sort_by: Annotated[str, typer.Option("--sort-by", metavar="ORDER", help="relevance or date.")] = "relevance",
        news_source: Annotated[
            str | None, typer.Option("--source", metavar="DOMAIN", help="Only articles of this domain.")
        ] = None,
        lens: Lens = None,
        safe: Annotated[str | None, typer.Option("--safe", metavar="LEVEL", help="off, moderate or strict.")] = None,
        country: Country = None,
        language: Language = None,
        provider: Provider = None,
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        view: View = "caller",
        max_units: Units = None,
        timeout_ms: Millis = None,
        data_dir: DataDir = None,
    ) -> Work:
        given: dict[str, JsonValue] = {
            "query": query,
            "num_results": num_results,
            "time_range": time_range,
            "sort_by": sort_by,
            "news_source": news_source,
            "lens": lens,
            "safe": safe,
            "country": country,
            "language": language,
            "provider": provider,
        }
        narrow = narrowing(None, max_units, timeout_ms)
        return work("news_search", given, tier, env, data_dir, as_json, view, narrow)

    @app.command("images", help=help_of("images"))
    def images_command(
        query: Query,
        num_results: Annotated[
            int, typer.Option("-n", "--num-results", metavar="N", help="At most this many images, 1 to 200.")
        ] = 5,
        size: Annotated[
            str | None,
            typer.Option("--size", metavar="SIZE", help="icon, small, medium, large, xlarge, huge."),
        ] = None,
        image_type: Annotated[
            str | None,
            typer.Option("--type", metavar="TYPE", help="clipart, face, lineart, stock, photo or animated."),
        ] = None,
        color_type: Annotated[
            str | None, typer.Option("--color-type", metavar="KIND", help="color, gray, mono or trans.")
        ] = None,
        dominant_color: Annotated[
            str | None, typer.Option("--dominant-color", metavar="COLOR", help="Such as red or teal.")
        ] = None,
        file_type: Annotated[
            str | None, typer.Option("--file-type", metavar="FORMAT", help="jpg, gif, png, bmp, svg or webp.")
        ] = None,
        lens: Lens = None,
        safe: Annotated[str, typer.Option("--safe", metavar="LEVEL", help="off, medium or high.")] = "medium",
        country: Country = None,
        language: Language = None,
        provider: Provider = None,
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        view: View = "caller",
        max_units: Units = None,
        timeout_ms: Millis = None,
        data_dir: DataDir = None,
    ) -> Work:
        given: dict[str, JsonValue] = {
            "query": query,
            "num_results": num_results,
            "size": size,
            "type": image_type,
            "color_type": color_type,
            "dominant_color": dominant_color,
            "file_type": file_type,
            "lens": lens,
            "safe": safe,
            "country": country,
            "language": language,
            "provider": provider,
        }
        narrow = narrowing(None, max_units, timeout_ms)
        return work("image_search", given, tier, env, data_dir, as_json, view, narrow)

    @app.command("papers", help=help_of("papers"))
    def papers_command(
        query: Query,
        num_results: Annotated[
            int, typer.Option("-n", "--num-results", metavar="N", help="At most this many works, 1 to 10.")
        ] = 5,
        year_from: Annotated[int | None, typer.Option("--year-from", metavar="YEAR", help="1900 to 2030.")] = None,
        year_to: Annotated[int | None, typer.Option("--year-to", metavar="YEAR", help="1900 to 2030.")] = None,
        source: Annotated[
            str, typer.Option("--source", metavar="NAME", help="all, arxiv, pubmed, ieee, nature or springer.")
        ] = "all",
        pdf_only: Annotated[bool, typer.Option("--pdf-only", help="Only works with a PDF that can be read.")] = False,
        open_access: Annotated[bool, typer.Option("--open-access", help="Only works that are free to read.")] = False,
        sort_by: Annotated[str, typer.Option("--sort-by", metavar="ORDER", help="relevance or date.")] = "relevance",
        lens: Lens = None,
        provider: Provider = None,
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        view: View = "caller",
        max_calls: Calls = None,
        max_units: Units = None,
        timeout_ms: Millis = None,
        data_dir: DataDir = None,
    ) -> Work:
        given: dict[str, JsonValue] = {
            "query": query,
            "num_results": num_results,
            "year_from": year_from,
            "year_to": year_to,
            "source": source,
            "pdf_only": pdf_only,
            "open_access": open_access,
            "sort_by": sort_by,
            "lens": lens,
            "provider": provider,
        }
        narrow = narrowing(max_calls, max_units, timeout_ms)
        return work("academic_search", given, tier, env, data_dir, as_json, view, narrow)

    @app.command("gather", help=help_of("gather"))
    def gather_command(
        query: Query,
        num_results: Annotated[
            int, typer.Option("-n", "--num-results", metavar="N", help="Read at most this many pages, 1 to 10.")
        ] = 3,
        claim: Claim = None,
        max_length: Annotated[
            int, typer.Option("--max-length", metavar="BYTES", help="At most this many bytes of each page.")
        ] = 50_000,
        total_length: Annotated[
            int, typer.Option("--total-length", metavar="BYTES", help="At most this many bytes of all pages together.")
        ] = 300_000,
        keep_repeats: Annotated[
            bool, typer.Option("--keep-repeats", help="Keep paragraphs that an earlier page has, too.")
        ] = False,
        relevant: Annotated[
            bool, typer.Option("--relevant", help="Leave pages out that hold too few words of the query.")
        ] = False,
        provider: Provider = None,
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        view: View = "caller",
        max_calls: Calls = None,
        max_units: Units = None,
        timeout_ms: Millis = None,
        data_dir: DataDir = None,
    ) -> Work:
        given: dict[str, JsonValue] = {
            "query": query,
            "num_results": num_results,
            "claim": claim,
            "max_length_per_source": max_length,
            "total_max_length": total_length,
            "deduplicate": not keep_repeats,
            "filter_by_query": relevant,
            "provider": provider,
        }
        narrow = narrowing(max_calls, max_units, timeout_ms)
        return work("search_and_scrape", given, tier, env, data_dir, as_json, view, narrow)

    return app
