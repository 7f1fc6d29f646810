"""`certify`, `simulate` and `bench`: their options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ..listing import help_of
from ..options import Json, new_app
from ..work import Work

__all__ = ["proof_commands"]


def proof_commands() -> typer.Typer:
    """The commands that show that the product does what it says."""
    app, bench = new_app(), new_app("bench")
    app.command("certify", help=help_of("certify"))(_certify)
    app.command("simulate", help=help_of("simulate"))(_simulate)
    app.add_typer(bench, help=help_of("bench"))
    bench.command("retrieval", help="Index a collection, ask its questions and print the quality as JSON.")(_retrieval)
    return app


def _certify(
    check: Annotated[
        list[str] | None,
        typer.Option("--check", metavar="ID", help="Run only this check. May be given several times."),
    ] = None,
    list_them: Annotated[bool, typer.Option("--list", help="List the checks and run none.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="The short form for CI; writes nothing.")] = False,
    write: Annotated[bool, typer.Option("--write", help="With --check: also write its evidence.")] = False,
    render: Annotated[
        bool, typer.Option("--render", help="Write the certificate and the table of checks again.")
    ] = False,
    as_json: Json = False,
) -> Work:
    from ..checkout import hand_over

    flags = (("--list", list_them), ("--quick", quick), ("--write", write), ("--render", render), ("--json", as_json))
    words = [word for name in check or () for word in ("--check", name)]
    words += [name for name, given in flags if given]
    return partial(hand_over, "scripts.certify", "the certification gate", words)


def _simulate(
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same sessions.")] = 1,
    sessions: Annotated[int, typer.Option("--sessions", metavar="N", min=1, help="How many sessions.")] = 2_000,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", min=1, help="How many processes, 1 to 64. Default: one for each core."),
    ] = None,
    only: Annotated[
        int | None, typer.Option("--only", metavar="N", min=0, help="Run only session N of this seed.")
    ] = None,
    case: Annotated[
        Path | None, typer.Option("--case", metavar="FILE", help="Run one session from a file, as a failure prints it.")
    ] = None,
    as_json: Json = False,
) -> Work:
    from ..checkout import hand_over

    words = ["--seed", str(seed), "--sessions", str(sessions)]
    words += [] if jobs is None else ["--jobs", str(jobs)]
    words += [] if only is None else ["--only", str(only)]
    words += [] if case is None else ["--case", str(case.resolve())]
    words += ["--json"] if as_json else []
    return partial(hand_over, "tests.simulation", "the simulation", words)


def _retrieval(
    beir: Annotated[
        Path,
        typer.Option(
            "--beir", metavar="DIR", help="Folder with corpus.jsonl, queries.jsonl and qrels, gzipped or not."
        ),
    ],
    run: Annotated[
        Path | None, typer.Option("--run", metavar="FILE", help="Also write the ranking here, as TREC lines.")
    ] = None,
) -> Work:
    from ..bench import bench_retrieval

    return partial(bench_retrieval, beir, run)
