"""`research` and the commands that check answers: their options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from ..gates import GateOpener
from ..listing import help_of
from ..options import DataDir, Docs, Env, Json, Tier, new_app
from ..work import Work

__all__ = ["answer_commands"]

Result = Annotated[
    str, typer.Argument(metavar="RESULT.json", help="A result as `research --json` prints it; - reads stdin.")
]


def answer_commands(gate: GateOpener) -> typer.Typer:
    """The commands that answer over several steps, and those that check answers."""
    app = new_app()

    @app.command("research", help=help_of("research"))
    def research_command(
        question: Annotated[str, typer.Argument(help="1 to 500 characters.")],
        docs: Docs = None,
        depth: Annotated[
            Literal["shallow", "balanced", "deep"],
            typer.Option("--depth", metavar="DEPTH", help="shallow, balanced or deep."),
        ] = "balanced",
        context: Annotated[
            str | None,
            typer.Option("--context", metavar="TEXT", help="What you know already, or `focus on ...`; never cited."),
        ] = None,
        documents_only: Annotated[bool, typer.Option("--documents-only", help="Never touch the web.")] = False,
        exclude: Annotated[
            list[str] | None,
            typer.Option("--exclude", metavar="HOST", help="Never read this host. May be given several times."),
        ] = None,
        max_iterations: Annotated[
            int | None, typer.Option("--max-iterations", metavar="N", help="At most this many rounds of queries.")
        ] = None,
        token_budget: Annotated[
            int | None, typer.Option("--token-budget", metavar="N", help="Read about this many tokens at most.")
        ] = None,
        max_sources: Annotated[
            int | None, typer.Option("--max-sources", metavar="N", help="At most this many passages and pages.")
        ] = None,
        conversation: Annotated[
            str | None, typer.Option("--conversation", metavar="ID", help="The conversation that this question is in.")
        ] = None,
        turn: Annotated[
            int | None,
            typer.Option(
                "--turn", metavar="N", help="Which turn of the conversation: later ones can name its sources."
            ),
        ] = None,
        earlier: Annotated[
            list[str] | None,
            typer.Option("--earlier", metavar="TURN:NUMBER", help="Read this source of an earlier turn first."),
        ] = None,
        answerer: Annotated[
            Literal["sentences", "model"],
            typer.Option(
                "--answerer", metavar="NAME", help="sentences: those of the sources; model: PORTCULLIS_MODEL_URL."
            ),
        ] = "sentences",
        tier: Tier = "PRO",
        env: Env = None,
        as_json: Json = False,
        markdown: Annotated[
            Path | None, typer.Option("--markdown", metavar="FILE", help="Write a report in Markdown.")
        ] = None,
        html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a report as one page.")] = None,
        trace: Annotated[
            Path | None, typer.Option("--trace", metavar="FILE", help="Write the trace as JSON lines.")
        ] = None,
        data_dir: DataDir = None,
    ) -> Work:
        from ..research_command import ResearchOptions, research
        from ..research_limits import constraints_of, turn_of

        limits = constraints_of(depth, documents_only, exclude or [], max_iterations, token_budget, max_sources)
        asked = turn_of(conversation, turn, earlier or [])
        files = (markdown, html, trace)
        options = ResearchOptions(
            docs, tier, env, data_dir, context, depth, limits, as_json, *files, asked, answerer, documents_only
        )
        return partial(research, options, gate, question)

    @app.command("audit", help=help_of("audit"))
    def audit_command(file: Result, as_json: Json = False, data_dir: DataDir = None) -> Work:
        from ..research_command import audit

        return partial(audit, file, data_dir, as_json=as_json)

    @app.command("diff", help=help_of("diff"))
    def diff_command(
        before: Annotated[str, typer.Argument(metavar="A.json", help="The earlier result.")],
        after: Annotated[str, typer.Argument(metavar="B.json", help="The later result.")],
        as_json: Json = False,
        data_dir: DataDir = None,
    ) -> Work:
        from ..research_command import diff

        return partial(diff, before, after, data_dir, as_json=as_json)

    @app.command("discoveries", help=help_of("discoveries"))
    def discoveries_command(
        limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Look at this many sessions.")] = 20,
        as_json: Json = False,
        data_dir: DataDir = None,
    ) -> Work:
        from ..research_command import discoveries

        return partial(discoveries, limit, data_dir, as_json=as_json)

    @app.command("lint-report", help=help_of("lint-report"))
    def lint_command(
        file: Annotated[str | None, typer.Argument(metavar="[FILE]", help="A Markdown file. Default: stdin.")] = None,
        jsonl: Annotated[
            bool,
            typer.Option(
                "--jsonl", help='Read lines {"id", "article" or "text"} and print one line for each, in order.'
            ),
        ] = False,
        as_json: Json = False,
    ) -> Work:
        from ..report_linting import lint

        return partial(lint, file, jsonl=jsonl, as_json=as_json)

    @app.command("whatif", help=help_of("whatif"))
    def whatif_command(
        caps: Annotated[
            Path | None,
            typer.Option("--caps", metavar="FILE", help="A caps table, as `caps --json` prints it."),
        ] = None,
        rules: Annotated[
            Path | None,
            typer.Option("--rules", metavar="NAME", help="The injection rules: this version or its digest, or a file."),
        ] = None,
        limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Look at this many sessions.")] = 20,
        as_json: Json = False,
        data_dir: DataDir = None,
    ) -> Work:
        from ..whatif_command import whatif

        return partial(whatif, caps, rules, limit, data_dir, as_json=as_json)

    return app
